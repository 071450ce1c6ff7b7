import { expect, test } from '@jest/globals'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { ListedPullRequest, PullRequest } from '../../../src/github/pull-requests.ts'
import { MARKER, mergedBy, PULL_REQUEST, pullCommits, PUSH, createGitHubError } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'
import { playChange, type Responses, type GivenEvent } from '../../support/play-change.ts'

const A = commit('a')
const B = commit('b')
const AGENT = PULL_REQUEST.author
const ANN = { login: 'ann', type: 'User' }
/** A deleted account, which GitHub returns as null. */
const GHOST = { login: '', type: '' }
const OWN = mergedBy(7, 'docs-agent')
const OTHER = mergedBy(8, 'docs')
const OPEN: ListedPullRequest = { ...OWN, state: 'open' }

type Listed = readonly [sha: string, message?: string | undefined]
interface Sources {
  readonly read?: Partial<PullRequest>
  /** The commits of the pull request, oldest first. */
  readonly listed?: readonly Listed[]
  /** The author of each commit, by default the agent. */
  readonly by?: readonly (typeof AGENT)[]
  readonly ofBranch?: readonly ListedPullRequest[]
}

/** @param commits the source pull requests of each commit */
const withSources = (
  commits: Readonly<Record<string, readonly ListedPullRequest[]>>,
  { read, listed = [], by = [], ofBranch = [] }: Sources = {},
): Responses => ({
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
      : Promise.reject(createGitHubError('not-found')),
})

/** Classifies the work, without a warning. */
async function classify(event: GivenEvent, responses: Responses, label = 'docs-agent'): Promise<'own' | 'others'> {
  const { skip, warnings } = await playChange({ label }, event, responses)
  expect(warnings).toBeUndefined()
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
const OF_BRANCH = withSources({}, { ofBranch: [OWN] })

test.each<[what: string, event: GivenEvent, responses: Responses, expected: 'own' | 'others']>([
  ["two commits of the agent's pull request", parsePush([[A], [B]]), withSources({ [A]: [OWN], [B]: [OWN] }), 'own'],
  ["a commit by others before the agent's commit", parsePush([[A], [B]]), withSources({ [B]: [OWN] }), 'others'],
  ["a commit that also came from somebody else's pull request", PUSH_A, withSources({ [A]: [OWN, OTHER] }), 'others'],

  // An open pull request is the source only of commits that its author pushed to its branch.
  [
    "a push by the agent's app to the branch of its pull request",
    toBranch(OPEN.branch, AGENT),
    withSources({ [A]: [OPEN] }),
    'own',
  ],
  ["a push by a person to the agent's branch", toBranch(OPEN.branch, ANN), withSources({ [A]: [OPEN] }), 'others'],
  ["a push by the agent's app to another branch", toBranch('main', AGENT), withSources({ [A]: [OPEN] }), 'others'],
  [
    "a push to a branch with the name of a fork's branch",
    toBranch(OPEN.branch, AGENT),
    withSources({ [A]: [{ ...OPEN, isOfFork: true }] }),
    'others',
  ],

  [
    'a status of a commit that the pull request lists',
    STATUS,
    withSources({ [A]: [OPEN] }, { listed: [[B], [A]] }),
    'own',
  ],
  [
    'a status of a commit before the branch of the pull request',
    STATUS,
    withSources({ [A]: [OPEN] }, { listed: [[B]] }),
    'others',
  ],
  ['checks of a commit that a forced push removed from the branch', listChecks(OWN.branch), OF_BRANCH, 'own'],
  ['checks of a commit without a branch', listChecks(), OF_BRANCH, 'others'],

  [
    'a squash that names the pull request in a one-line message',
    named('Fix it (#7)'),
    withSources({}, { read: MERGED }),
    'own',
  ],
  [
    'a squash that names the pull request in a longer message',
    named('Correct the guide (#7)\n\nMore'),
    withSources({}, { read: MERGED }),
    'own',
  ],
  [
    'a merge that names the pull request',
    named('Merge pull request #7 from acme/agent'),
    withSources({}, { read: MERGED }),
    'own',
  ],
  [
    'a commit that names the pull request but was not its merge',
    named('Undo (#7)'),
    withSources({}, { read: { ...MERGED, mergeCommitSha: B } }),
    'others',
  ],
  [
    'a commit that names the pull request while it is open',
    named('Like (#7)'),
    withSources({}, { read: STILL_OPEN }),
    'others',
  ],
  ["a commit of the agent's pull request that names an issue", named('Fix (#99)'), withSources({ [A]: [OWN] }), 'own'],
])('classifies %s', async (_what, event, responses, expected) => {
  expect(await classify(event, responses)).toBe(expected)
})

test('reads no pull request if the number in a message is missing', async () => {
  const { calls } = await playChange({ label: 'docs-agent' }, named('Fix (#)'), withSources({}))
  expect(calls.filter((call) => call.includes('readPullRequest'))).toEqual([])
})

test('stops the search at the first commit by others', async () => {
  const { calls } = await playChange({}, parsePush([[A], [B]]), withSources({ [A]: [OWN] }))
  expect(new Set(calls)).toEqual(new Set(['findPullRequestsEndingWith', 'findPullRequestsOfCommit']))
})

test('does not look up more than 50 commits', async () => {
  const shas = Array.from({ length: 51 }, (_, index) => String(index).padStart(40, '0'))
  const each = withSources(Object.fromEntries(shas.map((sha) => [sha, [OWN]])))
  const { skip, log } = await playChange({}, parsePush(shas.map((sha) => [sha])), each)
  expect(skip).toBeUndefined()
  expect(log).toContain('Stopped after the look-up of 50 of 51 commits.')
  expect((await playChange({}, parsePush(shas.slice(1).map((sha) => [sha])), each)).skip).toContain('#7')
})

const HUNDRED = Array.from({ length: 100 }, (_, index): Listed => [String(index).padStart(40, '0'), `Page ${index}`])
const [FIRST_PAGE, SECOND_PAGE] = [HUNDRED.slice(0, 1), HUNDRED.slice(1, 2)]
const REBASED = HUNDRED.map(([sha, message]): Listed => [sha.replace('00', 'ff'), message])
const NEWEST = REBASED.at(-1)?.[0] ?? ''

test.each<[how: string, commits: readonly Listed[], known: string]>([
  ['merged with their ids', [...HUNDRED, [B, 'Merge']], B],
  ['merged by a rebase with new ids', REBASED, NEWEST],
])('looks up a hundred commits that were %s by the newest commit', async (_how, commits, known) => {
  const { skip, calls } = await playChange({}, parsePush(commits), withSources({ [known]: [OWN] }, { listed: HUNDRED }))
  expect(skip).toContain('#7')
  expect(calls).toEqual(['findPullRequestsEndingWith', 'findPullRequestsOfCommit', 'listPullRequestCommits'])
})

test.each<[what: string, event: GivenEvent, responses: Responses]>([
  [
    'a commit by another account, which may also have come from another pull request',
    parsePush([...SECOND_PAGE, [B, 'Merge']]),
    withSources({ [B]: [OWN] }, { listed: [...FIRST_PAGE, ...SECOND_PAGE], by: [AGENT, ANN] }),
  ],
  [
    'the commit before a rebase, even if it has the message of a rebased commit',
    parsePush([[FIRST_PAGE[0]?.[0] ?? '', 'Page 1'], ...SECOND_PAGE]),
    withSources({ [SECOND_PAGE[0]?.[0] ?? '']: [OWN] }, { listed: [[A, 'Page 1']] }),
  ],
  [
    'a commit by a deleted account if a deleted account opened its pull request',
    parsePush([...FIRST_PAGE, [B, 'Merge']]),
    withSources({ [B]: [{ ...OWN, author: GHOST }] }, { listed: FIRST_PAGE, by: [GHOST] }),
  ],
])('does not attribute to a merge %s', async (_what, event, responses) => {
  expect(await classify(event, responses)).toBe('others')
})

test('attributes to a merge the commits by the author of the first commit of its branch', async () => {
  const { skip, calls } = await playChange(
    {},
    parsePush([...HUNDRED, [B, 'Merge']]),
    withSources({ [B]: [OWN] }, { listed: HUNDRED, by: Array<typeof AGENT>(100).fill(ANN) }),
  )
  expect(skip).toContain('#7')
  expect(calls).toHaveLength(3)
})

test('skips a push by a bot with too many commits to look up, and fails if an input needs the change', async () => {
  const shas = Array.from({ length: 51 }, (_, index) => String(index).padStart(40, '0'))
  const each = withSources(Object.fromEntries(shas.map((sha) => [sha, [OWN]])))
  const push = parsePush(
    shas.map((sha) => [sha]),
    { sender: AGENT },
  )
  expect((await playChange({}, push, each)).skip).toContain('A bot started this run')
  await expect(playChange({ 'change-context': 'commits' }, push, each)).rejects.toMatchObject({
    code: 'not-sent',
    message: expect.stringContaining('more than 50 commits need a look-up') as unknown,
  })
})

type Author = ListedComment['author'] | undefined
test.each<[what: string, label: string, labels: string[], author: Author, expected: string]>([
  ['its label in another letter case', 'docs-agent', ['Docs-Agent'], undefined, 'own'],
  ['another label', 'docs-agent', ['docs'], undefined, 'others'],
  ['no label if the input is empty', '', [''], undefined, 'others'],
  ['the comment that names its job', 'docs-agent', [], 'trusted', 'own'],
  ['a marker comment by a bot', '', [], 'bot', 'others'],
  ['a marker comment by an outsider', '', [], 'untrusted', 'others'],
])('classifies a pull request with %s', async (_what, label, labels, author, expected) => {
  const comments = author === undefined ? [{ ...MARKER, body: 'hello' }] : [{ ...MARKER, author }]
  const responses = { ...withSources({ [A]: [mergedBy(7, ...labels)] }), listComments: () => Promise.resolve(comments) }
  expect(await classify(PUSH_A, responses, label)).toBe(expected)
})
