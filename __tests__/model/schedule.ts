import fc from 'fast-check'
import { FAIL_ON } from '../../src/agent/inputs.ts'
import type { Plant } from './planted-key.ts'
import { between, mostly, upTo, weighted } from './weighted.ts'

/** Statuses after which a prompt may have been processed; the others say that it was not. */
const MAYBE_PROCESSED = [301, 302, 307, 308, 408, 409, 410, 418, 500, 502, 503, 504, 521]
const NOT_PROCESSED = [400, 401, 402, 403, 404, 405, 413, 415, 422]
/** Of these a read is tried again. */
const PASSING = [408, 425, 429, 500, 502, 503, 504]

/** How an answer asks for patience. A date is reckoned from the answer's own `Date`. */
export type RetryAfter =
  'none' | 'junk' | 'past-date' | { readonly seconds: number } | { readonly dateInSeconds: number }

const retryAfter = weighted<RetryAfter>(
  [3, fc.constantFrom('none', 'junk', 'past-date')],
  [3, fc.record({ seconds: between(-5, 90) })],
  [1, fc.record({ seconds: between(90, 2_000) })],
  [2, fc.record({ dateInSeconds: between(-50, 200) })],
)

/**
 * An answer that says that all is not well.
 * @param processed for a prompt: whether the service had processed it all the same, where such a status can follow that
 */
function refusal(statuses: readonly number[], processed: fc.Arbitrary<boolean> = fc.constant(false)) {
  return fc.record({
    kind: fc.constant('refusal' as const),
    status: fc.constantFrom(...statuses),
    retryAfter,
    processed,
    body: fc.constantFrom('error', 'html', 'empty'),
  })
}

/** Where a connection fails, in the order of a request's life. `unseen`: nobody here saw the request going out. */
const BREAKS = [
  ...(['refused', 'untrusted', 'proxy-refused', 'invalid', 'reset-in-handshake', 'reset-before-read'] as const),
  ...(['reset-after-read', 'reset-after-read-unseen', 'answer-cut-off'] as const),
]
export type Break = (typeof BREAKS)[number]

const broken = (...ways: readonly Break[]) =>
  fc.record({ kind: fc.constant('broken' as const), how: fc.constantFrom(...ways) })

/** What the service's answer looks like where it says that all is well. */
const SHAPES = ['good', 'truncated', 'html', 'null', 'wrong-id', 'bad-id', 'no-id', 'no-status'] as const
export type BodyShape = (typeof SHAPES)[number]

const answered = fc.record({
  kind: fc.constant('answered' as const),
  status: fc.constantFrom(200, 201, 202),
  body: fc.constantFrom(...SHAPES),
})

type ValueOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never

export type Happening = ValueOf<ReturnType<typeof refusal> | ReturnType<typeof broken> | typeof answered>

const good = fc.constant<Happening>({ kind: 'answered', status: 200, body: 'good' })

const post = weighted<Happening>(
  [3, good],
  [3, answered],
  [3, broken(...BREAKS)],
  [2, broken('refused')],
  [2, refusal([425, 429])],
  [1, refusal(NOT_PROCESSED)],
  [2, refusal(MAYBE_PROCESSED, fc.boolean())],
)

const read = weighted<Happening>(
  [10, good],
  [3, broken('refused', 'reset-before-read', 'answer-cut-off')],
  [3, refusal(PASSING)],
  [2, answered],
  [1, broken(...BREAKS)],
  [1, refusal([...MAYBE_PROCESSED, ...NOT_PROCESSED])],
)

const fate = (what: fc.Arbitrary<Happening>, mostTimes: number) =>
  fc.record({
    what,
    // From the request to its end; a fifth for the connection, half until the service has read it.
    delayMs: weighted([12, between(1, 400)], [2, between(400, 8_000)], [1, between(8_000, 100_000)]),
    // How many requests in a row fare like this.
    times: mostly(1, 4, between(2, mostTimes)),
  })
export type Fate = ValueOf<ReturnType<typeof fate>>

const shortTimeMs = weighted([4, upTo(20_000)], [3, between(20_000, 150_000)], [1, between(150_000, 900_000)])

const turn = (durationMs: fc.Arbitrary<number>) =>
  fc.record({
    /** From the step's beginning. The step's own turn begins with its prompt. */
    beganMs: mostly(0, 1, between(-20_000, 0)),
    durationMs,
    ending: weighted<'completed' | 'failed' | 'archived' | 'unlisted'>(
      [6, fc.constant('completed')],
      [2, fc.constant('failed')],
      [1, fc.constantFrom('archived', 'unlisted')],
    ),
    hasLink: fc.boolean(),
    // From the end of the turn until its link can be read.
    linkLateMs: mostly(0, 2, upTo(12_000)),
    // Whether the job reads `paused`, which no list has, for the first half of the turn.
    pauses: fc.boolean(),
  })
export type TurnPlan = ValueOf<ReturnType<typeof turn>>

const MAX_LAG_MS = 12_000

/**
 * Everything that decides how a run without a token for GitHub goes: schedules of every kind, with most of their weight where it
 * matters, on prompts, turns and the reads between. A plain value: it can be shrunk, printed, and kept as a test.
 */
export const arbitrarySchedule = fc.record({
  task: fc.constantFrom('create', 'follow-up', 'follow-up', 'attach'),
  wait: mostly(true, 4, fc.constant(false)),
  timeoutMs: weighted([3, between(60_000, 600_000)], [1, between(600, 60_000)]),
  pollIntervalMs: mostly<number | undefined>(undefined, 1, between(2_000, 120_000)),
  // The other two are wrong inputs without what they are about.
  failOn: fc.subarray(FAIL_ON.filter((word) => word !== 'checks' && word !== 'out-of-scope')),
  cancelAtMs: weighted<number | undefined>([3, fc.constant(undefined)], [1, upTo(1_000)], [1, upTo(200_000)]),
  wallJump: fc.record({ atMs: upTo(300_000), byMs: fc.constantFrom(0, -3_600_000, 3_600_000, 86_400_000) }),
  // What `random` gives, over and over.
  random: fc.constantFrom(0, 0.3, 0.5, 0.999),
  // One after the other; what comes after the last one is answered well.
  posts: fc.array(fate(post, 4), { maxLength: 5 }),
  reads: fc.array(fate(read, 14), { maxLength: 8 }),
  // The turn that another client's message began before the step began. It may be over, and copies may still show it.
  before: turn(mostly(0, 2, shortTimeMs)),
  // Whether a turn had completed, with the old link, before that one, so that old copies may show that.
  hadEarlierTurn: fc.boolean(),
  // The turn of this step's prompt.
  ours: turn(shortTimeMs),
  oursHasTheSameLink: fc.boolean(),
  // After a create: not found. After a message: reads as before.
  staleMs: weighted([2, fc.constant(0)], [2, upTo(20_000)], [1, between(20_000, 200_000)]),
  // The reads come from copies that are so much behind, one after the other in turn.
  lagsMs: mostly<number[]>([], 1, fc.array(mostly(0, 1, upTo(MAX_LAG_MS)), { maxLength: 5 })),
  // Whether the answer to a message shows the job as before.
  messageAnswerIsStale: fc.boolean(),
  // When somebody archives the job, if ever.
  archivedAtMs: mostly<number | undefined>(undefined, 7, upTo(200_000)),
  // How the service writes the key into its texts, if it does.
  plant: mostly<Plant>('none', 1, fc.constantFrom('raw', 'json', 'base64')),
})
export type Schedule = Readonly<ValueOf<typeof arbitrarySchedule>>

/**
 * A follow-up to a job on which another client's prompt is, or was a moment ago. Nothing fails: all that can deceive the step
 * are copies that are behind.
 */
export const arbitraryOverlap: fc.Arbitrary<Schedule> = fc
  .record({
    before: fc.tuple(turn(upTo(20_000)), between(-20_000, 0)).map(([plan, beganMs]) => ({ ...plan, beganMs })),
    hadEarlierTurn: fc.boolean(),
    ours: turn(shortTimeMs),
    oursHasTheSameLink: fc.boolean(),
    staleMs: upTo(20_000),
    lagsMs: fc.array(upTo(MAX_LAG_MS), { minLength: 1, maxLength: 5 }),
    messageAnswerIsStale: fc.boolean(),
    random: fc.constantFrom(0, 0.3, 0.5, 0.999),
    pollIntervalMs: mostly<number | undefined>(undefined, 3, between(2_000, 20_000)),
  })
  .map((drawn) => ({ ...CALM, task: 'follow-up', timeoutMs: 600_000, ...drawn }))

/** A new job whose link comes late, while many reads fail. */
export const arbitraryLateLink: fc.Arbitrary<Schedule> = fc
  .record({
    ours: fc.record({ durationMs: upTo(20_000), linkLateMs: upTo(13_000) }),
    reads: fc.array(fate(read, 14), { minLength: 1, maxLength: 8 }),
    lagsMs: mostly<number[]>([], 2, fc.array(upTo(6_000), { maxLength: 3 })),
    staleMs: mostly(0, 3, upTo(20_000)),
    random: fc.constantFrom(0, 0.3, 0.5, 0.999),
    pollIntervalMs: mostly<number | undefined>(undefined, 3, between(2_000, 120_000)),
  })
  .map(({ ours, ...drawn }) => ({ ...CALM, timeoutMs: 900_000, ...drawn, ours: { ...CALM.ours, ...ours } }))

export const LONG_AGO: TurnPlan = {
  beganMs: 0,
  durationMs: 0,
  ending: 'completed',
  hasLink: false,
  linkLateMs: 0,
  pauses: false,
}

export const CALM: Schedule = {
  task: 'create',
  wait: true,
  timeoutMs: 300_000,
  pollIntervalMs: undefined,
  failOn: ['failed', 'archived', 'timeout'],
  cancelAtMs: undefined,
  wallJump: { atMs: 0, byMs: 0 },
  random: 0.5,
  posts: [],
  reads: [],
  before: LONG_AGO,
  hadEarlierTurn: false,
  ours: { ...LONG_AGO, durationMs: 20_000, hasLink: true },
  oursHasTheSameLink: false,
  staleMs: 0,
  lagsMs: [],
  messageAnswerIsStale: false,
  archivedAtMs: undefined,
  plant: 'none',
}
