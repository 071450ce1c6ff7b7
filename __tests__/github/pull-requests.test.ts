import { expect, test } from '@jest/globals'
import { connectPullRequests } from '../../src/github/pull-requests.ts'
import { USUAL_LAG } from '../../src/emulator/github/state.ts'
import { answering, askingGitHub } from '../support/github-client.ts'
import { commit, repositoryWithPull } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }

test('reads what a merge needs to know', async () => {
  const docs = repositoryWithPull({ labels: ['docs-agent', 'docs'] })
  const found = await askingGitHub({ docs }, ({ ask }) => connectPullRequests(ask).readPullRequest(ADDRESS))
  expect(found).toEqual({
    ...ADDRESS,
    title: 'Update the docs',
    state: 'open',
    author: { login: expect.any(String), type: expect.any(String) },
    createdAt: expect.any(String),
    branch: 'agent/guide',
    headSha: commit('c'),
    baseRef: expect.any(String),
    baseSha: expect.any(String),
    mergeCommitSha: expect.any(String),
    labels: ['docs-agent', 'docs'],
    mergeable: true,
    isBlocked: false,
  })
})

test.each([
  [{ draft: true }, 'draft'],
  [{ state: 'closed' }, 'closed'],
  [{ state: 'closed', draft: true }, 'closed'],
  [{ state: 'closed', merge: { sha: commit('b'), atMs: 0 } }, 'merged'],
] as const)('names the state of %j', async (fields, state) => {
  const found = await askingGitHub({ docs: repositoryWithPull(fields) }, ({ ask }) =>
    connectPullRequests(ask).readPullRequest(ADDRESS),
  )
  expect(found.state).toBe(state)
})

test.each([
  [{ conflict: true }, { mergeable: false, isBlocked: false }],
  [{ blocked: true }, { mergeable: true, isBlocked: true }],
] as const)('says whether %j can be merged', async (fields, told) => {
  const found = await askingGitHub({ docs: repositoryWithPull(fields) }, ({ ask }) =>
    connectPullRequests(ask).readPullRequest(ADDRESS),
  )
  expect(found).toMatchObject(told)
})

test('says nothing of merging while GitHub finds it out', async () => {
  const lag = { ...USUAL_LAG, mergeableMs: Infinity }
  const server = { docs: repositoryWithPull(), state: { lag } }
  const found = await askingGitHub(server, ({ ask }) => connectPullRequests(ask).readPullRequest(ADDRESS))
  expect(found.mergeable).toBeUndefined()
})

/** As it stands in a list. */
const listed = (fields: object, from: string | null = 'Acme/Docs') => ({
  ...{ state: 'open', merged_at: null, created_at: '2026-01-01T00:00:00Z', labels: [] },
  head: { ref: 'main', sha: commit('c'), repo: from === null ? null : { full_name: from } },
  base: { repo: { full_name: 'Acme/Docs' } },
  ...fields,
})

test('a pull request that was closed without a merge brought nothing', async () => {
  const data = [
    listed({ number: 1, state: 'closed' }),
    listed({ number: 2, state: 'closed', merged_at: '2026-01-01T00:00:00Z' }),
    listed({ number: 3 }),
  ]
  const ask = answering({ repos: { listPullRequestsAssociatedWithCommit: () => Promise.resolve({ data }) } })
  const found = await connectPullRequests(ask).findPullRequestsOfCommit('acme/docs', commit('c'))
  expect(found.map(({ number }) => number)).toEqual([2, 3])
})

test('finds the pull requests that a commit came with', async () => {
  await askingGitHub({ docs: repositoryWithPull({ labels: ['docs-agent'] }) }, async ({ ask }) => {
    expect(await connectPullRequests(ask).findPullRequestsOfCommit('acme/docs', commit('c'))).toEqual([
      {
        ...{ number: 7, labels: ['docs-agent'], state: 'open', branch: 'agent/guide', isOfFork: false },
        ...{ author: { login: 'mona', type: 'User' }, createdAt: '1970-01-01T00:00:00Z' },
      },
    ])
    expect(await connectPullRequests(ask).findPullRequestsOfCommit('acme/docs', commit('a'))).toEqual([])
  })
})

test('finds the pull requests that have a commit as their head, or were merged as it', async () => {
  await askingGitHub({ docs: repositoryWithPull() }, async ({ ask }) => {
    const numbersAt = async (sha: string) =>
      (await connectPullRequests(ask).findPullRequestsEndingWith('acme/docs', sha)).map(({ number }) => number)
    expect(await numbersAt(commit('c'))).toEqual([7])
    expect(await numbersAt(commit('a'))).toEqual([])
  })
  const merged = repositoryWithPull({ state: 'closed', merge: { sha: commit('d'), atMs: 0 } })
  await askingGitHub({ docs: merged }, async ({ ask }) => {
    expect(await connectPullRequests(ask).findPullRequestsEndingWith('acme/docs', commit('d'))).toMatchObject([
      { state: 'merged' },
    ])
    expect(await connectPullRequests(ask).findPullRequestsEndingWith('acme/docs', commit('c'))).toEqual([])
  })
})

test('finds the pull requests of a branch, and none of a fork whose branch is called like it', async () => {
  await askingGitHub({ docs: repositoryWithPull() }, async ({ ask }) => {
    const numbersOf = async (branch: string, state: 'open' | 'all') =>
      (await connectPullRequests(ask).findPullRequestsOfBranch('acme/docs', branch, state)).map(({ number }) => number)
    expect(await numbersOf('agent/guide', 'open')).toEqual([7])
    expect(await numbersOf('main', 'all')).toEqual([])
  })
  const data = [listed({ number: 1 }, 'acme/fork'), listed({ number: 2 }, null), listed({ number: 3, state: 'closed' })]
  const ask = answering({ pulls: { list: () => Promise.resolve({ data }) } })
  const found = await connectPullRequests(ask).findPullRequestsOfBranch('acme/docs', 'main', 'all')
  expect(found).toMatchObject([{ number: 3, state: 'closed' }])
})
