import { describe, expect, test } from '@jest/globals'
import { parsePullRequestLink } from '../../src/docs-service/schemas.ts'
import type { PullState } from '../../src/emulator/github/pull-state.ts'
import { DEFAULT_LAG } from '../../src/emulator/github/state.ts'
import { toPullRequestAddress } from '../../src/github/pull-requests.ts'
import type { GitHub } from '../../src/github/github.ts'
import { stubGitHub, withGitHub, catchError } from '../../testing/github-client.ts'
import { commit, repositoryWithPull } from '../../testing/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }
const MERGED = { state: 'closed', merge: { sha: commit('d'), atMs: 0 } } as const

const withPull = <T>(pull: Partial<PullState>, perform: (github: GitHub) => Promise<T>, state = {}): Promise<T> =>
  withGitHub({ docs: repositoryWithPull(pull), state }, perform)

const AUTHOR = { author: { login: 'mona', type: 'User' } }

test('reads all fields of a pull request', async () => {
  const labels = ['docs-agent', 'docs']
  expect(await withPull({ labels }, (github) => github.readPullRequest(ADDRESS))).toEqual({
    ...ADDRESS,
    ...AUTHOR,
    visibility: 'public',
    mergedBy: { login: '', type: '' },
    title: 'Update the docs',
    text: '',
    state: 'open',
    branch: 'agent/guide',
    labels,
    headSha: commit('c'),
    baseRef: 'main',
    baseSha: commit('a'),
    // GitHub's test merge.
    mergeCommitSha: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
    mergeable: true,
    isBlocked: false,
    isBehind: false,
    isAutoMergeOn: false,
  })
})

test.each<[Partial<PullState>, object, object?]>([
  [{ draft: true }, { state: 'draft' }],
  [{ state: 'closed' }, { state: 'closed' }],
  [{ state: 'closed', draft: true }, { state: 'closed' }],
  [MERGED, { state: 'merged', mergeCommitSha: commit('d') }],
  [{ conflict: true }, { mergeable: false, isBlocked: false }],
  [{ blocked: true }, { mergeable: true, isBlocked: true }],
  // GitHub is still computing it.
  [{}, { mergeable: undefined }, { lag: { ...DEFAULT_LAG, mergeableMs: Infinity } }],
])('reads a pull request with %j as %j', async (pull, expected, state = {}) => {
  expect(await withPull(pull, (github) => github.readPullRequest(ADDRESS), state)).toMatchObject(expected)
})

const withCommit = (digit: string) => (github: GitHub) => github.findPullRequestsOfCommit('acme/docs', commit(digit))

test.each([
  ['with one of its commits', {}, withCommit('c'), ['open']],
  ['with another commit', {}, withCommit('a'), []],
])('finds the pull requests %s', async (_which, pull, find, states) => {
  expect((await withPull(pull, find)).map(({ state }) => state)).toEqual(states)
})

test('reads the author and the branch of a pull request in a list', async () => {
  const listed = {
    number: 7,
    title: 'Update the docs',
    labels: ['docs-agent'],
    state: 'open',
    branch: 'agent/guide',
    isOfFork: false,
  }
  expect(await withPull({ labels: ['docs-agent'] }, withCommit('c'))).toEqual([{ ...listed, ...AUTHOR }])
})

/** A pull request as in GitHub's lists. */
const listed = (number: number, fields: object = {}, from: object | null = { full_name: 'Acme/Docs' }) => ({
  number,
  state: 'open',
  merged_at: null,
  created_at: '2026-01-01T00:00:00Z',
  labels: [],
  head: { ref: 'main', sha: commit('c'), repo: from },
  base: { repo: { full_name: 'Acme/Docs' } },
  ...fields,
})
const ENDED = { state: 'closed', merge_commit_sha: commit('d') }
const CLOSED_PULL = listed(1, ENDED)
const MERGED_PULL = listed(2, { ...ENDED, merged_at: '2026-01-01T00:00:00Z' })
test('finds the pull requests that introduced a commit, and none that was closed without a merge', async () => {
  const found = await withCommit('c')(stubGitHub(() => [CLOSED_PULL, MERGED_PULL, listed(3)]))
  expect(found.map(({ number }) => number)).toEqual([2, 3])
})

const ELSEWHERE = "it is on git.example.com, but this run's GitHub is github.com."
const UNNAMED = 'its URL has no repository and number.'

test.each([
  ['https://github.com/acme/docs/pull/7', 'https://github.com', ADDRESS],
  ['https://ghe.example.com:8443/acme/docs/pull/7/files', 'https://GHE.example.com:8443/', ADDRESS],
  ['https://git.example.com/acme/docs/pull/7', 'https://github.com', ELSEWHERE],
  ['https://github.com/changes/42', 'https://github.com', UNNAMED],
  ['https://github.com/acme/docs/-/merge_requests/7/x', 'https://github.com', UNNAMED],
  ['https://github.com/group/sub/docs/-/merge_requests/7', 'https://github.com', UNNAMED],
])('converts %s for the server %s: %j', (raw, serverUrl, expected) => {
  const link = parsePullRequestLink(raw)
  const find = () => toPullRequestAddress(link ?? { host: '', repository: '', number: '' }, { serverUrl })
  if (typeof expected !== 'string') expect(find()).toEqual(expected)
  else expect(find).toThrow(expect.objectContaining({ code: 'rejected', message: expected }))
})

describe('reviewers', () => {
  const docs = () => repositoryWithPull({}, { collaborators: { mona: 'write', ann: 'write' }, teams: ['writers'] })

  const review = (login: string, state: string, type = 'User') => ({ user: { login, type }, state })

  test('lists approvers by the last verdict of each person, without bots and deleted accounts', async () => {
    const github = stubGitHub(() => [
      review('ann', 'APPROVED'),
      review('mona', 'CHANGES_REQUESTED'),
      review('bob', 'APPROVED'),
      null,
      { user: null, state: 'APPROVED' },
      review('ci[bot]', 'APPROVED', 'Bot'),
      review('ann', 'COMMENTED'),
      review('mona', 'APPROVED'),
      review('bob', 'CHANGES_REQUESTED'),
      review('dora', 'DISMISSED'),
    ])
    expect(await github.listApprovers(ADDRESS)).toEqual(['ann', 'mona'])
  })

  test.each([{}, { requested_reviewers: [null] }, { requested_reviewers: null }])(
    'treats the response %j as a successful request',
    async (response) => {
      await expect(stubGitHub(() => response).requestReviews(ADDRESS, ['ann'])).resolves.toBeUndefined()
    },
  )

  test('requests reviews from people and from teams of the owner in one request', async () => {
    await withGitHub({ docs: docs() }, async (github, { docs, operations }) => {
      await github.requestReviews(ADDRESS, ['ann', 'Acme/writers'])
      expect(operations).toEqual(['pulls/request-reviewers'])
      expect(docs.pulls[7]?.reviewEvents.map(({ name }) => name)).toEqual(['ann', 'acme/writers'])
    })
  })

  test.each([
    ['dora', 'Reviews may only be requested from collaborators'],
    ['other/writers', 'A review cannot be requested from a team of another organization than `acme`'],
  ])('cannot request a review from %s', async (name, message) => {
    const error = await withGitHub({ docs: docs() }, (github) =>
      catchError(github.requestReviews(ADDRESS, ['ann', name])),
    )
    expect(error).toMatchObject({ code: 'rejected', message: expect.stringContaining(message) as unknown })
  })
})
