import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { getTurnStartDelayMs } from '../../../src/agent/turn/schedule.ts'
import { createTurnDetector } from '../../../src/agent/turn/send.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import type { TerminalStatus } from '../../../src/docs-service/interface.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { active, job, LINK } from '../../../testing/jobs.ts'
import { type PlayedStep, playFollowUp, playStep, type PlayStepOptions, sendElse } from '../../../testing/play-step.ts'
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

/** A prompt of another client, before the step's own one. */
const overlaps = {
  startDelayMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60_000 })),
  durationMs: fc.integer({ min: 1_000, max: 40_000 }),
  lagsMs: upTo(MAX_LAG_MS),
}

/** Checks that a step has not ended before the turn of its follow-up. */
function expectOwnEnd({ report, service, baseClock }: PlayedStep): void {
  const turns = [...service.listJobs()].find(({ id }) => id === 'job_finished')?.turns
  expect(turns).toHaveLength(3)
  if (report.outcome !== 'unconfirmed')
    expect(baseClock.wallTime().getTime()).toBeGreaterThanOrEqual(turns?.at(-1)?.endsAtMs ?? Infinity)
}

/** Sends another prompt directly before the first read of the job. @param agoMs how long before that */
const sendElseAtFirst = (agoMs = 0): NonNullable<PlayStepOptions['onRequest']> => {
  let isSent = false
  return (what, { service, nowMs }) => {
    if (what !== 'read job_finished' || isSent) return
    isSent = true
    sendElse({ service, nowMs: nowMs - agoMs })
  }
}

test('a step with a history never ends a follow-up before its turn, also if another turn has ended just now', async () => {
  // The step sees the other turn run: no replica lags behind its start.
  const courses = fc.record({ ...overlaps, otherMs: fc.integer({ min: MAX_LAG_MS, max: 30_000 }) })
  await fc.assert(
    fc.asyncProperty(courses, async ({ otherMs, startDelayMs, durationMs, lagsMs }) => {
      const turns = [{}, { durationMs: otherMs }, { startDelayMs, durationMs }]
      expectOwnEnd(await playFollowUp({}, { turns, lagsMs: [0, ...lagsMs], onRequest: sendElseAtFirst() }))
    }),
    { seed: SEED, numRuns: 25 },
  )
})

test('a step without a history never ends a follow-up before its turn, also if it has not seen another turn', async () => {
  const inputs = agentInputs({}, { 'job-id': 'job_finished' })
  const courses = fc.record({
    ...overlaps,
    /** When the other turn ends, in milliseconds since the start of the step. */
    otherEndMs: fc.integer({ min: -20_000, max: 30_000 }),
    lengthMs: fc.integer({ min: 0, max: 20_000 }),
  })
  await fc.assert(
    fc.asyncProperty(courses, async ({ otherEndMs, lengthMs, startDelayMs, durationMs, lagsMs }) => {
      // A turn that ends during the step has begun before the oldest state that a read can show.
      const otherMs = otherEndMs > 0 ? otherEndMs + MAX_LAG_MS + lengthMs : lengthMs
      const turns = [{}, { durationMs: otherMs }, { startDelayMs, durationMs }]
      expectOwnEnd(
        await playStep({ inputs, turns, lagsMs, startMs: 60_000, onRequest: sendElseAtFirst(otherMs - otherEndMs) }),
      )
    }),
    { seed: SEED, numRuns: 200 },
  )
})
