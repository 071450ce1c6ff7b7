import fc from 'fast-check'
import { FAIL_ON } from '../../src/agent/inputs/fail-on.ts'
import type { Plant } from './planted-key.ts'
import type { Fate, Happening, RetryAfter, Schedule, TurnPlan } from './schedule.ts'

/** Statuses after which a prompt may have been processed; the others say that it was not. */
const MAYBE_PROCESSED = [301, 302, 307, 308, 408, 409, 410, 418, 500, 502, 503, 504, 521]
const NOT_PROCESSED = [400, 401, 402, 403, 404, 405, 413, 415, 422]
/** Of these a read is tried again. */
const PASSING = [408, 425, 429, 500, 502, 503, 504]

/** Some of these, each with how often it is drawn. */
export const weighted = <T>(
  ...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]
): fc.Arbitrary<T> => fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** The usual one so many times as often as one of the others. */
export const mostly = <T>(usual: T, weight: number, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  weighted([weight, fc.constant(usual)], [1, others])

const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max })
const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max })

const delayMs = weighted([12, between(1, 400)], [2, between(400, 8_000)], [1, between(8_000, 100_000)])

const retryAfter = weighted<RetryAfter>(
  [3, fc.constantFrom('none', 'junk', 'past-date')],
  [3, fc.record({ seconds: between(-5, 90) })],
  [1, fc.record({ seconds: between(90, 2_000) })],
  [2, fc.record({ dateInSeconds: between(-50, 200) })],
)

function refusal(statuses: readonly number[], processed = fc.constant<boolean>(false)): fc.Arbitrary<Happening> {
  return fc.record({
    kind: fc.constant('refusal'),
    status: fc.constantFrom(...statuses),
    retryAfter,
    processed,
    body: fc.constantFrom('error', 'html', 'empty'),
  })
}

type Break = Extract<Happening, { kind: 'broken' }>['how']

const broken = (...ways: readonly Break[]): fc.Arbitrary<Happening> =>
  fc.record({ kind: fc.constant('broken'), how: fc.constantFrom(...ways) })

const good = fc.constant<Happening>({ kind: 'answered', status: 200, body: 'good' })

const answered: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constant('answered'),
  status: fc.constantFrom(200, 201, 202),
  body: fc.constantFrom('good', 'truncated', 'html', 'null', 'wrong-id', 'bad-id', 'no-id', 'no-status'),
})

const anyBreak = broken(
  'refused',
  'reset-in-handshake',
  'reset-before-read',
  'reset-after-read',
  'reset-after-read-unseen',
  'answer-cut-off',
  'untrusted',
  'proxy-refused',
  'invalid',
)

const post = weighted(
  [3, good],
  [3, answered],
  [3, anyBreak],
  [2, broken('refused')],
  [2, refusal([425, 429])],
  [1, refusal(NOT_PROCESSED)],
  [2, refusal(MAYBE_PROCESSED, fc.boolean())],
)

const read = weighted(
  [10, good],
  [3, broken('refused', 'reset-before-read', 'answer-cut-off')],
  [3, refusal(PASSING)],
  [2, answered],
  [1, anyBreak],
  [1, refusal([...MAYBE_PROCESSED, ...NOT_PROCESSED])],
)

const fates = (what: fc.Arbitrary<Happening>, maxLength: number, mostTimes: number): fc.Arbitrary<Fate[]> =>
  fc.array(fc.record({ what, delayMs, times: mostly(1, 4, between(2, mostTimes)) }), { maxLength })

const shortTimeMs = weighted([4, upTo(20_000)], [3, between(20_000, 150_000)], [1, between(150_000, 900_000)])

const turn = (durationMs: fc.Arbitrary<number>): fc.Arbitrary<TurnPlan> =>
  fc.record({
    durationMs,
    ending: weighted<TurnPlan['ending']>(
      [6, fc.constant('completed')],
      [2, fc.constant('failed')],
      [1, fc.constantFrom('archived', 'unlisted')],
    ),
    hasLink: fc.boolean(),
    linkLateMs: mostly(0, 2, upTo(12_000)),
    pauses: fc.boolean(),
  })

const LONGEST_LAG_MS = 12_000

/** What was stale by both at once would last longer than the service's copies do. */
function boundStaleness(schedule: Schedule): Schedule {
  const { lagsMs, staleMs } = schedule
  return lagsMs.length === 0
    ? schedule
    : { ...schedule, staleMs: Math.min(staleMs, LONGEST_LAG_MS - Math.max(...lagsMs)) }
}

/** Schedules of every kind, with most of their weight where it matters: on prompts, turns and the reads between. */
export const arbitrarySchedule: fc.Arbitrary<Schedule> = fc
  .record({
    task: fc.constantFrom('create', 'follow-up', 'follow-up', 'attach'),
    wait: mostly(true, 4, fc.constant(false)),
    timeoutMs: weighted([3, between(60_000, 600_000)], [1, between(600, 60_000)]),
    pollIntervalMs: mostly<number | undefined>(undefined, 1, between(2_000, 120_000)),
    // The other two are wrong inputs without what they are about.
    failOn: fc.subarray(FAIL_ON.filter((word) => word !== 'checks' && word !== 'out-of-scope')),
    cancelAtMs: weighted<number | undefined>([3, fc.constant(undefined)], [1, upTo(1_000)], [1, upTo(200_000)]),
    wallJump: fc.record({ atMs: upTo(300_000), byMs: fc.constantFrom(0, -3_600_000, 3_600_000, 86_400_000) }),
    random: fc.constantFrom(0, 0.3, 0.5, 0.999),
    posts: fates(post, 5, 4),
    reads: fates(read, 8, 14),
    before: turn(mostly(0, 2, shortTimeMs)),
    ours: turn(shortTimeMs),
    oursHasTheSameLink: fc.boolean(),
    staleMs: weighted([2, fc.constant(0)], [2, upTo(20_000)], [1, between(20_000, 200_000)]),
    lagsMs: mostly<number[]>([], 1, fc.array(mostly(0, 1, upTo(LONGEST_LAG_MS)), { maxLength: 5 })),
    hadEarlierTurn: fc.boolean(),
    messageAnswerIsStale: fc.boolean(),
    archivedAtMs: mostly<number | undefined>(undefined, 7, upTo(200_000)),
    plant: mostly<Plant>('none', 1, fc.constantFrom('raw', 'json', 'base64')),
  })
  .map(boundStaleness)
