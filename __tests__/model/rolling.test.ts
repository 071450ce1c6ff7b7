import { expect, test } from '@jest/globals'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { mergePull, pushCommit } from '../../src/emulator/github/repository-events.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { goOn, type World } from '../support/embedded-world.ts'

const openIn = ({ pulls }: RepositoryState): readonly number[] =>
  Object.keys(pulls)
    .map(Number)
    .filter((number) => pulls[number]?.state === 'open' && pulls[number].labels.length > 0)

test('ten pushes after a first step leave one open pull request at a time, each change is told once, and nothing is paid twice', async () => {
  const open: number[] = []
  const taken: World['taken'][number][] = []
  let after = await goOn({}, { github: combineScenarios([]), turns: [{ durationMs: 60_000 }] })
  for (let push = 1; push <= 10; push++) {
    const { docs, world } = after
    const nowMs = world.wallTime().getTime()
    // The seventh one comes after a merge.
    if (push === 7) for (const number of openIn(docs)) mergePull(docs, number, 'mona', nowMs)
    const before = docs.branches['main'] ?? ''
    const { sha } = pushCommit(docs, 'main', { message: `Change ${push}.`, author: 'mona', files: [] }, nowMs)
    const payload = { ref: 'refs/heads/main', before, after: sha, commits: [{ id: sha }] }
    // The agent still works on the third change when the fourth one comes.
    const given = { 'change-context': 'commits', 'timeout-minutes': push === 3 ? '0.5' : '60' }
    const onAsked = (): unknown => open.push(openIn(docs).length)
    after = await goOn(given, { after, onAsked, facts: { eventName: 'push', payload } })
    taken.push(...after.taken)
  }
  expect(taken.map(([to]) => to)).toEqual([
    ...Array<string>(6).fill('job_000001'),
    ...['create', ...Array<string>(3).fill('job_000002')],
  ])
  const told = taken.map(([, prompt]) => /Change (\d+)\./.exec(prompt)?.[1])
  expect(told).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 1}`))
  expect([Math.max(...open), openIn(after.docs).length]).toEqual([1, 1])
})
