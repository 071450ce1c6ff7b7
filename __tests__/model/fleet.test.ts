import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createRandom } from '../../src/emulator/service/random.ts'
import { IS_SOAK, SEED } from '../support/seed.ts'
import { figuresOf, playFleet, type FleetEnd, type FleetPlan } from './fleet.ts'
import type { LimitPlan } from './rate-limit.ts'

const TWO_A_SECOND = { everyMs: 500 } as const
const LIMITS: readonly LimitPlan[] = [
  { ...TWO_A_SECOND, kind: 'window', burst: 2, retryAfter: true },
  { ...TWO_A_SECOND, kind: 'bucket', burst: 10, retryAfter: false },
]

test.each(LIMITS)('a hundred steps at once share two requests a second well: %j', async (limit) => {
  const figures = []
  for (const seed of [1, 2]) {
    const plan = { steps: 100, limit, startsWithinMs: 1_000, random: createRandom(seed) }
    const end = await playFleet(plan)
    expect(problemOf(plan, end)).toBeUndefined()
    figures.push(figuresOf(plan, end))
  }
  const [one, two] = figures
  const mean = (name: 'time' | 'refusedForEachAnswered'): number => ((one?.[name] ?? NaN) + (two?.[name] ?? NaN)) / 2
  expect(mean('time')).toBeLessThanOrEqual(1.5)
  expect(mean('refusedForEachAnswered')).toBeLessThan(1)
  // None starves.
  figures.forEach(({ lastToMedian }) => {
    expect(lastToMedian).toBeLessThanOrEqual(3)
  })
})

const inSoak = IS_SOAK ? test : test.skip

inSoak.each(LIMITS)('a thousand take no more than 1.3 times the least: %j', async (limit) => {
  const plan = { steps: 1_000, limit, startsWithinMs: 1_000, random: createRandom(1) }
  const { time, lastToMedian } = figuresOf(plan, await playFleet(plan))
  expect(time).toBeLessThanOrEqual(1.3)
  expect(lastToMedian).toBeLessThanOrEqual(3)
})

const GRACE_MS = 2_000
/** A wait that does not fit is one of a second at least, and a service that names no time has none to be told. */
const SHORTEST_WAIT_MS = 1_000

/** What must hold whatever the limit; undefined if it does. */
function problemOf({ timeoutMs = 3_600_000 }: FleetPlan, { steps, jobs }: FleetEnd): string | undefined {
  const ids: string[] = []
  for (const { beganAt, endedAt, played } of steps) {
    const { outputs, conclusion, report } = played
    if (endedAt > beganAt + timeoutMs + GRACE_MS)
      return `A step ended ${endedAt - beganAt - timeoutMs} ms after its deadline.`
    if (conclusion.isGreen && outputs['status'] !== 'completed') return 'A step is green without the end of its job.'
    const isEarly = endedAt < beganAt + timeoutMs - SHORTEST_WAIT_MS - 100 && !conclusion.isGreen
    if (isEarly && report.error?.message.includes(" UTC, which is after this step's deadline") !== true)
      return `A step gave up early, and named no time: ${report.error?.message ?? ''}`
    if (outputs['job-id'] !== '') ids.push(outputs['job-id'] ?? '')
  }
  if (new Set(ids).size < ids.length) return 'Two steps name the same job.'
  return jobs === ids.length ? undefined : `There are ${jobs} jobs, and ${ids.length} are named.`
}

const arbitraryPlan = fc.record({
  steps: fc.integer({ min: 1, max: 8 }),
  limit: fc.record({
    kind: fc.constantFrom('window' as const, 'bucket' as const),
    everyMs: fc.constantFrom(100, 500, 5_000, 60_000),
    burst: fc.integer({ min: 1, max: 4 }),
    retryAfter: fc.constantFrom(true, false, 0, 30_000, 1e9),
  }),
  startsWithinMs: fc.constantFrom(0, 1_000, 60_000),
  timeoutMs: fc.constantFrom(1_000, 30_000, 90_000, 600_000),
  seed: fc.integer({ min: 1, max: 1_000 }),
})

test('whatever the limit, no step has two jobs, none is lost, and each ends by its deadline', async () => {
  const endings = new Set<string>()
  const property = fc.asyncProperty(arbitraryPlan, async ({ seed, ...given }) => {
    const plan = { ...given, random: createRandom(seed) }
    const end = await playFleet(plan)
    end.steps.forEach(({ played }) => endings.add(played.outputs['outcome'] ?? ''))
    const problem = problemOf(plan, end)
    if (problem !== undefined) throw new Error(problem)
  })
  await fc.assert(property, { numRuns: IS_SOAK ? 2_000 : 60, seed: SEED })
  expect([...endings].sort()).toEqual(['error', 'pull-request', 'timed-out'])
})
