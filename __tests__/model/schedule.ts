import fc from 'fast-check'
import { FAIL_ON } from '../../src/agent/facts.ts'
import type { Plant } from './planted-key.ts'
import { between, mostly, upTo, weighted } from './weighted.ts'

/** With these statuses, the service may have processed the prompt. */
const MAYBE_PROCESSED = [301, 302, 307, 308, 408, 409, 418, 500, 502, 503, 504, 521]
const NOT_PROCESSED = [400, 401, 402, 403, 404, 405, 410, 413, 414, 415, 422, 426, 431, 451, 501, 505]

/** Reads are retried after these statuses. */
const RETRYABLE = [408, 425, 429, 500, 502, 503, 504]

/** The form of `Retry-After`. A date is relative to the response's own `Date`. */
export type RetryAfter =
  'none' | 'junk' | 'past-date' | { readonly seconds: number } | { readonly dateInSeconds: number }

const retryAfter = weighted<RetryAfter>(
  [3, fc.constantFrom('none', 'junk', 'past-date')],
  [3, fc.record({ seconds: between(-5, 90) })],
  [1, fc.record({ seconds: between(90, 2_000) })],
  [2, fc.record({ dateInSeconds: between(-50, 200) })],
)

/** @param processed whether the service processed the prompt although it responds with an error */
function errorResponse(statuses: readonly number[], processed: fc.Arbitrary<boolean> = fc.constant(false)) {
  return fc.record({
    kind: fc.constant('error' as const),
    status: fc.constantFrom(...statuses),
    retryAfter,
    processed,
    body: fc.constantFrom('error', 'html', 'empty'),
  })
}

/** Where a connection fails, in the order of a request's phases. `unseen`: the client did not see that the request was sent. */
const BREAKS = [
  'refused',
  'untrusted',
  'proxy-refused',
  'invalid',
  'reset-in-handshake',
  'reset-before-read',
  'reset-after-read',
  'reset-after-read-unseen',
  'response-cut-off',
] as const
export type Break = (typeof BREAKS)[number]

const broken = (...ways: readonly Break[]) =>
  fc.record({ kind: fc.constant('broken' as const), how: fc.constantFrom(...ways) })

/** The forms of the body of a successful response. */
const SHAPES = ['good', 'truncated', 'html', 'null', 'wrong-id', 'bad-id', 'no-id', 'no-status'] as const
export type BodyShape = (typeof SHAPES)[number]

const success = fc.record({
  kind: fc.constant('success' as const),
  status: fc.constantFrom(200, 201, 202),
  body: fc.constantFrom(...SHAPES),
})

type ArbitraryValue<A> = A extends fc.Arbitrary<infer Value> ? Value : never

export type RequestResult = ArbitraryValue<
  ReturnType<typeof errorResponse> | ReturnType<typeof broken> | typeof success
>

const good = fc.constant<RequestResult>({ kind: 'success', status: 200, body: 'good' })

const post = weighted<RequestResult>(
  [3, good],
  [3, success],
  [3, broken(...BREAKS)],
  [2, broken('refused')],
  [2, errorResponse([425, 429])],
  [1, errorResponse(NOT_PROCESSED)],
  [2, errorResponse(MAYBE_PROCESSED, fc.boolean())],
)

const read = weighted<RequestResult>(
  [10, good],
  [3, broken('refused', 'reset-before-read', 'response-cut-off')],
  [3, errorResponse(RETRYABLE)],
  [2, success],
  [1, broken(...BREAKS)],
  [1, errorResponse([...MAYBE_PROCESSED, ...NOT_PROCESSED])],
)

const requestPlan = (result: fc.Arbitrary<RequestResult>, maxTimes: number) =>
  fc.record({
    result,
    // The time of the whole request: a fifth for the connection, and half until the service has read the request.
    delayMs: weighted([12, between(1, 400)], [2, between(400, 8_000)], [1, between(8_000, 100_000)]),
    // How many consecutive requests have this result.
    times: mostly(1, 4, between(2, maxTimes)),
  })
export type RequestPlan = ArbitraryValue<ReturnType<typeof requestPlan>>

const shortTimeMs = weighted([4, upTo(20_000)], [3, between(20_000, 150_000)], [1, between(150_000, 900_000)])

const turn = (durationMs: fc.Arbitrary<number>) =>
  fc.record({
    // Relative to the step's start. Ignored for the step's own turn, which begins with its prompt.
    beganMs: mostly(0, 1, between(-20_000, 0)),
    durationMs,
    ending: weighted<'completed' | 'failed' | 'archived' | 'unlisted'>(
      [6, fc.constant('completed')],
      [2, fc.constant('failed')],
      [1, fc.constantFrom('archived', 'unlisted')],
    ),
    hasLink: fc.boolean(),
    // The time from the end of the turn until the job has the link.
    linkDelayMs: mostly(0, 2, upTo(12_000)),
    // Whether the job has an unlisted status during the first half of the turn.
    pauses: fc.boolean(),
  })
export type TurnPlan = ArbitraryValue<ReturnType<typeof turn>>

/** The lag of replicas that the rules for a follow-up assume. */
const MAX_LAG_MS = 15_000

/**
 * Everything that affects a step without a GitHub token, as a plain value that can be shrunk, printed and kept as a test. Draws
 * prompts, turns and the reads between them most often.
 */
export const arbitrarySchedule = fc.record({
  task: fc.constantFrom('create', 'follow-up', 'follow-up', 'attach'),
  wait: mostly(true, 4, fc.constant(false)),
  timeoutMs: weighted([3, between(60_000, 600_000)], [1, between(600, 60_000)]),
  pollIntervalMs: mostly<number | undefined>(undefined, 1, between(2_000, 120_000)),
  // `checks` and `out-of-scope` are rejected without the inputs that they refer to.
  failOn: fc.subarray(FAIL_ON.filter((word) => word !== 'checks' && word !== 'out-of-scope')),
  cancelAtMs: weighted<number | undefined>([3, fc.constant(undefined)], [1, upTo(1_000)], [1, upTo(200_000)]),
  wallJump: fc.record({ atMs: upTo(300_000), byMs: fc.constantFrom(0, -3_600_000, 3_600_000, 86_400_000) }),
  // The value that `random` always returns.
  random: fc.constantFrom(0, 0.3, 0.5, 0.999),
  // In order. All requests after the last entry succeed.
  posts: fc.array(requestPlan(post, 4), { maxLength: 5 }),
  reads: fc.array(requestPlan(read, 14), { maxLength: 8 }),
  // The turn of another client's prompt, before the step's start. It may have ended, and replicas may still show it.
  precedingTurn: turn(mostly(0, 2, shortTimeMs)),
  // Whether a turn had completed with the old link before the preceding turn, so that lagging replicas may show it.
  hadEarlierTurn: fc.boolean(),
  // The turn of this step's prompt.
  ownTurn: turn(shortTimeMs),
  hasSameLink: fc.boolean(),
  // How long reads do not show the prompt: 404 after a create, and the preceding turn after a message.
  staleMs: weighted([2, fc.constant(0)], [2, upTo(20_000)], [1, between(20_000, 200_000)]),
  // The replica lag of each read, repeated from the start.
  lagsMs: mostly<number[]>([], 1, fc.array(mostly(0, 1, upTo(MAX_LAG_MS)), { maxLength: 5 })),
  // Whether the response to a message still shows the preceding turn.
  isMessageResponseStale: fc.boolean(),
  // When a user archives the job; undefined for never.
  archivedAtMs: mostly<number | undefined>(undefined, 7, upTo(200_000)),
  // The encoding of the key in the service's texts, if they contain it.
  plant: mostly<Plant>('none', 1, fc.constantFrom('raw', 'json', 'base64')),
})

export type Schedule = Readonly<ArbitraryValue<typeof arbitrarySchedule>>

/**
 * A follow-up to a job that works on another client's prompt, or has just finished it. No request fails, so only replica lag can
 * mislead the step. Every read shows that the other turn has begun: one that begins later is named in docs/limits.md.
 */
export const arbitraryOverlap: fc.Arbitrary<Schedule> = fc
  .record({
    precedingTurn: fc
      .tuple(turn(upTo(20_000)), between(-35_000, -MAX_LAG_MS))
      .map(([plan, beganMs]) => ({ ...plan, beganMs })),
    hadEarlierTurn: fc.boolean(),
    ownTurn: turn(shortTimeMs),
    hasSameLink: fc.boolean(),
    staleMs: upTo(20_000),
    lagsMs: fc.array(upTo(MAX_LAG_MS), { minLength: 1, maxLength: 5 }),
    isMessageResponseStale: fc.boolean(),
    random: fc.constantFrom(0, 0.3, 0.5, 0.999),
    pollIntervalMs: mostly<number | undefined>(undefined, 3, between(2_000, 20_000)),
  })
  .map((drawn) => ({ ...CALM, task: 'follow-up', timeoutMs: 600_000, ...drawn }))

/** A new job whose link is late, while many reads fail. */
export const arbitraryLateLink: fc.Arbitrary<Schedule> = fc
  .record({
    ownTurn: fc.record({ durationMs: upTo(20_000), linkDelayMs: upTo(13_000) }),
    reads: fc.array(requestPlan(read, 14), { minLength: 1, maxLength: 8 }),
    lagsMs: mostly<number[]>([], 2, fc.array(upTo(6_000), { maxLength: 3 })),
    staleMs: mostly(0, 3, upTo(20_000)),
    random: fc.constantFrom(0, 0.3, 0.5, 0.999),
    pollIntervalMs: mostly<number | undefined>(undefined, 3, between(2_000, 120_000)),
  })
  .map(({ ownTurn, ...drawn }) => ({
    ...CALM,
    timeoutMs: 900_000,
    ...drawn,
    ownTurn: { ...CALM.ownTurn, ...ownTurn },
  }))

export const LONG_AGO: TurnPlan = {
  beganMs: 0,
  durationMs: 0,
  ending: 'completed',
  hasLink: false,
  linkDelayMs: 0,
  pauses: false,
}

export const CALM: Schedule = {
  task: 'create',
  wait: true,
  timeoutMs: 300_000,
  pollIntervalMs: undefined,
  failOn: ['failed', 'archived', 'timed-out'],
  cancelAtMs: undefined,
  wallJump: { atMs: 0, byMs: 0 },
  random: 0.5,
  posts: [],
  reads: [],
  precedingTurn: LONG_AGO,
  hadEarlierTurn: false,
  ownTurn: { ...LONG_AGO, durationMs: 20_000, hasLink: true },
  hasSameLink: false,
  staleMs: 0,
  lagsMs: [],
  isMessageResponseStale: false,
  archivedAtMs: undefined,
  plant: 'none',
}
