import fc from 'fast-check'
import { CHANGE_CONTEXTS } from '../../src/agent/inputs/agent-inputs.ts'
import { FAIL_ON } from '../../src/agent/inputs/fail-on.ts'
import {
  PLANTS,
  SPELLINGS,
  type Asks,
  type Fate,
  type GitHubFate,
  type GitHubPlan,
  type Happening,
  type RetryAfter,
  type Schedule,
  type TurnPlan,
} from './schedule.ts'

/** Statuses after which a prompt may have been processed; the others say that it was not. */
const MAYBE_PROCESSED = [301, 302, 307, 308, 408, 409, 410, 418, 500, 502, 503, 504, 521]
const NOT_PROCESSED = [400, 401, 402, 403, 404, 405, 413, 415, 422]
/** Of these a read is tried again. */
const PASSING = [408, 425, 429, 500, 502, 503, 504]

const delayMs = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 400 }) },
  { weight: 2, arbitrary: fc.integer({ min: 400, max: 8_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 8_000, max: 100_000 }) },
)

const retryAfter: fc.Arbitrary<RetryAfter> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('none', 'junk', 'past-date') },
  { weight: 3, arbitrary: fc.record({ seconds: fc.integer({ min: -5, max: 90 }) }) },
  { weight: 1, arbitrary: fc.record({ seconds: fc.integer({ min: 90, max: 2_000 }) }) },
  { weight: 2, arbitrary: fc.record({ dateInSeconds: fc.integer({ min: -50, max: 200 }) }) },
)

const refusalBody = fc.constantFrom('error', 'html', 'empty')

function refusal(statuses: readonly number[], processed: fc.Arbitrary<boolean>): fc.Arbitrary<Happening> {
  return fc.record({
    kind: fc.constant('refusal'),
    status: fc.constantFrom(...statuses),
    retryAfter,
    processed,
    body: refusalBody,
  })
}

const WELL: Happening = { kind: 'answered', status: 200, body: 'good' }
const good: fc.Arbitrary<Happening> = fc.constant(WELL)

const answered: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constant('answered'),
  status: fc.constantFrom(200, 201, 202),
  body: fc.constantFrom('good', 'truncated', 'html', 'null', 'wrong-id', 'bad-id', 'no-id', 'no-status'),
})

const broken: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constant('broken'),
  how: fc.constantFrom(
    'refused',
    'reset-in-handshake',
    'reset-before-read',
    'reset-after-read',
    'reset-after-read-unseen',
    'answer-cut-off',
    'untrusted',
    'proxy-refused',
    'invalid',
  ),
})

const passingBreak: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constant('broken'),
  how: fc.constantFrom('refused', 'reset-before-read', 'answer-cut-off'),
})

const NEVER = fc.constant(false)

const post: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: good },
  { weight: 3, arbitrary: answered },
  { weight: 3, arbitrary: broken },
  { weight: 2, arbitrary: fc.constant({ kind: 'broken', how: 'refused' }) },
  { weight: 2, arbitrary: refusal([425, 429], NEVER) },
  { weight: 1, arbitrary: refusal(NOT_PROCESSED, NEVER) },
  { weight: 2, arbitrary: refusal(MAYBE_PROCESSED, fc.boolean()) },
)

const read: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 10, arbitrary: good },
  { weight: 3, arbitrary: passingBreak },
  { weight: 3, arbitrary: refusal(PASSING, NEVER) },
  { weight: 2, arbitrary: answered },
  { weight: 1, arbitrary: broken },
  { weight: 1, arbitrary: refusal([...MAYBE_PROCESSED, ...NOT_PROCESSED], NEVER) },
)

function fates(what: fc.Arbitrary<Happening>, most: number, mostTimes: number): fc.Arbitrary<Fate[]> {
  const times = fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: mostTimes }) },
  )
  return fc.array(fc.record({ what, delayMs, times }), { maxLength: most })
}

const shortTimeMs = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 20_000, max: 150_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 150_000, max: 900_000 }) },
)

function turn(restMs: fc.Arbitrary<number>): fc.Arbitrary<TurnPlan> {
  return fc.record({
    durationMs: restMs,
    ending: fc.oneof(
      { weight: 6, arbitrary: fc.constant('completed' as const) },
      { weight: 2, arbitrary: fc.constant('failed' as const) },
      { weight: 1, arbitrary: fc.constantFrom('archived' as const, 'unlisted' as const) },
    ),
    hasLink: fc.boolean(),
    linkLateMs: fc.oneof(
      { weight: 2, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 12_000 }) },
    ),
    pauses: fc.boolean(),
  })
}

const LONGEST_LAG_MS = 12_000
const GITHUB_ERRORS = [
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'rejected',
  'service-error',
  'bad-answer',
  'untrusted',
] as const

const likely = (percent: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 1, max: 100 }).map((drawn) => drawn <= percent)

const orNone = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(fc.constant(undefined), arbitrary)

const asks: fc.Arbitrary<Asks> = fc.record({
  isPush: fc.boolean(),
  paths: likely(60),
  changeContext: fc.constantFrom(...CHANGE_CONTEXTS, 'none' as const, 'none' as const),
  label: fc.boolean(),
  checks: fc.boolean(),
  fixRounds: fc.constantFrom(0, 1, 2, 3),
  scope: fc.boolean(),
})

const gitHubFate: fc.Arbitrary<GitHubFate> = fc.record({
  how: fc.oneof(
    { weight: 2, arbitrary: fc.constant('well' as const) },
    { weight: 1, arbitrary: fc.constantFrom('hang' as const, 'lost' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...GITHUB_ERRORS) },
  ),
  delayMs,
  times: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 30 }) }),
})

export const gitHubPlan: fc.Arbitrary<GitHubPlan> = fc.record({
  fates: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(gitHubFate, { maxLength: 8 }) },
  ),
  oursPushes: fc.boolean(),
  headLagMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 8_000 })),
  personPushesAtMs: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000 }) },
  ),
  checks: fc.record({
    registeredAtMs: fc.integer({ min: 0, max: 200_000 }),
    runMs: fc.integer({ min: 0, max: 100_000 }),
    ending: fc.constantFrom('success', 'success', 'failure', 'flips'),
    mendedAfter: fc.constantFrom(2, 3, Infinity),
  }),
  filesAreInside: fc.boolean(),
  isMarked: fc.boolean(),
  changeCounts: likely(80),
  pushIsOwn: likely(10),
})

/** What was stale by both at once would last longer than the service's copies do. */
function boundStaleness(schedule: Schedule): Schedule {
  const { lagsMs, staleMs, failOn, asks } = schedule
  const isKnown = { checks: asks.checks, 'out-of-scope': asks.scope }
  return {
    ...schedule,
    staleMs: lagsMs.length === 0 ? staleMs : Math.min(staleMs, LONGEST_LAG_MS - Math.max(...lagsMs)),
    failOn: failOn.filter((word) => (word === 'checks' || word === 'out-of-scope' ? isKnown[word] : true)),
  }
}

/** Schedules of every kind, with most of their weight where it matters: on prompts, turns and the reads between. */
export const arbitrarySchedule: fc.Arbitrary<Schedule> = fc
  .record({
    task: fc.constantFrom('create', 'follow-up', 'follow-up', 'attach'),
    wait: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    timeoutMs: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 60_000, max: 600_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 600, max: 60_000 }) },
    ),
    pollIntervalMs: orNone(fc.integer({ min: 2_000, max: 120_000 })),
    failOn: fc.subarray([...FAIL_ON]),
    cancelAtMs: fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 200_000 }) },
    ),
    wallJump: fc.record({
      atMs: fc.integer({ min: 0, max: 300_000 }),
      byMs: fc.constantFrom(0, -3_600_000, 3_600_000, 86_400_000),
    }),
    random: fc.constantFrom(0, 0.3, 0.5, 0.999),
    posts: fates(post, 5, 4),
    reads: fates(read, 8, 14),
    before: turn(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: shortTimeMs })),
    ours: turn(shortTimeMs),
    oursHasTheSameLink: fc.boolean(),
    staleMs: fc.oneof(
      { weight: 2, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 200_000 }) },
    ),
    lagsMs: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: LONGEST_LAG_MS })), { maxLength: 5 }),
      },
    ),
    hadEarlierTurn: fc.boolean(),
    oursSpelling: fc.constantFrom(...SPELLINGS),
    messageAnswerIsStale: fc.boolean(),
    archivedAtMs: fc.oneof(
      { weight: 7, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 200_000 }) },
    ),
    plant: fc.oneof(
      { weight: 1, arbitrary: fc.constant('none' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...PLANTS) },
    ),
    padding: fc.integer({ min: 0, max: 320 }),
    promptHoldsKey: fc.oneof(
      { weight: 15, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    asks,
    github: orNone(gitHubPlan),
  })
  .map(boundStaleness)

/** Goes well at first, so often. */
const afterWell = <T>(well: T, drawn: readonly T[]): readonly T[] => [well, ...drawn]

/** Schedules whose checks fail, with time to send them back. What goes wrong does so after the beginning. */
export const arbitraryRounds: fc.Arbitrary<Schedule> = fc
  .record({
    schedule: arbitrarySchedule,
    github: gitHubPlan,
    // A round is begun only if ten minutes are left.
    timeoutMs: fc.integer({ min: 900_000, max: 9_000_000 }),
    fixRounds: fc.integer({ min: 0, max: 4 }),
    wellPosts: fc.integer({ min: 1, max: 3 }),
    wellReads: fc.integer({ min: 10, max: 60 }),
    wellAnswers: fc.integer({ min: 5, max: 60 }),
    cancelAtMs: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(2_000_000) }),
    ending: fc.constantFrom('failure', 'failure', 'flips'),
  })
  .map(({ schedule, github, wellPosts, wellReads, wellAnswers, ending, fixRounds, ...rest }) => ({
    ...schedule,
    ...rest,
    wait: true,
    hadEarlierTurn: false,
    posts: afterWell({ what: WELL, delayMs: 100, times: wellPosts }, schedule.posts),
    reads: afterWell({ what: WELL, delayMs: 100, times: wellReads }, schedule.reads),
    ours: { ...schedule.ours, ending: 'completed', hasLink: true },
    asks: { ...schedule.asks, checks: true, fixRounds },
    github: {
      ...github,
      fates: afterWell({ how: 'well', delayMs: 50, times: wellAnswers }, github.fates),
      checks: { ...github.checks, ending },
      ...{ oursPushes: true, changeCounts: true, pushIsOwn: false },
    },
  }))
