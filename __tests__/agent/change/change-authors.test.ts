import { expect, test } from '@jest/globals'
import { findChangeAuthors, rankAuthors } from '../../../src/agent/change/resolve-change.ts'
import type { ComparedCommit } from '../../../src/github/commits.ts'
import { fakeGitHub, PUSH, refusal, rejecting, RUN_FACTS } from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const by = (login: string, type = 'User'): ComparedCommit => ({
  ...{ sha: login, message: 'Change', author: 'Anybody', account: { login, type } },
})

test('people come by their commits, most first, and of as many who wrote the newest', () => {
  const commits = [by('ann'), by('bob'), by('ann'), by('cid'), by('bot[bot]', 'Bot'), by('', ''), by('bob'), by('dan')]
  expect(rankAuthors(commits)).toEqual(['bob', 'ann', 'dan', 'cid'])
})

async function find(
  commits?: readonly ComparedCommit[],
  { hasAuthors = true, github = fakeGitHub(), eventName = 'push' } = {},
): Promise<{ found: readonly string[]; asked: readonly string[]; losses: readonly string[] }> {
  const inputs = agentInputs({ reviewers: { hasAuthors, names: [] }, githubToken: 'ghs_token' })
  const step = fakeStep({ inputs, github, context: { ...RUN_FACTS, eventName, payload: PUSH } })
  const found = await findChangeAuthors(commits, step)
  return { found, asked: github.asked, losses: step.journal.shortfalls.map(({ lost }) => lost) }
}

test('GitHub is asked only for those who are to be asked, and not for a change that is known', async () => {
  expect(await find(undefined, { hasAuthors: false })).toEqual({ found: [], asked: [], losses: [] })
  expect(await find([by('bob')])).toEqual({ found: ['bob'], asked: [], losses: [] })
  expect(await find()).toEqual({ found: ['ann'], asked: ['compare'], losses: [] })
})

test('where there is nothing to compare there are no authors', async () => {
  const github = fakeGitHub({ findLastSuccesses: () => Promise.resolve([]) })
  expect(await find(undefined, { github, eventName: 'schedule' })).toMatchObject({ found: [], losses: [] })
})

test('a change that GitHub does not tell has no authors, and that is said', async () => {
  const { found, losses } = await find(undefined, { github: fakeGitHub({ compare: rejecting(refusal('forbidden')) }) })
  expect(found).toEqual([])
  expect(losses).toEqual(['Could not tell who wrote the change, so they are not asked for a review'])
})
