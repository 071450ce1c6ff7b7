import { expect, test } from '@jest/globals'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedPullRequest, PullRequest } from '../../../src/github/pull-requests.ts'
import {
  comparing,
  createGitHubError,
  mergedBy,
  PULL_REQUEST,
  PUSH,
  pullCommits,
  rejectWith,
  resolveInOrder,
} from '../../../testing/fake-github.ts'
import { commit } from '../../../testing/github-state.ts'
import { type GivenEvent, playChange, type Responses } from '../../../testing/play-change.ts'

const OWN = mergedBy(7, 'docs-agent')
const [B, NEWER] = [commit('b'), commit('c')]

interface Pushed {
  readonly id?: string
  readonly message?: string
  readonly author?: string
  readonly committer?: string
}

const pushOf = (commits: readonly Pushed[], sender: object = PUSH.sender): GivenEvent => [
  'push',
  {
    ...PUSH,
    sender,
    commits: commits.map(({ id = B, message = 'Change', author = 'ann', committer = 'web-flow' }) => ({
      id,
      message,
      author: { name: 'Docs', ...(author !== '' && { username: author }) },
      committer: committer === '' ? {} : { username: committer },
    })),
  },
]
const BOT = { login: 'merge[bot]', type: 'Bot' }

type Lists = readonly (readonly ListedPullRequest[] | ReturnType<typeof createGitHubError>)[]

/** GitHub's lists for the commit, one for each look-up. */
const listing = (...lists: Lists): Responses => ({ findPullRequestsOfCommit: resolveInOrder(...lists) })

test.each<[what: string, pushed: Pushed, sender: object, lists: Lists, isOwn: boolean, mostMs: number]>([
  ['at once', {}, PUSH.sender, [[OWN]], true, 0],
  ['after 3 s', {}, PUSH.sender, [[], [OWN]], true, 3_000],
  ['after GitHub did not know the commit', {}, PUSH.sender, [createGitHubError('rejected'), [OWN]], true, 3_000],
  ['never', {}, PUSH.sender, [[]], false, 3_000],
  ["never, for a colleague's commit", { author: 'bea', committer: 'bea' }, PUSH.sender, [[]], false, 3_000],
  [
    'never, for a commit by the pusher that somebody else committed',
    { committer: 'bea' },
    PUSH.sender,
    [[]],
    false,
    3_000,
  ],
  ['never, for a commit without an account', { author: '', committer: '' }, PUSH.sender, [[]], false, 3_000],
  ["after 8 s, for a bot's commit", { author: 'docs-agent[bot]' }, PUSH.sender, [[], [], [OWN]], true, 8_000],
  [
    'after 8 s, for a commit by a bot as committer',
    { committer: 'merge[bot]' },
    PUSH.sender,
    [[], [], [OWN]],
    true,
    8_000,
  ],
  ["never, for a bot's commit", { author: 'docs-agent[bot]' }, PUSH.sender, [[]], false, 8_000],
  ["never, for the pusher's own commit", { committer: 'ann' }, PUSH.sender, [[]], false, 0],
  ["at once, for the pusher's own rebase", { committer: 'ann' }, PUSH.sender, [[OWN]], true, 0],
  [
    'never, for a push by a bot of its own commit',
    { author: BOT.login, committer: BOT.login },
    BOT,
    [[]],
    false,
    8_000,
  ],
])(
  'looks up the pull request of a pushed commit, which GitHub lists %s',
  async (_what, pushed, sender, lists, isOwn, mostMs) => {
    const { skip, sleptMs } = await playChange({}, pushOf([pushed], sender), listing(...lists))
    expect(skip?.includes('#7') === true).toBe(isOwn)
    expect(sleptMs).toBeLessThanOrEqual(mostMs)
  },
)

test('looks up an older commit of the range once', async () => {
  const older = comparing({ commits: [{ sha: commit('9'), message: 'Old', author: 'Docs' }], totalCommits: 1 })
  const given = { 'change-context': 'commits' }
  const played = await playChange(given, ['schedule'], { ...older, ...listing([], [OWN]) })
  expect(played).toMatchObject({ skip: undefined, sleptMs: 0 })
})

test('looks up first the commits that need no second look', async () => {
  const commits = [
    { id: B, author: 'docs-agent[bot]' },
    { id: NEWER, committer: 'ann' },
    { id: commit('d'), author: 'bea' },
  ]
  const looked: string[] = []
  const findPullRequestsOfCommit: GitHub['findPullRequestsOfCommit'] = (_repository, sha) => {
    looked.push(sha)
    return Promise.resolve([])
  }
  const { skip, sleptMs } = await playChange({}, pushOf(commits), { findPullRequestsOfCommit })
  expect({ skip, sleptMs, looked }).toEqual({ skip: undefined, sleptMs: 0, looked: [NEWER] })
})

test('waits at most 8 s for any number of commits', async () => {
  const commits = ['1', '2', '3', '4'].map((digit) => ({ id: commit(digit), author: BOT.login, committer: BOT.login }))
  const { skip, sleptMs } = await playChange({}, pushOf(commits, BOT), listing([]))
  expect(skip).toContain('A bot caused the event')
  expect(sleptMs).toBeLessThanOrEqual(8_000)
})

/** The pull request that a message names. */
const reads = (read: Partial<PullRequest>): Responses => ({
  ...listing([]),
  readPullRequest: ({ number }) =>
    number === 7 ? Promise.resolve({ ...PULL_REQUEST, ...read }) : Promise.reject(createGitHubError('not-found')),
})

const MERGED = { state: 'merged', mergeCommitSha: B } as const

test.each<[message: string, read: Partial<PullRequest>, isOwn: boolean]>([
  ['Fix it (#7)', MERGED, true],
  ['Correct the guide (#7)\n\nMore', MERGED, true],
  ['Merge pull request #7 from acme/agent', MERGED, true],
  ['Undo (#7)', { ...MERGED, mergeCommitSha: NEWER }, false],
  ['Like (#7)', { ...MERGED, state: 'open' }, false],
  ['See #7', MERGED, false],
  ['Fix (#)', MERGED, false],
  ['Fix (#99)', MERGED, false],
])('reads the pull request that the message “%s” names: %j', async (message, read, isOwn) => {
  const { skip, calls } = await playChange({}, pushOf([{ message }]), reads(read))
  expect(skip?.includes('#7') === true).toBe(isOwn)
  expect(calls.includes('findPullRequestsOfCommit')).toBe(!isOwn)
})

test('finds the pull request in the list if the message names an issue', async () => {
  const responses = { ...reads({}), ...listing([OWN]) }
  expect((await playChange({}, pushOf([{ message: 'Fix (#99)' }]), responses)).skip).toContain('#7')
})

const HUNDRED = Array.from({ length: 120 }, (_, index) => ({
  id: String(index).padStart(40, '0'),
  message: `Page ${index}`,
}))

const listed = pullCommits(...HUNDRED.map(({ id, message }) => ({ sha: id, message, author: 'Docs' })))

/** Only the newest commit is looked up successfully. */
const ofNewest = (newest: string): Responses => ({
  findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(sha === newest ? [OWN] : []),
  listPullRequestCommits: () => Promise.resolve(listed),
})

test('looks up 120 commits that a pull request lists by the newest commit', async () => {
  const commits = [...HUNDRED, { id: B, message: 'Merge' }]
  const { skip, calls } = await playChange({}, pushOf(commits), ofNewest(B))
  expect(skip).toContain('#7')
  expect(calls).toEqual(['findPullRequestsOfCommit', 'listPullRequestCommits'])
})

test('looks up each commit of a rebase merge, which has a new id, and lists the pull request once', async () => {
  const rebased = ['1', '2', '3'].map((digit) => ({ id: commit(digit), message: `Page ${digit}` }))
  const responses: Responses = { ...listing([OWN]), listPullRequestCommits: () => Promise.resolve(listed) }
  const { skip, calls, sleptMs } = await playChange({}, pushOf(rebased), responses)
  expect({ skip, sleptMs }).toEqual({ skip: expect.stringContaining('#7') as unknown, sleptMs: 0 })
  expect(calls.filter((name) => name === 'findPullRequestsOfCommit')).toHaveLength(3)
  expect(calls.filter((name) => name === 'listPullRequestCommits')).toHaveLength(1)
})

test('fails after a hundred look-ups', async () => {
  const each = (count: number): GivenEvent =>
    pushOf(HUNDRED.slice(0, count).map(({ id }) => ({ id, author: 'docs-agent[bot]' })))
  const responses = { ...listing([OWN]), listPullRequestCommits: () => Promise.resolve([]) }
  expect((await playChange({}, each(100), responses)).skip).toContain('#7')
  await expect(playChange({}, each(101), responses)).rejects.toMatchObject({
    code: 'not-sent',
    message: expect.stringContaining('the change has more than 100 commits to look up') as unknown,
    hint: expect.stringMatching(/^Run this workflow once by hand with `change-range: BASE\.\.\.HEAD`/) as unknown,
  })
})

test('looks up each commit once for the loop guard and `skip-labels`', async () => {
  const responses = { ...listing([mergedBy(8, 'no-docs')]), listComments: () => Promise.resolve([]) }
  const { skip, calls } = await playChange({ 'skip-labels': 'no-docs' }, pushOf([{}]), responses)
  expect(skip).toContain('Every pull request of the change has a label from `skip-labels`: #8.')
  expect(calls.filter((name) => name === 'findPullRequestsOfCommit')).toHaveLength(1)
})

test('fails if a look-up fails, and does not retry it later', async () => {
  const down = { findPullRequestsOfCommit: rejectWith(createGitHubError('service-error')) }
  await expect(playChange({}, pushOf([{}]), down)).rejects.toMatchObject({ code: 'not-sent' })
})
