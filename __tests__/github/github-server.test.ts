import { expect, test } from '@jest/globals'
import { startGitHub, type GitHubServer } from '../support/github-server.ts'
import { commit, pullState, repositoryState, TOKEN, type PullState } from '../support/github-state.ts'

/** What the tests' GitHub says of a request that nobody of ours sends. */
async function ask(
  path: string,
  init: RequestInit = {},
  pull: PullState = pullState(),
): Promise<GitHubServer['violations']> {
  const github = await startGitHub({
    state: { repositories: { 'acme/docs': repositoryState({ pulls: { 7: pull } }) } },
  })
  try {
    await fetch(`${github.url}/repos/acme/docs${path}`, { ...init, headers: { authorization: `token ${TOKEN}` } })
    return github.violations
  } finally {
    await github.close()
  }
}

test('requests and answers that are as GitHub describes them are fine', async () => {
  expect(await ask('/pulls/7')).toEqual([])
  expect(await ask('/pulls/7/files?per_page=100&page=1')).toEqual([])
})

test('an operation that is not used is not there', async () => {
  expect(await ask('/branches')).toEqual([expect.stringContaining('There is no GET')])
})

test('a query that GitHub does not describe is noticed', async () => {
  expect(await ask('/pulls/7/files?perpage=100')).toEqual([expect.stringContaining('there is no perpage')])
  expect(await ask('/pulls/7/files?page=first')).toEqual([expect.stringContaining('must be integer')])
})

test('a path that GitHub does not describe is noticed', async () => {
  expect(await ask('/pulls/seven')).toEqual([expect.stringContaining('must be integer')])
})

test('a body that GitHub does not describe is noticed', async () => {
  const body = JSON.stringify({ text: 'hello' })
  expect(await ask('/issues/7/comments', { method: 'POST', body })).toContainEqual(
    expect.stringContaining("required property 'body'"),
  )
})

test('an answer of ours that GitHub would not give is noticed', async () => {
  const odd = pullState({ state: 'ajar' as 'open', headSha: commit('c') })
  expect(await ask('/pulls/7', {}, odd)).toEqual([expect.stringContaining('must be equal to one of')])
})
