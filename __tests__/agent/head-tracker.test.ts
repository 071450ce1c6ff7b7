import { expect, test } from '@jest/globals'
import { HeadTracker } from '../../src/agent/head-tracker.ts'
import type { PullRequest } from '../../src/github/pull-requests.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { fakeGitHub, resolveInOrder, PULL_REQUEST, pullCommits } from '../support/fake-github.ts'
import { fakeStep, type StepFields } from '../support/fake-step.ts'

const at = (headSha: string): PullRequest => ({ ...PULL_REQUEST, headSha })
/** Creates the tracker of a step whose GitHub shows these heads in order. */
const createTracker = (shas: string, fields: StepFields = {}, ...more: readonly PullRequest[]): HeadTracker =>
  new HeadTracker(
    fakeStep({ ...fields, github: fakeGitHub({ readPullRequest: resolveInOrder(...Array.from(shas, at), ...more) }) }),
  )

test.each([
  ['returns heads that move as they are read', 'abc', 60_000, ['abc', 0]],
  ['reads again after a stale read', 'abab', 60_000, ['abb', 5_000]],
  ['reads again after several stale reads', 'abcabac', 60_000, ['abcc', 15_000]],
  ['returns an earlier head once it is stable', 'abaaaaaaab', 60_000, ['abaa', 15_000]],
  [
    'does not treat an earlier head as stable if another one is read in between',
    'abcaabbbbc',
    60_000,
    ['abcb', 25_000],
  ],
  ['returns the newest head if no time is left to read again', 'abaaaa', 14_000, ['abb', 0]],
] as const)('%s', async (_name, shas, timeoutMs, [found, ms]) => {
  const clock = fakeClock()
  const heads = createTracker(shas, { clock, timeoutMs })
  let all = ''
  while (all.length < found.length) all += (await heads.read(PULL_REQUEST)).headSha
  expect([all, clock.passed()]).toEqual([found, ms])
})

test('tracks each pull request separately, regardless of the case of its repository', async () => {
  const other = { ...at('a'), number: 8 }
  const heads = createTracker('ab', {}, other)
  await heads.read(PULL_REQUEST)
  await heads.read(PULL_REQUEST)
  expect(await heads.read(other)).toBe(other)
  expect(heads.newest({ repository: 'ACME/docs', number: 7 })?.headSha).toBe('b')
  expect(heads.newest({ repository: 'acme/docs', number: 9 })).toBeUndefined()
})

test('a head is stable after 15 s without another one, and unknown if the deadline comes first', async () => {
  const readStable = async (shas: string, timeoutMs: number): Promise<[string | undefined, number]> => {
    const clock = fakeClock()
    const found = await createTracker(shas, { clock, timeoutMs }).readStable(PULL_REQUEST)
    return [found?.headSha, clock.passed()]
  }
  expect(await readStable('aaaa', 60_000)).toEqual(['a', 15_000])
  expect(await readStable('aabbbb', 60_000)).toEqual(['b', 25_000])
  expect(await readStable('aabbbb', 24_000)).toEqual([undefined, 10_000])
  expect(await readStable('a', 14_999)).toEqual([undefined, 0])
})

test('lists commits once for a head, again if it moves, and does not reuse a list without the head', async () => {
  const heads = new HeadTracker(fakeStep())
  const [a, old, b] = [pullCommits({ sha: 'a' }), pullCommits({ sha: 'a' }), pullCommits({ sha: 'a' }, { sha: 'b' })]
  const github = fakeGitHub({ listPullRequestCommits: resolveInOrder(a, old, b) })
  const lists: unknown[] = []
  for (const head of 'aabbba') lists.push(await heads.listCommits(at(head), github))
  expect(lists).toEqual([a, a, old, b, b, b])
  expect(github.calls).toHaveLength(4)
})
