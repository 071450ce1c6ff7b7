import { expect, test } from '@jest/globals'
import { HeadTracker } from '../../src/agent/head-tracker.ts'
import type { PullRequest } from '../../src/github/pull-requests.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, pullCommits } from '../support/fake-github.ts'
import { fakeStep, type StepFields } from '../support/fake-step.ts'

const at = (headSha: string): PullRequest => ({ ...PULL_REQUEST, headSha })
/** The heads that a step comes to see, where its GitHub shows these one after the other. */
const headsOf = (shas: string, fields: StepFields = {}, ...more: readonly PullRequest[]): HeadTracker =>
  new HeadTracker(
    fakeStep({ ...fields, github: fakeGitHub({ readPullRequest: inTurn(...Array.from(shas, at), ...more) }) }),
  )

test.each([
  ['heads that move on are given as they are read', 'abc', 60_000, ['abc', 0]],
  ['an old copy is read again', 'abab', 60_000, ['abb', 5_000]],
  ['several old copies are read again', 'abcabac', 60_000, ['abcc', 15_000]],
  ['a branch that is put back is believed once that stands', 'abaaaaaaab', 60_000, ['abaa', 15_000]],
  ['an older head that comes in between does not stand', 'abcaabbbbc', 60_000, ['abcb', 25_000]],
  ['what was seen newer stays if no time is left to read again', 'abaaaa', 14_000, ['abb', 0]],
] as const)('%s', async (_name, shas, timeoutMs, [found, ms]) => {
  const clock = fakeClock()
  const seen = headsOf(shas, { clock, timeoutMs })
  let all = ''
  while (all.length < found.length) all += (await seen.read(PULL_REQUEST)).headSha
  expect([all, clock.passed()]).toEqual([found, ms])
})

test('each pull request has its own heads, whatever the case of its repository', async () => {
  const other = { ...at('a'), number: 8 }
  const seen = headsOf('ab', {}, other)
  await seen.read(PULL_REQUEST)
  await seen.read(PULL_REQUEST)
  expect(await seen.read(other)).toBe(other)
  expect(seen.newest({ repository: 'ACME/docs', number: 7 })?.headSha).toBe('b')
  expect(seen.newest({ repository: 'acme/docs', number: 9 })).toBeUndefined()
})

test('a head stands after 15 s without another one, and is not known if the deadline comes first', async () => {
  const standing = async (shas: string, timeoutMs: number): Promise<[string | undefined, number]> => {
    const clock = fakeClock()
    const found = await headsOf(shas, { clock, timeoutMs }).readStable(PULL_REQUEST)
    return [found?.headSha, clock.passed()]
  }
  expect(await standing('aaaa', 60_000)).toEqual(['a', 15_000])
  expect(await standing('aabbbb', 60_000)).toEqual(['b', 25_000])
  expect(await standing('aabbbb', 24_000)).toEqual([undefined, 10_000])
  expect(await standing('a', 14_999)).toEqual([undefined, 0])
})

test('commits are listed once for a head, again if it moves, and a list that lacks the head is not kept', async () => {
  const seen = new HeadTracker(fakeStep())
  const [a, old, b] = [pullCommits({ sha: 'a' }), pullCommits({ sha: 'a' }), pullCommits({ sha: 'a' }, { sha: 'b' })]
  const github = fakeGitHub({ listPullRequestCommits: inTurn(a, old, b) })
  const lists: unknown[] = []
  for (const head of 'aabbba') lists.push(await seen.listCommits(at(head), github))
  expect(lists).toEqual([a, a, old, b, b, b])
  expect(github.asked).toHaveLength(4)
})
