import { expect, test } from '@jest/globals'
import { findPullRequestsOfCommit, listPullRequestFiles, readPullRequest } from '../../src/github/pull-requests.ts'
import { askingGitHub } from '../support/github-client.ts'
import { commit, repositoryWithPull } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }

test('reads what a merge needs to know', async () => {
  const docs = repositoryWithPull({ labels: ['docs-agent', 'docs'] })
  const found = await askingGitHub({ docs }, ({ ask }) => readPullRequest(ask, ADDRESS))
  expect(found).toEqual({
    ...ADDRESS,
    state: 'open',
    title: expect.any(String),
    url: expect.any(String),
    author: { login: expect.any(String), type: expect.any(String) },
    branch: 'agent/guide',
    headSha: commit('c'),
    baseRef: expect.any(String),
    baseSha: expect.any(String),
    mergeCommitSha: expect.any(String),
    labels: ['docs-agent', 'docs'],
    changedFiles: 1,
  })
})

test.each([
  [{ draft: true }, 'draft'],
  [{ state: 'closed' }, 'closed'],
  [{ state: 'closed', draft: true }, 'closed'],
  [{ state: 'closed', merge: { sha: commit('b'), atMs: 0 } }, 'merged'],
] as const)('names the state of %j', async (fields, state) => {
  const found = await askingGitHub({ docs: repositoryWithPull(fields) }, ({ ask }) => readPullRequest(ask, ADDRESS))
  expect(found.state).toBe(state)
})

test('lists the files of all pages, and where they were before', async () => {
  const files = [
    ...Array.from({ length: 120 }, (_, index) => ({ filename: `docs/${index}.md` })),
    { filename: 'docs/new.md', status: 'renamed', previous_filename: 'src/old.md' } as const,
  ]
  const found = await askingGitHub({ docs: repositoryWithPull({}, { files }) }, ({ ask }) =>
    listPullRequestFiles(ask, ADDRESS),
  )
  expect(found).toHaveLength(121)
  expect(found.at(-1)).toEqual({ path: 'docs/new.md', previousPath: 'src/old.md' })
})

test('finds the pull requests that a commit came with', async () => {
  await askingGitHub({ docs: repositoryWithPull({ labels: ['docs-agent'] }) }, async ({ ask }) => {
    expect(await findPullRequestsOfCommit(ask, 'acme/docs', commit('c'))).toEqual([
      { number: 7, labels: ['docs-agent'], isMerged: false, branch: 'agent/guide', author: expect.any(String) },
    ])
    expect(await findPullRequestsOfCommit(ask, 'acme/docs', commit('a'))).toEqual([])
  })
})
