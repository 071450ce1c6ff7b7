import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { getTurnStartDelayMs } from '../../../src/agent/turn/schedule.ts'
import { plainTarget } from '../../../src/agent/turn/target.ts'
import { createTurnDetector, runTurn } from '../../../src/agent/turn/send.ts'
import type { DocsServiceClient } from '../../../src/docs-service/client.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import type { TerminalStatus } from '../../../src/docs-service/interface.ts'
import { active, fakeClient, job, LINK } from '../../../testing/fake-client.ts'
import { fakeClock } from '../../../testing/fake-clock.ts'
import { fakeStep, watchJobs } from '../../../testing/fake-step.ts'
import { FOLLOW_UP } from '../../../testing/report.ts'
import { SEED } from '../../../testing/seed.ts'

const MAX_LAG_MS = 15_000
const MAX_LATENCY_MS = 3_000

/** An agent that works on a prompt after a queue, behind replicas that lag. Knows nothing of the code under test. */
interface Course {
  /** From the acceptance of the prompt until its turn begins. */
  readonly queueMs: number
  readonly turnMs: number
  readonly before: Job
  readonly after: Job
  /** Whether the service drops the link when it accepts the prompt, before the turn begins. */
  readonly dropsLink: boolean
  /** The lags of the reads, in a cycle. */
  readonly lagsMs: readonly number[]
  /** How long the requests and the responses are on their way, in a cycle. */
  readonly requestsMs: readonly number[]
  readonly responsesMs: readonly number[]
  /** The pause between two reads of a turn that has begun. */
  readonly pauseMs: number
}

const ends = fc
  .record({
    status: fc.constantFrom<TerminalStatus>('completed', 'failed'),
    prLink: fc.constantFrom(LINK, LINK.replace(/7$/, '8')),
  })
  .map(job)

const upTo = (max: number): fc.Arbitrary<readonly number[]> =>
  fc.array(fc.oneof(fc.constant(0), fc.constant(max), fc.integer({ min: 0, max })), { minLength: 1, maxLength: 6 })

const courses: fc.Arbitrary<Course> = fc
  .record({
    queueMs: fc.integer({ min: 0, max: 60_000 }),
    turnMs: fc.oneof(fc.integer({ min: 1_000, max: 20_000 }), fc.integer({ min: 20_000, max: 300_000 })),
    before: ends,
    after: fc.option(ends, { nil: undefined, freq: 2 }),
    dropsLink: fc.boolean(),
    lagsMs: upTo(MAX_LAG_MS),
    requestsMs: upTo(MAX_LATENCY_MS),
    responsesMs: upTo(MAX_LATENCY_MS),
    pauseMs: fc.integer({ min: 100, max: 10_000 }),
  })
  // Most turns end like the one before.
  .map(({ after, ...course }) => ({ ...course, after: after ?? course.before }))

/** The state of the job, in milliseconds since the prompt was accepted. */
function getState({ queueMs, turnMs, before, after, dropsLink }: Course, atMs: number): Job {
  if (atMs < queueMs) return dropsLink && atMs >= 0 ? { ...before, prLink: undefined } : before
  return atMs < queueMs + turnMs ? active : after
}

interface Detected {
  /** When the response arrived that was taken for the end, in milliseconds since the prompt. Undefined: none within an hour. */
  readonly endAtMs: number | undefined
  readonly hasSeenTurn: boolean
}

/** Reads a job as a step does, and asks the detector about each response. */
function detect(course: Course): Detected {
  const { before, lagsMs, requestsMs, responsesMs, pauseMs } = course
  const cycle = (values: readonly number[], index: number): number => values[index % values.length] ?? 0
  let nowMs = 0
  const detector = createTurnDetector(before, () => nowMs)
  let hasStarted = false
  for (let reads = 0; nowMs < 3_600_000; reads++) {
    nowMs += hasStarted
      ? pauseMs
      : getTurnStartDelayMs(undefined, { elapsedMs: nowMs, reads, minDelayMs: 0, random: 0.5 })
    const requestedAtMs = nowMs
    nowMs += cycle(requestsMs, reads)
    const read = getState(course, nowMs - cycle(lagsMs, reads))
    nowMs += cycle(responsesMs, reads)
    hasStarted = detector.hasStarted(read) || hasStarted
    if (detector.hasEnded(read, requestedAtMs)) return { endAtMs: nowMs, hasSeenTurn: hasStarted }
  }
  return { endAtMs: undefined, hasSeenTurn: hasStarted }
}

test('never takes a read for the end of a turn that has not ended, for any queue, lag and length', () => {
  fc.assert(
    fc.property(courses, (course) => {
      const { endAtMs = Infinity } = detect(course)
      expect(endAtMs).toBeGreaterThanOrEqual(course.queueMs + course.turnMs)
    }),
    { seed: SEED, numRuns: 2_000 },
  )
})

test('detects the end of every turn that it has seen to begin, at the latest half a minute after it', () => {
  fc.assert(
    fc.property(courses, (course) => {
      const { endAtMs, hasSeenTurn } = detect(course)
      const { queueMs, turnMs } = course
      const mostMs = 2 * MAX_LAG_MS + 4 * MAX_LATENCY_MS + 10_000
      if (hasSeenTurn) expect(endAtMs).toBeLessThanOrEqual(queueMs + turnMs + mostMs)
    }),
    { seed: SEED, numRuns: 1_000 },
  )
})

interface EarlierTurn {
  /** When an earlier turn ends, in milliseconds since the start of the step. It began before the lag of the replicas. */
  readonly earlierEndMs: number
  /** Whether the history shows that no turn has ended within the lag before the step. */
  readonly hasOldHistory: boolean
}

/** Plays a whole follow-up to a job that has worked on an earlier prompt. */
async function playCourse(course: Course & EarlierTurn) {
  const { queueMs, turnMs, before, lagsMs, earlierEndMs, hasOldHistory } = course
  const target = {
    ...plainTarget(FOLLOW_UP),
    idleWaitMs: () => Promise.resolve(hasOldHistory ? 0 : MAX_LAG_MS),
  }
  let acceptedAtMs = Infinity
  const clock = fakeClock()
  let reads = 0
  const getStateNow = (): Job => {
    const atMs = clock.passed() - (lagsMs[reads++ % lagsMs.length] ?? 0)
    if (atMs >= acceptedAtMs) return getState(course, atMs - acceptedAtMs)
    return atMs < earlierEndMs ? active : before
  }
  const client: DocsServiceClient = {
    ...fakeClient({}),
    getJob: () => Promise.resolve(getStateNow()),
    sendMessage: () => {
      acceptedAtMs = clock.passed()
      return Promise.resolve({ kind: 'accepted', job: active })
    },
  }
  const { end } = await runTurn(target, watchJobs(fakeStep({ client, clock })))
  return { end, elapsedMs: clock.passed(), endAtMs: acceptedAtMs + queueMs + turnMs }
}

test('a step never ends a follow-up before its turn, also if an earlier turn has ended just now', async () => {
  const unknown = fc.record({
    earlierEndMs: fc.integer({ min: -20_000, max: 30_000 }),
    hasOldHistory: fc.constant(false),
  })
  // The step has seen this turn run, or it has ended long ago.
  const known = fc.record({
    earlierEndMs: fc.oneof(fc.constant(-MAX_LAG_MS), fc.integer({ min: MAX_LAG_MS, max: 60_000 })),
    hasOldHistory: fc.constant(true),
  })
  const all = fc.tuple(courses, fc.oneof(unknown, known)).map(([course, earlier]) => ({ ...course, ...earlier }))
  await fc.assert(
    fc.asyncProperty(all, async (course) => {
      const { end, elapsedMs, endAtMs } = await playCourse(course)
      if (end !== 'unconfirmed') expect(elapsedMs).toBeGreaterThanOrEqual(endAtMs)
    }),
    { seed: SEED, numRuns: 200 },
  )
})
