import { expect, test } from '@jest/globals'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { ListedPullRequest, PullRequest } from '../../../src/github/pull-requests.ts'
import { MARKER, mergedBy, PULL_REQUEST, pullCommits, PUSH, refusal } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'
import { lookAtChange, type Answers, type GivenEvent } from '../../support/look-at-change.ts'

const A = commit('a')
const B = commit('b')
const AGENT = PULL_REQUEST.author
const ANN = { login: 'ann', type: 'User' }
/** An account that was deleted, which GitHub gives as null. */
const GHOST = { login: '', type: '' }
const OWN = mergedBy(7, 'docs-agent')
const OTHER = mergedBy(8, 'docs')
const OPEN: ListedPullRequest = { ...OWN, state: 'open' }

type Listed = readonly [sha: string, message?: string | undefined]
interface World {
  readonly read?: Partial<PullRequest>
  /** The commits of the pull request, oldest first, and who made them. */
  readonly listed?: readonly Listed[]
  /** By default all are of the agent; one may be given for each. */
  readonly by?: readonly (typeof AGENT)[]
  readonly ofBranch?: readonly ListedPullRequest[]
}

/** A GitHub that knows where these commits came from, and may know one pull request by its number. */
const where = (
  commits: Readonly<Record<string, readonly ListedPullRequest[]>>,
  { read, listed = [], by = [], ofBranch = [] }: World = {},
): Answers => ({
  listComments: () => Promise.resolve([]),
  findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(commits[sha] ?? []),
  findPullRequestsOfBranch: () => Promise.resolve(ofBranch),
  listPullRequestCommits: () =>
    Promise.resolve(
      pullCommits(
        ...listed.map(([sha, message = 'Change'], index) => ({
          sha,
          message,
          author: 'Docs',
          account: by[index] ?? AGENT,
        })),
      ),
    ),
  readPullRequest: ({ number }) =>
    read !== undefined && number === 7
      ? Promise.resolve({ ...PULL_REQUEST, ...read })
      : Promise.reject(refusal('not-found')),
})

/** Whose work it is taken for, without a doubt. */
async function whose(event: GivenEvent, answers: Answers, label = 'docs-agent'): Promise<'own' | 'others'> {
  const { skip, lost } = await lookAtChange({ label }, event, answers)
  expect(lost).toBeUndefined()
  return skip === undefined ? 'others' : 'own'
}

/** @param commits oldest first */
const parsePush = (commits: readonly Listed[], fields: object = {}): GivenEvent => [
  'push',
  {
    ...PUSH,
    commits: commits.map(([id, message = 'Change']) => ({ id, message, author: { name: 'Docs' } })),
    ...fields,
  },
]
const PUSH_A = parsePush([[A]])
const toBranch = (branch: string, sender: typeof AGENT) => parsePush([[A]], { ref: `refs/heads/${branch}`, sender })
const STATUS: GivenEvent = ['status', { sha: A }]
const listChecks = (head_branch?: string): GivenEvent => ['check_suite', { check_suite: { head_sha: A, head_branch } }]
const named = (message: string) => parsePush([[A, message]])
const MERGED = { state: 'merged', mergeCommitSha: A } as const
const STILL_OPEN = { ...MERGED, state: 'open' } as const
const OF_BRANCH = where({}, { ofBranch: [OWN] })

test.each<[what: string, event: GivenEvent, answers: Answers, expected: 'own' | 'others']>([
  ['two commits of its pull request', parsePush([[A], [B]]), where({ [A]: [OWN], [B]: [OWN] }), 'own'],
  ['a commit below one of its own', parsePush([[A], [B]]), where({ [B]: [OWN] }), 'others'],
  ['a commit that another pull request brought as well', PUSH_A, where({ [A]: [OWN, OTHER] }), 'others'],

  // An open pull request brought what whoever opened it pushed to its branch, and nothing else.
  ['a push by its app to its branch', toBranch(OPEN.branch, AGENT), where({ [A]: [OPEN] }), 'own'],
  ['a push by a person to its branch', toBranch(OPEN.branch, ANN), where({ [A]: [OPEN] }), 'others'],
  ['a push by its app to another branch', toBranch('main', AGENT), where({ [A]: [OPEN] }), 'others'],
  ["a push to a fork's branch", toBranch(OPEN.branch, AGENT), where({ [A]: [{ ...OPEN, isOfFork: true }] }), 'others'],

  ['a status of what it lists', STATUS, where({ [A]: [OPEN] }, { listed: [[B], [A]] }), 'own'],
  ['a status of what it only branched off', STATUS, where({ [A]: [OPEN] }, { listed: [[B]] }), 'others'],
  ['checks of what a forced push took out of its branch', listChecks(OWN.branch), OF_BRANCH, 'own'],
  ['checks of what was on no branch', listChecks(), OF_BRANCH, 'others'],

  ['a squash that names it and says no more', named('Mend it (#7)'), where({}, { read: MERGED }), 'own'],
  ['a squash that names it', named('Correct the guide (#7)\n\nMore'), where({}, { read: MERGED }), 'own'],
  ['a merge that names it', named('Merge pull request #7 from acme/agent'), where({}, { read: MERGED }), 'own'],
  ['a commit that names it', named('Undo (#7)'), where({}, { read: { ...MERGED, mergeCommitSha: B } }), 'others'],
  ['a commit that names it while it is open', named('Like (#7)'), where({}, { read: STILL_OPEN }), 'others'],
  ['a commit of its pull request that names an issue', named('Fix (#99)'), where({ [A]: [OWN] }), 'own'],
])('%s', async (_what, event, answers, expected) => {
  expect(await whose(event, answers)).toBe(expected)
})

test('the first commit of others ends the search', async () => {
  const { asked } = await lookAtChange({}, parsePush([[A], [B]]), where({ [A]: [OWN] }))
  expect(new Set(asked)).toEqual(new Set(['findPullRequestsEndingWith', 'findPullRequestsOfCommit']))
})

test('many commits that came from as many places are not looked up', async () => {
  const shas = Array.from({ length: 51 }, (_, index) => String(index).padStart(40, '0'))
  const each = where(Object.fromEntries(shas.map((sha) => [sha, [OWN]])))
  const { skip, log } = await lookAtChange({}, parsePush(shas.map((sha) => [sha])), each)
  expect(skip).toBeUndefined()
  expect(log).toContain('Too many of the 51 commits')
  expect((await lookAtChange({}, parsePush(shas.slice(1).map((sha) => [sha])), each)).skip).toContain('#7')
})

const HUNDRED = Array.from({ length: 100 }, (_, index): Listed => [String(index).padStart(40, '0'), `Page ${index}`])
const [FIRST_PAGE, SECOND_PAGE] = [HUNDRED.slice(0, 1), HUNDRED.slice(1, 2)]
const REBASED = HUNDRED.map(([sha, message]): Listed => [sha.replace('00', 'ff'), message])
const NEWEST = REBASED.at(-1)?.[0] ?? ''

test.each<[how: string, commits: readonly Listed[], known: string]>([
  ['merged as they are', [...HUNDRED, [B, 'Merge']], B],
  ['merged by a rebase, which gives them other ids', REBASED, NEWEST],
])('a hundred commits that were %s are looked up by the newest alone', async (_how, commits, known) => {
  const { skip, asked } = await lookAtChange({}, parsePush(commits), where({ [known]: [OWN] }, { listed: HUNDRED }))
  expect(skip).toContain('#7')
  expect(asked).toEqual(['findPullRequestsEndingWith', 'findPullRequestsOfCommit', 'listPullRequestCommits'])
})

test.each<[what: string, event: GivenEvent, answers: Answers]>([
  [
    'a commit of somebody else in it, which may have come with another one, too',
    parsePush([...SECOND_PAGE, [B, 'Merge']]),
    where({ [B]: [OWN] }, { listed: [...FIRST_PAGE, ...SECOND_PAGE], by: [AGENT, ANN] }),
  ],
  [
    'the next commit below a rebase, even if it is called like one',
    parsePush([[FIRST_PAGE[0]?.[0] ?? '', 'Page 1'], ...SECOND_PAGE]),
    where({ [SECOND_PAGE[0]?.[0] ?? '']: [OWN] }, { listed: [[A, 'Page 1']] }),
  ],
  [
    'a commit by a deleted account, though a deleted account opened its pull request too',
    parsePush([...FIRST_PAGE, [B, 'Merge']]),
    where({ [B]: [{ ...OWN, author: GHOST }] }, { listed: FIRST_PAGE, by: [GHOST] }),
  ],
])('a merge does not explain %s', async (_what, event, answers) => {
  expect(await whose(event, answers)).toBe('others')
})

test('a merge explains the commits of whoever wrote the first one of its branch', async () => {
  const { skip, asked } = await lookAtChange(
    {},
    parsePush([...HUNDRED, [B, 'Merge']]),
    where({ [B]: [OWN] }, { listed: HUNDRED, by: Array<typeof AGENT>(100).fill(ANN) }),
  )
  expect(skip).toContain('#7')
  expect(asked).toHaveLength(3)
})

test('a push of a bot with too many commits to look up is skipped, or red if an input needs the change', async () => {
  const shas = Array.from({ length: 51 }, (_, index) => String(index).padStart(40, '0'))
  const each = where(Object.fromEntries(shas.map((sha) => [sha, [OWN]])))
  const push = parsePush(
    shas.map((sha) => [sha]),
    { sender: AGENT },
  )
  expect((await lookAtChange({}, push, each)).skip).toContain('A bot started this run')
  await expect(lookAtChange({ 'change-context': 'commits' }, push, each)).rejects.toMatchObject({
    code: 'not-sent',
    message: expect.stringContaining('more than 50 of its commits came from elsewhere') as unknown,
  })
})

type Author = ListedComment['author'] | undefined
test.each<[what: string, label: string, labels: string[], author: Author, expected: string]>([
  ['its label, however it is written', 'docs-agent', ['Docs-Agent'], undefined, 'own'],
  ['another label', 'docs-agent', ['docs'], undefined, 'others'],
  ['no label where none is in use', '', [''], undefined, 'others'],
  ['the comment that names its job', 'docs-agent', [], 'trusted', 'own'],
  ['such a comment by a bot', '', [], 'bot', 'others'],
  ['such a comment by a stranger', '', [], 'stranger', 'others'],
])('a pull request with %s', async (_what, label, labels, author, expected) => {
  const comments = author === undefined ? [{ ...MARKER, body: 'hello' }] : [{ ...MARKER, author }]
  const answers = { ...where({ [A]: [mergedBy(7, ...labels)] }), listComments: () => Promise.resolve(comments) }
  expect(await whose(PUSH_A, answers, label)).toBe(expected)
})
