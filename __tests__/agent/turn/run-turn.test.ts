import { describe, expect, test } from '@jest/globals'
import {
  LINK_LAG_MS,
  getLinkPollDelayMs,
  getPollDelayMs,
  getTurnPollDelayMs,
  type PollState,
} from '../../../src/agent/turn/schedule.ts'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { htmlResponse } from '../../../src/emulator/http/exchange.ts'
import { NO_RESPONSE } from '../../../src/emulator/http/faults.ts'
import { type TurnPlan, UNLISTED_STATUS } from '../../../src/emulator/service/job-machine.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import {
  changeResponse,
  playFollowUp,
  type PlayedStep,
  playStep,
  type PlayStepOptions,
  type Responder,
  respondInOrder,
  respondWith,
  sendElse,
  respondAsUsual,
} from '../../../testing/play-step.ts'

type Given = Readonly<Record<string, string>>

const NEW_JOB = {}
const ATTACH = { prompt: '', 'job-id': 'job_running' }
const NO_WAIT = { wait: 'false' }
/** Reads at 10, 20 and 30 s. */
const SHORT = { 'timeout-minutes': '0.5', 'poll-interval-seconds': '10' }

const [DOWN, REVOKED] = [respondWith(503), respondWith(401)]
const LOST: Responder = () => NO_RESPONSE
const limited = (seconds: number): Responder => respondWith(429, { 'retry-after': String(seconds) })
const repeat = (count: number, responder: Responder = respondAsUsual): readonly Responder[] =>
  Array<Responder>(count).fill(responder)

interface Options extends Partial<PlayStepOptions> {
  /** The responses to the reads of the job, in order. The last one also applies to all later reads. */
  readonly reads?: readonly Responder[]
  /** The only turn, or the first one. */
  readonly turn?: Partial<TurnPlan>
  /** Sends another prompt when the job is read for this time. Its turn is the second one. */
  readonly elseAtRead?: number
}

interface Timed extends PlayedStep {
  /** The requests about the job, as `create` or the second of a read. */
  readonly calls: readonly (string | number)[]
}

/** Runs a step without a token. */
async function play(given: Given, options: Options = {}): Promise<Timed> {
  const { reads = [respondAsUsual], turn, elseAtRead, ...others } = options
  const next = respondInOrder(...reads)
  let nth = 0
  const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
    const [kind, jobId] = what.split(' ')
    if (kind === 'read' && ++nth === elseAtRead) sendElse(request, jobId)
  }
  const played = await playStep({
    inputs: agentInputs({}, given),
    responses: { 'read job_000001': next, 'read job_running': next },
    ...(turn && { turns: [turn] }),
    onRequest,
    ...others,
  })
  const calls = played.allRequests.map(({ what, atMs }) => (what === 'create' ? what : atMs / 1_000))
  return { ...played, calls }
}

type Row = readonly [what: string, given: Given, options: Options, shown: Readonly<Record<string, unknown>>]

async function expectStep(_what: string, given: Given, options: Options, shown: Row[3]): Promise<void> {
  expect(await play(given, options)).toMatchObject(shown)
}

const ended = (outcome: string, more: object = {}) => ({ report: { outcome, ...more } })
const stopped = (code: string, more: object = {}) => ended('error', { error: { code }, ...more })
const AFTER = (seconds: number) => ({ durationMs: seconds * 1_000 })
const [ACTIVE, COMPLETED] = [{ job: { status: 'active' } }, { job: { status: 'completed' } }]

test('creates a job, writes its id before anything else, waits for it, and records when it completed', async () => {
  const { acceptedPrompts, log, ...step } = await play(NEW_JOB)
  const [accepted, end] = ['The service accepted the prompt (job job_000001).', 'The job completed.']
  expect(step).toMatchObject({
    calls: ['create', 10, 15, 20],
    accepted: [{ id: 'job_000001', at: 0, linesBefore: 1 }],
    report: {
      outcome: 'pull-request',
      ...COMPLETED,
      ...AFTER(20),
      timeline: [
        { at: new Date('2026-01-01T00:00:00Z'), elapsedMs: 0, event: accepted },
        { at: new Date('2026-01-01T00:00:20Z'), elapsedMs: 20_000, event: end },
      ],
    },
  })
  expect(acceptedPrompts).toEqual([['create', 'Fix the guide.']])
  expect(log.slice(0, 3)).toEqual(['Creating a job in project docs-demo, timeout 1 h.', accepted, end])
})

const failedWithLink = changeResponse(({ status }: { status: string }) =>
  status === 'completed' ? { status: 'failed' } : {},
)

test.each<Row>([
  [
    'ends if the response to the create is already terminal',
    NEW_JOB,
    { turn: { durationMs: 0 } },
    { ...ended('pull-request', AFTER(0)), calls: ['create'] },
  ],
  [
    'ends directly after the create with `wait: false`',
    NO_WAIT,
    {},
    { ...ended('submitted', AFTER(0)), calls: ['create'] },
  ],
  [
    'reports the pull request of a new job that fails',
    NEW_JOB,
    { reads: [failedWithLink] },
    ended('failed', { operation: 'created' }),
  ],
  [
    'attaches to a job that has ended',
    { ...ATTACH, 'job-id': 'job_archived' },
    {},
    { ...ended('archived', AFTER(0)), calls: [0] },
  ],
  ['attaches to a running job with `wait: false`', { ...ATTACH, ...NO_WAIT }, {}, ended('submitted')],
  [
    'attaches to a job that has ended with `wait: false`',
    { ...ATTACH, ...NO_WAIT, 'job-id': 'job_finished' },
    {},
    ended('pull-request'),
  ],
  [
    'waits for a new job that is not found at first',
    NEW_JOB,
    { lagsMs: [12_000, 17_000, 0] },
    { ...ended('pull-request'), calls: ['create', 10, 15, 20] },
  ],
  [
    'fails if a new job is not found for 30 s, and reports its id',
    NEW_JOB,
    { lagsMs: [3_600_000] },
    stopped('not-found', { job: { id: 'job_000001' }, ...AFTER(30) }),
  ],
  [
    'fails immediately if a job that it did not create is not found',
    { ...ATTACH, 'job-id': 'job_unknown' },
    {},
    stopped('not-found', AFTER(0)),
  ],
  [
    'reports the job when it is cancelled, and does not read it again',
    NEW_JOB,
    { cancelAfterMs: 16_000 },
    { ...ended('cancelled', { error: { code: 'cancelled' }, ...ACTIVE, ...AFTER(16) }), calls: ['create', 10, 15] },
  ],
  [
    'reports an error of the create without a job',
    NEW_JOB,
    { scenario: 'unavailable' },
    { ...stopped('maybe-sent', { job: undefined }), accepted: [] },
  ],
  [
    'reports an error at the deadline if the job could never be read',
    { ...ATTACH, ...SHORT },
    { reads: [LOST] },
    ended('timed-out', { error: { code: 'deadline' }, job: undefined, lastProblem: { code: 'unreachable' } }),
  ],
  [
    'reports no error at the deadline if the job could be read',
    SHORT,
    { reads: [respondAsUsual, DOWN], scenario: 'slow' },
    ended('timed-out', { error: undefined, ...ACTIVE, lastProblem: { code: 'service-error' } }),
  ],
])('a step %s', expectStep)

test('throws an unexpected error instead of reporting an outcome', async () => {
  const create = (): never => {
    throw new TypeError('x is not a function')
  }
  await expect(play(NEW_JOB, { responses: { create } })).rejects.toThrow(TypeError)
})

test('ends the read of the job before it reports that the follow-up must not be sent', async () => {
  const { report, allRequests } = await playFollowUp(
    {},
    {
      responses: { 'read job_finished': respondInOrder(...repeat(2), DOWN, DOWN, respondAsUsual) },
      onRequest: (what, { docs }) => {
        const pull = docs.pulls[1]
        // Somebody closes the pull request directly before the prompt.
        if (what === 'issues/update-comment' && pull !== undefined) pull.state = 'closed'
      },
    },
  )
  expect(report.error).toMatchObject({ code: 'not-sent', message: expect.stringContaining('closed') as unknown })
  expect(allRequests.filter(({ what }) => what === 'read job_finished')).toHaveLength(5)
})

test('announces a fix round once, when it is sent, although its job was busy at first', async () => {
  let reads = 0
  const { log, messages } = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, 'fix-rounds': '1' }),
    github: combineScenarios(['checks-fixed']),
    turns: [{}, { ending: 'no-changes' }, {}],
    onRequest: (what, request) => {
      if (what === 'read job_000001' && ++reads === 4) sendElse(request, 'job_000001')
    },
  })
  expect(messages).toEqual(['Else.', expect.stringContaining('Check: build')])
  expect(log.filter((line) => /busy|: sending/.test(line))).toEqual([
    expect.stringContaining('The job is busy.'),
    expect.stringContaining('Round 1 of 1: sending the failing checks'),
  ])
})

describe('while a job is read', () => {
  test.each<Row>([
    [
      'a key that is rejected at once ends the step, and the report still names the job',
      NEW_JOB,
      { reads: [REVOKED, respondAsUsual] },
      { ...stopped('unauthorized', ACTIVE), calls: ['create', 10] },
    ],
    [
      'invalid responses do not end the wait',
      NEW_JOB,
      { reads: [...repeat(9, () => htmlResponse(200, '<p>Soon.')), respondAsUsual] },
      ended('pull-request'),
    ],
    [
      'the step waits for Retry-After plus jitter',
      ATTACH,
      { reads: [limited(42), respondAsUsual] },
      { ...ended('pull-request'), calls: [0, 44] },
    ],
    [
      'a failed service that asks for an hour is read every minute, and at last at the deadline',
      { ...ATTACH, 'timeout-minutes': '2.5' },
      { reads: [...repeat(3, respondWith(503, { 'retry-after': '3600' })), respondAsUsual] },
      { ...ended('pull-request'), calls: [0, 60, 120, 150] },
    ],
    [
      'the step waits longer after each rate limit in a row, and returns to the usual interval after a success',
      { 'poll-interval-seconds': '2' },
      { reads: [...repeat(2, respondWith(429)), respondAsUsual], turn: { durationMs: 14_000 } },
      { calls: ['create', 2, 5, 10, 12, 14] },
    ],
    [
      'the step fails if the service requests a wait beyond the deadline, and names the time',
      { 'timeout-minutes': '1' },
      { reads: [limited(3_600)] },
      stopped('rate-limited', {
        error: { message: expect.stringContaining('2026-01-01 01:00:10 UTC') as unknown },
        ...ACTIVE,
        ...AFTER(10),
      }),
    ],
    ['the last read is at the deadline', SHORT, { scenario: 'slow' }, { calls: ['create', 10, 20, 30] }],
    ['the last read can find the end', SHORT, { turn: { durationMs: 30_000 } }, ended('pull-request')],
    [
      'a successful read clears the last problem',
      SHORT,
      { scenario: 'slow', reads: [DOWN, respondAsUsual] },
      ended('timed-out', { lastProblem: undefined }),
    ],
  ])('%s', expectStep)
})

const LIMITED = 'The service rate-limited the request (429).'
const GOOD_AGAIN = 'The service responds again.'

describe('the log shows', () => {
  test.each<[string, Options, string[]]>([
    ['each change of the status once', { turn: { durationMs: 30_000, ending: 'failed' } }, ['The job failed.']],
    [
      'a pull request that appears while the status stays the same',
      { turn: { durationMs: 0, linkDelayMs: 3_000 } },
      ['The job has a pull request.'],
    ],
    [
      'a problem that persists once, and when it is over',
      { reads: [DOWN, DOWN, LOST, respondAsUsual], turn: { durationMs: 40_000, ending: 'archived' } },
      [
        'The service failed (503). Trying again until the deadline.',
        'The service did not respond, because the connection was lost (ECONNRESET). Trying again until the deadline.',
        GOOD_AGAIN,
        'The job is archived.',
      ],
    ],
    [
      'a requested wait immediately and every minute',
      { reads: [limited(200), respondAsUsual] },
      [
        `${LIMITED} Waiting until 2026-01-01 00:03:22 UTC.`,
        'Still waiting until 2026-01-01 00:03:22 UTC, for another 2 min 22 s.',
        'Still waiting until 2026-01-01 00:03:22 UTC, for another 1 min 22 s.',
        'Still waiting until 2026-01-01 00:03:22 UTC, for another 22 s.',
        GOOD_AGAIN,
      ],
    ],
    [
      'a requested wait of little more than a minute once',
      { reads: [limited(61), respondAsUsual] },
      [`${LIMITED} Waiting until 2026-01-01 00:01:03 UTC.`, GOOD_AGAIN],
    ],
    [
      'a long wait directly after another one',
      { reads: [limited(5), limited(90), respondAsUsual] },
      [
        `${LIMITED} Waiting until 2026-01-01 00:00:07 UTC.`,
        'Waiting until 2026-01-01 00:01:41 UTC, as the service requests.',
        'Still waiting until 2026-01-01 00:01:41 UTC, for another 34 s.',
        GOOD_AGAIN,
      ],
    ],
    [
      'the first of many short waits, and one a minute after that',
      { reads: [...repeat(5, limited(25)), respondAsUsual] },
      [
        `${LIMITED} Waiting until 2026-01-01 00:00:27 UTC.`,
        'Still waiting until 2026-01-01 00:01:29 UTC, for another 29 s.',
        'Still waiting until 2026-01-01 00:02:10 UTC, for another 10 s.',
        GOOD_AGAIN,
      ],
    ],
  ])('%s', async (_what, options, lines) => {
    const { log } = await play(ATTACH, options)
    expect(log.slice(1, -1)).toEqual(lines)
  })

  test('a requested wait only if it is longer than the polling interval', async () => {
    const reads = [respondAsUsual, limited(1), limited(1), respondAsUsual]
    const { log } = await play({ ...ATTACH, 'poll-interval-seconds': '90' }, { reads, scenario: 'slow' })
    expect(log.slice(1, 5)).toEqual([
      'The job is still active (checked 1 time).',
      `${LIMITED} Waiting until 2026-01-01 00:03:00 UTC.`,
      'The job is still active (checked 2 times).',
      'The job is still active (checked 3 times).',
    ])
  })

  test('every minute that nothing has changed, even during a long polling interval', async () => {
    const given = { ...ATTACH, 'timeout-minutes': '3', 'poll-interval-seconds': '300' }
    const { log } = await play(given, { scenario: 'slow' })
    const beats = log.filter((line) => line.startsWith('The job is still active'))
    expect(beats).toEqual(Array(3).fill('The job is still active (checked 1 time).'))
  })
})

test('warns once about an unknown status, and treats it as running', async () => {
  const { warnings, log } = await play(ATTACH, { scenario: 'unlisted-status' })
  expect(warnings).toEqual([expect.stringContaining(UNLISTED_STATUS)])
  expect(log.slice(1, -1)).toEqual(['The job completed.'])
})

describe('a job that completed without a link', () => {
  const BARE = { durationMs: 10_000, ending: 'no-changes' } as const
  /** Another prompt follows while the link may lag. */
  const then = (turn: Partial<TurnPlan>): Options => ({ turns: [BARE, turn], elseAtRead: 3 })

  test.each<Row>([
    [
      'is read for 15 s more, and the outcome is then no-changes',
      NEW_JOB,
      { turn: BARE },
      { ...ended('no-changes', COMPLETED), calls: ['create', 10, 11, 13, 16, 20, 25] },
    ],
    [
      'can get its link in that time',
      NEW_JOB,
      { turn: { durationMs: 10_000, linkDelayMs: 2_500 } },
      { ...ended('pull-request'), calls: ['create', 10, 11, 13] },
    ],
    ['can fail', NEW_JOB, then({ durationMs: 0, ending: 'failed' }), ended('failed')],
    ['can be archived', NEW_JOB, then({ durationMs: 0, ending: 'archived' }), ended('archived')],
    ['can become active, and complete', NEW_JOB, then({}), ended('pull-request')],
    ['can become active until the deadline', NEW_JOB, then({ durationMs: Infinity }), ended('timed-out', ACTIVE)],
    [
      'is read again if the last read fails, and can have its link then',
      NEW_JOB,
      { turn: { durationMs: 10_000, linkDelayMs: 17_000 }, reads: [...repeat(5), LOST, respondAsUsual] },
      { ...ended('pull-request'), calls: ['create', 10, 11, 13, 16, 20, 25, 30] },
    ],
    [
      'has no pull request only if a read shows that which is requested after 15 s',
      NEW_JOB,
      { turn: BARE, reads: [...repeat(5), LOST, DOWN, respondAsUsual] },
      ended('no-changes', AFTER(35)),
    ],
    [
      'that is not found for 20 s is an error',
      NEW_JOB,
      { turn: BARE, lagsMs: [0, ...Array<number>(9).fill(3_600_000)] },
      stopped('not-found', { ...COMPLETED, ...AFTER(35) }),
    ],
    [
      'in the response to the prompt, and is then not found once, is read again',
      NEW_JOB,
      { turn: { ...BARE, durationMs: 0 }, lagsMs: [3_600_000, ...Array<number>(9).fill(0)] },
      ended('no-changes', { ...COMPLETED, ...AFTER(15) }),
    ],
    [
      'whose key is rejected for 20 s is an error',
      NEW_JOB,
      { turn: BARE, reads: [respondAsUsual, REVOKED] },
      stopped('unauthorized', { ...COMPLETED, ...AFTER(35) }),
    ],
    [
      'is read again after a rate limit, and can have its link then',
      NEW_JOB,
      { turn: { durationMs: 10_000, linkDelayMs: 15_000 }, reads: [respondAsUsual, limited(20), respondAsUsual] },
      { ...ended('pull-request'), calls: ['create', 10, 11, 33] },
    ],
    [
      'is an error if a rate limit lasts beyond the deadline, and the report names the job',
      NEW_JOB,
      { turn: BARE, reads: [respondAsUsual, limited(3_600)] },
      stopped('rate-limited', { job: { id: 'job_000001', status: 'completed' }, ...AFTER(11) }),
    ],
    [
      'has not ended if the deadline cuts the reads short',
      { 'timeout-minutes': '0.2' },
      { turn: BARE },
      ended('timed-out', AFTER(12)),
    ],
    [
      'gets the decisive read in time, even if a read hangs',
      NEW_JOB,
      { turn: BARE, reads: [respondAsUsual, () => ({ ...NO_RESPONSE, delivery: 'never' }), respondAsUsual] },
      { ...ended('no-changes'), calls: ['create', 10, 11, 28] },
    ],
  ])('%s', expectStep)
})

const USUAL: PollState = { elapsedMs: 0, reads: 1, minDelayMs: 0, random: 0.5 }
const ADAPTIVE = undefined

test.each<[string, number | undefined, Partial<PollState>, number]>([
  ['after ten seconds at first', ADAPTIVE, { reads: 0 }, 10_000],
  ['then after eight percent of the elapsed time', ADAPTIVE, { elapsedMs: 100_000 }, 8_000],
  ['after at least five seconds', ADAPTIVE, { elapsedMs: 10_000 }, 5_000],
  ['after at most ten seconds', ADAPTIVE, { elapsedMs: 3_600_000 }, 10_000],
  [
    'up to ten percent earlier at random, so that the jobs of a matrix do not poll at the same time',
    ADAPTIVE,
    { elapsedMs: 1e6, random: 0 },
    9_000,
  ],
  ['up to ten percent later at random', ADAPTIVE, { elapsedMs: 1e6, random: 1 }, 11_000],
  ['no earlier than the service requests', ADAPTIVE, { minDelayMs: 30_000 }, 30_000],
  ['after the interval of the input', 100, { reads: 0, random: 1 }, 100],
  ['after a long interval of the input', 300_000, { elapsedMs: 1e6, minDelayMs: 2_000 }, 300_000],
  ['no earlier than the service requests, despite a shorter interval', 2_000, { minDelayMs: 30_000 }, 30_000],
])('a job is read %s', (_when, fixedMs, state, expected) => {
  expect(getPollDelayMs(fixedMs, { ...USUAL, ...state })).toBe(expected)
})

test.each<[string, number | undefined, Partial<PollState>, number]>([
  ['after two seconds at first', ADAPTIVE, { reads: 0 }, 2_000],
  ['then a quarter later each time', ADAPTIVE, { reads: 2 }, 3_125],
  ['after at most five seconds', ADAPTIVE, { reads: 50 }, 5_000],
  ['no earlier than the service requests', ADAPTIVE, { minDelayMs: 30_000 }, 30_000],
  ['after the interval of the input if it is shorter', 100, { reads: 0 }, 100],
  ['earlier than a longer interval of the input', 300_000, { reads: 9 }, 5_000],
])('the job of a follow-up is read %s', (_when, fixedMs, state, expected) => {
  expect(getTurnPollDelayMs(fixedMs, { ...USUAL, ...state })).toBe(expected)
})

test('reads for a late link continue at the usual interval if the first ones fail', () => {
  expect([4, 5, 6].map((reads) => getLinkPollDelayMs(7_000, { ...USUAL, reads }))).toEqual([5_000, 7_000, 7_000])
  expect(getLinkPollDelayMs(7_000, { ...USUAL, reads: 1, minDelayMs: 3_000 })).toBe(3_000)
})

test('the reads for a late link take fifteen seconds', () => {
  const pauses = [0, 1, 2, 3, 4].map((reads) => getLinkPollDelayMs(undefined, { ...USUAL, reads }))
  expect(pauses.reduce((sum, ms) => sum + ms)).toBe(LINK_LAG_MS)
  expect(LINK_LAG_MS).toBe(15_000)
})
