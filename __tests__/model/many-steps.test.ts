import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { DRAWING_TEST_TIMEOUT_MS, MUST_VARY, RUNS, SEED } from '../../testing/seed.ts'
import {
  HOURLY_LIMIT,
  measurePlans,
  planSteps,
  playSteps,
  type StepsEnd,
  type StepsPlan,
  type LimitPlan,
} from './many-steps.ts'
import { checkCases } from './check-cases.ts'
import { checkEndsInTime } from './shown-invariants.ts'

jest.setTimeout(DRAWING_TEST_TIMEOUT_MS)

/** Two kinds of limit that allow two requests a second. */
const LIMITS: readonly LimitPlan[] = [
  { everyMs: 500, kind: 'window', burst: 2, retryAfter: true },
  { everyMs: 500, kind: 'bucket', burst: 10, retryAfter: false },
]
const HOUR_MS = 3_600_000
/** The minimum wait of a step after a 429 response without `Retry-After`. */
const MIN_WAIT_MS = 1_000

/** The time before the deadline that a step reserves for the response to its prompt. */
const getResponseMs = (timeoutMs: number): number => Math.min(10_000, timeoutMs / 10)

/** Checks what must hold for every limit. Returns what is wrong, or undefined. */
function findProblem({ timeoutMs = HOUR_MS }: StepsPlan, { steps, jobs }: StepsEnd): string | undefined {
  for (const { beganAt, endedAt, played } of steps) {
    const { outputs, isGreen, report } = played
    const deadlineAt = beganAt + timeoutMs
    const problem = checkEndsInTime(endedAt, deadlineAt)
    if (problem !== undefined) return problem
    if (isGreen && outputs['status'] !== 'completed') return 'A step is green, but its job has not completed.'
    const isEarly = endedAt < deadlineAt - getResponseMs(timeoutMs) - MIN_WAIT_MS - 100 && !isGreen
    const namesTheTime = / UTC, which (?:is after|leaves too little time for a response before) this step's deadline\./
    if (isEarly && !namesTheTime.test(report.error?.message ?? ''))
      return `A step stopped early, and did not name the time of the next try: ${report.error?.message ?? ''}`
  }
  const ids = steps.map(({ played }) => played.outputs['job-id'] ?? '').filter((id) => id !== '')
  if (new Set(ids).size < ids.length) return 'Two steps report the same job.'
  return jobs === ids.length ? undefined : `The service has ${jobs} jobs, and the steps reported ${ids.length}.`
}

function expectNoProblem(plan: StepsPlan, end: StepsEnd): void {
  expect(findProblem(plan, end)).toBeUndefined()
  expect(end.steps.map(({ played }) => played.outputs['outcome'])).toEqual(plan.starts.map(() => 'pull-request'))
}

/** Plans steps that begin within a second, for each limit and seed. */
const planForEachLimit = (steps: number, seeds: number): StepsPlan[] =>
  LIMITS.flatMap((limit) => Array.from({ length: seeds }, (_, index) => planSteps(steps, 1_000, index + 1, limit)))

// Many steps use fewer seeds to save time.
test.each([
  [1, 20, 1.2, 0],
  [3, 10, 1.5, 0.1],
  [10, 5, 1.5, 0.5],
  [30, 2, 2.3, 1.5],
  [100, 1, 1.75, 3],
])(
  '%d steps under one key (the mean of %d seeds) take at most %d times the minimum time, with at most %d refusals per response',
  async (steps, seeds, maxTime, maxRefusals) => {
    const figures = await measurePlans(planForEachLimit(steps, seeds), expectNoProblem)
    expect(figures.time).toBeLessThanOrEqual(maxTime)
    expect(figures.refusalsPerResponse).toBeLessThanOrEqual(maxRefusals)
    // No step waits much longer than the others.
    expect(figures.slowestToMedian).toBeLessThanOrEqual(2.5)
  },
)

test('130 steps with a limit of 100 prompts per hour continue without delay in the next hour', async () => {
  const plan = { ...planSteps(130, 1_000, 1, HOURLY_LIMIT), timeoutMs: 2 * HOUR_MS }
  const figures = await measurePlans([plan], expectNoProblem)
  expect(figures.time).toBeLessThanOrEqual(1.05)
  expect(figures.refusalsPerResponse).toBeLessThanOrEqual(0.1)
})

/** Takes too long for each `npm test`. */
const testOfManyRuns = RUNS > 1 ? test : test.skip

testOfManyRuns(
  '1,000 steps under one key take at most 1.15 times the minimum time, with at most 25 refusals per response',
  async () => {
    const plans = LIMITS.map((limit) => planSteps(1_000, 1_000, SEED, limit))
    const figures = await measurePlans(plans, expectNoProblem)
    expect(figures.time).toBeLessThanOrEqual(1.15)
    expect(figures.refusalsPerResponse).toBeLessThanOrEqual(25)
  },
)

const arbitrarySteps = fc.record({
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

const PLANS = 20
const ALL_ENDINGS = ['error', 'pull-request', 'timed-out']

test('for every limit, each step has one job at most, reports it, and ends by its deadline', async () => {
  const endings = new Set<string>()
  await checkCases(arbitrarySteps, PLANS, async ({ steps, limit, withinMs, timeoutMs, seed }) => {
    const plan = { ...planSteps(steps, withinMs, seed, limit), timeoutMs }
    const end = await playSteps(plan)
    end.steps.forEach(({ played }) => endings.add(played.outputs['outcome'] ?? ''))
    const problem = findProblem(plan, end)
    return { problems: problem === undefined ? [] : [problem], log: [] }
  })
  expect(MUST_VARY ? [...endings].sort() : ALL_ENDINGS).toEqual(ALL_ENDINGS)
})
