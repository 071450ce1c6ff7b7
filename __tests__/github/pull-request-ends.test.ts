import { expect, test } from '@jest/globals'
import type { AskGitHub, Octokit } from '../../src/github/ask-github.ts'
import { readPullRequestEnds } from '../../src/github/pull-request-ends.ts'

test('tells where the change of a pull request begins and ends', async () => {
  const get = (): Promise<object> => Promise.resolve({ data: { base: { sha: 'a' }, head: { sha: 'b' } } })
  const ask: AskGitHub = (_need, call) => call({ rest: { pulls: { get } } } as unknown as Octokit)
  expect(await readPullRequestEnds(ask, { repository: 'acme/docs', number: 7 })).toEqual({ base: 'a', head: 'b' })
})
