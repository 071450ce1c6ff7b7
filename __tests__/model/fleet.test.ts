import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createRandom } from '../../src/emulator/service/random.ts'
import { IS_SOAK } from '../support/seed.ts'
import { playFleet, type FleetEnd, type FleetPlan, type LimitPlan } from './fleet.ts'
import { holdAlways } from './hold-always.ts'
import { endsInTime } from './shown-promises.ts'

/** So many steps that begin at random times within one. */
function planOf(steps: number, withinMs: number, seed: number, limit: LimitPlan): FleetPlan {
  const random = createRandom(seed)
  return { starts: Array.from({ length: steps }, () => random() * withinMs), limit, random }
}

const LIMITS: readonly LimitPlan[] = [
  { everyMs: 500, kind: 'window', burst: 2, retryAfter: true },
  { everyMs: 500, kind: 'bucket', burst: 10, retryAfter: false },
]
const JOB_MS = 20_000
const [STEPS, MOST_TIME] = IS_SOAK ? [1_000, 1.3] : [100, 1.5]

test.each(LIMITS)(`${STEPS} steps at once share two requests a second well: %j`, async (limit) => {
  let [sumOfTimes, sumOfRefused] = [0, 0]
  for (const seed of [1, 2]) {
    const plan = planOf(STEPS, 1_000, seed, limit)
    const end = await playFleet(plan)
    expect(problemOf(plan, end)).toBeUndefined()
    const lastMs = Math.max(...end.steps.map(({ endedAt }) => endedAt))
    const prompts = (STEPS - limit.burst) * limit.everyMs
    // The least are two requests for each step: its prompt, and the read that sees the end of its job.
    sumOfTimes += lastMs / Math.max(prompts + STEPS * limit.everyMs, prompts + JOB_MS)
    sumOfRefused += end.refused / end.answered
    const times = end.steps.map(({ beganAt, endedAt }) => endedAt - beganAt).sort((a, b) => a - b)
    // None starves.
    expect((times.at(-1) ?? 0) / (times[STEPS / 2] ?? 1)).toBeLessThanOrEqual(3)
  }
  expect(sumOfTimes / 2).toBeLessThanOrEqual(MOST_TIME)
  expect(sumOfRefused / 2).toBeLessThan(1)
})

/** A wait that does not fit is one of a second at least, and a service that names no time has none to be told. */
const SHORTEST_WAIT_MS = 1_000

/** What must hold whatever the limit; undefined if it does. */
function problemOf({ timeoutMs = 3_600_000 }: FleetPlan, { steps, jobs }: FleetEnd): string | undefined {
  for (const { beganAt, endedAt, played } of steps) {
    const { outputs, isGreen, report } = played
    const deadlineAt = beganAt + timeoutMs
    const problem = endsInTime(endedAt, deadlineAt)
    if (problem !== undefined) return problem
    if (isGreen && outputs['status'] !== 'completed') return 'A step is green without the end of its job.'
    const isEarly = endedAt < deadlineAt - SHORTEST_WAIT_MS - 100 && !isGreen
    if (isEarly && report.error?.message.includes(" UTC, which is after this step's deadline") !== true)
      return `A step gave up early, and named no time: ${report.error?.message ?? ''}`
  }
  const ids = steps.map(({ played }) => played.outputs['job-id'] ?? '').filter((id) => id !== '')
  if (new Set(ids).size < ids.length) return 'Two steps name the same job.'
  return jobs === ids.length ? undefined : `There are ${jobs} jobs, and ${ids.length} are named.`
}

const arbitraryFleet = fc.record({
  steps: fc.integer({ min: 1, max: 8 }),
  limit: fc.record({
    kind: fc.constantFrom('window' as const, 'bucket' as const),
    everyMs: fc.constantFrom(100, 500, 5_000, 60_000),
    burst: fc.integer({ min: 1, max: 4 }),
    retryAfter: fc.constantFrom(true, false, 0, 30_000, 1e9),
  }),
  withinMs: fc.constantFrom(0, 1_000, 60_000),
  timeoutMs: fc.constantFrom(1_000, 30_000, 90_000, 600_000),
  seed: fc.integer({ min: 1, max: 1_000 }),
})

test('whatever the limit, no step has two jobs, none is lost, and each ends by its deadline', async () => {
  const endings = new Set<string>()
  await holdAlways(arbitraryFleet, IS_SOAK ? 2_000 : 60, async ({ steps, limit, withinMs, timeoutMs, seed }) => {
    const plan = { ...planOf(steps, withinMs, seed, limit), timeoutMs }
    const end = await playFleet(plan)
    end.steps.forEach(({ played }) => endings.add(played.outputs['outcome'] ?? ''))
    const problem = problemOf(plan, end)
    return { problems: problem === undefined ? [] : [problem], log: [] }
  })
  expect([...endings].sort()).toEqual(['error', 'pull-request', 'timed-out'])
})
