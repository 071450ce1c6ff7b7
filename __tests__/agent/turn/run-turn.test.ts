import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/facts.ts'
import {
  LINK_LAG_MS,
  getLinkPollDelayMs,
  getPollDelayMs,
  getTurnPollDelayMs,
  type PollState,
} from '../../../src/agent/turn/schedule.ts'
import { plainTarget } from '../../../src/agent/turn/target.ts'
import { runTurn } from '../../../src/agent/turn/send.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { UNLISTED_STATUS } from '../../../src/emulator/service/job-machine.ts'
import { ActionError, type ErrorCode } from '../../../src/runtime/errors.ts'
import { type ScriptedStep, playScript } from '../../../testing/play-script.ts'
import { fakeRunner } from '../../../testing/fake-runner.ts'
import { fakeStep, watchJobs } from '../../../testing/fake-step.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../../testing/report.ts'
import {
  active,
  archived,
  completed,
  failed,
  failure,
  fakeClient,
  job,
  withoutLink,
  type Script,
} from '../../../testing/fake-client.ts'

type Reads = NonNullable<Script['reads']>

const created = (reads: Reads, inputs: Partial<AgentInputs> = {}): ScriptedStep => ({
  task: CREATE,
  create: active,
  reads,
  inputs,
})

const attached = (reads: Reads, inputs: Partial<AgentInputs> = {}): ScriptedStep => ({ task: ATTACH, reads, inputs })

type Row = readonly [what: string, options: ScriptedStep, shown: Readonly<Record<string, unknown>>]

async function expectRun(_what: string, options: ScriptedStep, shown: Row[2]): Promise<void> {
  expect(await playScript(options)).toMatchObject(shown)
}

const ended = (outcome: string, more: object = {}) => ({ report: { outcome, ...more } })
const stopped = (code: ErrorCode, outcome = 'error') => ({ outcome, error: { code } })
const withCalls = (...calls: string[]) => ({ client: { calls } })
const AT_ONCE = { elapsedMs: 0 }

const NO_WAIT = { wait: false }
const SHORT = { timeoutMs: 25_000, pollIntervalMs: 10_000 }

test('creates a job, writes its id before anything else, waits for it, and records when it completed', async () => {
  const run = await playScript(created([active, completed]))
  const [accepted, end] = ['The service accepted the prompt (job job_1).', 'The job completed.']
  expect(run).toMatchObject({
    ...withCalls('create', 'get', 'get'),
    accepted: [{ id: 'job_1', at: 0, linesBefore: 1 }],
    report: {
      outcome: 'pull-request',
      job: completed,
      durationMs: 15_000,
      timeline: [
        { at: new Date('2026-01-01T00:00:00Z'), elapsedMs: 0, event: accepted },
        { at: new Date('2026-01-01T00:00:15Z'), elapsedMs: 15_000, event: end },
      ],
    },
  })
  expect(run.client.prompts).toEqual(['Fix the guide.'])
  expect(run.log.slice(0, 3)).toEqual(['Creating a job in project docs-demo, timeout 1 h.', accepted, end])
})

test.each<Row>([
  [
    'ends if the response to the create is already terminal',
    { task: CREATE, create: completed },
    ended('pull-request'),
  ],
  [
    'ends directly after the create with `wait: false`',
    created([], NO_WAIT),
    { ...ended('submitted'), ...withCalls('create'), ...AT_ONCE },
  ],
  [
    'reports the pull request of a new job that fails',
    created([{ ...completed, status: 'failed' }]),
    ended('failed', { operation: 'created' }),
  ],
  ['attaches to a job that has ended', attached([failed]), { ...ended('failed'), ...withCalls('get'), ...AT_ONCE }],
  ['attaches to a running job with `wait: false`', attached([active], NO_WAIT), ended('submitted')],
  ['attaches to a job that has ended with `wait: false`', attached([completed], NO_WAIT), ended('pull-request')],
  ['waits for a new job that is not found at first', created([failure('not-found'), completed]), ended('pull-request')],
  [
    'fails if a new job is not found for 30 s, and reports its id',
    created([failure('not-found')]),
    { report: { ...stopped('not-found'), job: { id: 'job_1' } }, elapsedMs: 30_000 },
  ],
  [
    'fails immediately if a job that it did not create is not found',
    attached([failure('not-found')]),
    { ...ended('error'), ...AT_ONCE },
  ],
  [
    'reports the job when it is cancelled',
    { ...created([active]), cancelAtSleep: 2 },
    { report: { ...stopped('cancelled', 'cancelled'), job: active }, ...withCalls('create', 'get', 'get') },
  ],
  ['does not read the job again when it is cancelled', { ...attached([active]), cancelAtSleep: 0 }, withCalls('get')],
])('a step %s', expectRun)

test('reports an error of the create without a job', async () => {
  const { report, accepted } = await playScript({ task: CREATE, create: failure('maybe-sent') })
  expect(report).toMatchObject(stopped('maybe-sent'))
  expect([report.job, accepted]).toEqual([undefined, []])
})

test('reports an error at the deadline only if the job could never be read', async () => {
  const { report } = await playScript(attached([failure('unreachable')], SHORT))
  expect(report).toMatchObject({ ...stopped('deadline', 'timed-out'), lastProblem: { code: 'unreachable' } })
  const known = await playScript(created([active, failure('service-error')], SHORT))
  expect(known.report).toMatchObject({ outcome: 'timed-out', job: active, lastProblem: { code: 'service-error' } })
  expect([report.job, known.report.error]).toEqual([undefined, undefined])
})

test('throws an unexpected error instead of reporting an outcome', async () => {
  await expect(playScript({ task: CREATE, create: new TypeError('x is not a function') })).rejects.toThrow(TypeError)
})

test('ends the read of the job before it reports that the follow-up must not be sent', async () => {
  const refused = new ActionError('not-sent', 'Pull request #7 was merged before the prompt was sent.')
  const client = fakeClient({ reads: [completed, failure('unreachable'), failure('unreachable'), completed] })
  const target = { ...plainTarget(FOLLOW_UP), validate: () => Promise.reject(refused) }
  await expect(runTurn(target, watchJobs(fakeStep({ client })))).rejects.toBe(refused)
  expect(client.calls).toEqual(['get', 'get', 'get', 'get'])
})

test('announces a follow-up once, when it is sent, although the job was busy at first', async () => {
  const target = { ...plainTarget(FOLLOW_UP), announcement: 'Sending.' }
  const script = { before: [completed, active, active, completed], message: active, reads: [active, completed] }
  const [client, runner] = [fakeClient(script), fakeRunner()]
  await runTurn(target, watchJobs(fakeStep({ client, runner })))
  expect(runner.lines('log').filter((line) => /Sending|busy/.test(line))).toEqual([
    expect.stringContaining('busy'),
    'Sending.',
  ])
  expect(client.calls.filter((call) => call !== 'get')).toEqual(['message'])
})

describe('poll job', () => {
  test.each<ErrorCode>(['unauthorized', 'forbidden', 'redirected', 'rejected', 'untrusted', 'proxy'])(
    'fails immediately on %s, and the report still names the job',
    async (code) => {
      const run = await playScript(created([failure(code), completed]))
      expect(run).toMatchObject({ report: { ...stopped(code), job: active }, ...withCalls('create', 'get') })
    },
  )

  const bad = (count: number) => Array.from({ length: count }, () => failure('invalid-response'))

  test.each<Row>([
    [
      'waits until the deadline while responses are invalid',
      created([...bad(30), active, ...bad(30), completed]),
      ended('pull-request'),
    ],
    [
      'keeps waiting after one odd response',
      created([active, failure('unauthorized'), active, failure('proxy'), failure('not-found'), completed]),
      ended('pull-request'),
    ],
    [
      'fails after three odd responses in a row, which are at least 20 s apart',
      created([active, failure('forbidden')]),
      { report: { ...stopped('forbidden'), job: active }, ...withCalls('create', ...Array<string>(6).fill('get')) },
    ],
    [
      'waits for Retry-After plus jitter',
      attached([failure('rate-limited', 42_000), completed]),
      { elapsedMs: 44_000 },
    ],
    [
      'reads every minute while a failed service asks for an hour, and at last at the deadline',
      attached([...Array<Error>(3).fill(failure('service-error', 3_600_000)), completed], { timeoutMs: 150_000 }),
      { ...ended('pull-request'), elapsedMs: 150_000 },
    ],
    [
      'waits longer after each rate limit in a row, and returns to the usual interval after a success',
      created([...Array<Error>(2).fill(failure('rate-limited')), active, active, completed], {
        pollIntervalMs: 2_000,
      }),
      { clock: { sleeps: [2_000, 3_000, 5_000, 2_000, 2_000] } },
    ],
    [
      'fails if the service requests a wait beyond the deadline, and names the time',
      created([failure('rate-limited', 3_600_000)], { timeoutMs: 60_000 }),
      {
        report: { error: { message: expect.stringContaining('2026-01-01 01:00:10 UTC') as unknown }, job: active },
        elapsedMs: 10_000,
      },
    ],
  ])('%s', expectRun)
})

const unlisted = (unlistedStatus: string) => job({ unlistedStatus })
const [down, gone] = [failure('service-error'), failure('unreachable')]

describe('job watch', () => {
  const limited = (retryAfterMs: number) => failure('rate-limited', retryAfterMs)

  test.each<[string, Reads, string[]]>([
    ['each change of the status once', [active, active, failed], ['The job failed.']],
    [
      'a pull request that appears while the status stays the same',
      [withoutLink, completed],
      ['The job has a pull request.'],
    ],
    [
      'a problem that persists once, and when it is over',
      [down, down, gone, active, archived],
      [
        'It is service-error. Trying again until the deadline.',
        'It is unreachable. Trying again until the deadline.',
        'The service responds again.',
        'The job is archived.',
      ],
    ],
  ])('logs %s', async (_what, reads, lines) => {
    const { log } = await playScript(attached(reads))
    expect(log.slice(1, 1 + lines.length)).toEqual(lines)
  })

  test.each<[string, Reads, string[]]>([
    [
      'a requested wait immediately and every minute',
      [limited(200_000), completed],
      [
        'It is rate-limited. Waiting until 2026-01-01 00:03:22 UTC.',
        'Still waiting until 2026-01-01 00:03:22 UTC, for another 2 min 22 s.',
        'Still waiting until 2026-01-01 00:03:22 UTC, for another 1 min 22 s.',
        'Still waiting until 2026-01-01 00:03:22 UTC, for another 22 s.',
        'The service responds again.',
      ],
    ],
    [
      'a requested wait of little more than a minute once',
      [limited(61_000), completed],
      ['It is rate-limited. Waiting until 2026-01-01 00:01:03 UTC.', 'The service responds again.'],
    ],
    [
      'a long wait directly after another one',
      [limited(5_000), limited(90_000), completed],
      [
        'It is rate-limited. Waiting until 2026-01-01 00:00:07 UTC.',
        'Waiting until 2026-01-01 00:01:41 UTC, as the service requests.',
        'Still waiting until 2026-01-01 00:01:41 UTC, for another 34 s.',
        'The service responds again.',
      ],
    ],
    [
      'the first of many short waits, and one a minute after that',
      [...Array<ReturnType<typeof limited>>(5).fill(limited(25_000)), completed],
      [
        'It is rate-limited. Waiting until 2026-01-01 00:00:27 UTC.',
        'Still waiting until 2026-01-01 00:01:29 UTC, for another 29 s.',
        'Still waiting until 2026-01-01 00:02:10 UTC, for another 10 s.',
        'The service responds again.',
      ],
    ],
  ])('logs %s', async (_what, reads, lines) => {
    const { log } = await playScript(attached(reads))
    expect(log.slice(1, 1 + lines.length)).toEqual(lines)
  })

  test('warns once about an unknown status, and treats it as running', async () => {
    const { warnings, log } = await playScript(
      attached([UNLISTED_STATUS, UNLISTED_STATUS, 'dreaming'].map(unlisted), SHORT),
    )
    expect(warnings).toEqual([expect.stringContaining(UNLISTED_STATUS)])
    expect(log.slice(1)).toEqual(['Attach to job_1: did not finish in time.'])
  })

  test('logs a requested wait only if it is longer than the polling interval', async () => {
    const reads = [active, limited(1_000), limited(1_000), completed]
    const { log } = await playScript(attached(reads, { pollIntervalMs: 90_000 }))
    expect(log.slice(1, 5)).toEqual([
      'The job is still active (checked 1 time).',
      'It is rate-limited. Waiting until 2026-01-01 00:03:00 UTC.',
      'The job is still active (checked 2 times).',
      'The job is still active (checked 3 times).',
    ])
  })

  test('logs every minute that nothing has changed, even during a long polling interval', async () => {
    const { log } = await playScript(attached([active], { timeoutMs: 180_000, pollIntervalMs: 300_000 }))
    const beats = log.filter((line) => line.startsWith('The job is still active'))
    expect(beats).toEqual(Array(3).fill('The job is still active (checked 1 time).'))
  })
})

describe('wait for job', () => {
  /** All reads for a late link except the last. */
  const UNLINKED = Array<Job>(5).fill(withoutLink)

  test.each<Row>([
    ['the last read is at the deadline', created([active], SHORT), { elapsedMs: SHORT.timeoutMs }],
    [
      'a successful read clears the last problem',
      created([down, active], SHORT),
      { report: { lastProblem: undefined } },
    ],
    ['the last read can find the end', created([active, active, completed], SHORT), ended('pull-request')],
    [
      'a completed job without a link is read for 15 s more, and the outcome is then no-changes',
      created([withoutLink]),
      { ...ended('no-changes', { job: withoutLink }), elapsedMs: 25_000 },
    ],
    ['a late link is found', created([withoutLink, withoutLink, completed]), ended('pull-request', { job: completed })],
    ['the last read counts: failed', created([withoutLink, failed]), ended('failed')],
    ['the last read counts: archived', created([withoutLink, archived]), ended('archived')],
    ['the last read counts: active, completed', created([withoutLink, active, completed]), ended('pull-request')],
    ['the last read counts: active', created([withoutLink, active]), ended('timed-out')],
    [
      'if the last read for a late link fails, it is repeated and can find the link',
      created([...UNLINKED, failure('unreachable'), completed]),
      { ...ended('pull-request'), elapsedMs: 30_000, ...withCalls('create', ...Array<string>(7).fill('get')) },
    ],
    [
      'only a read without a link that is requested 15 s after the first one proves that there is no pull request',
      created([...UNLINKED, failure('unreachable'), failure('service-error'), withoutLink]),
      { ...ended('no-changes'), elapsedMs: 35_000 },
    ],
    [
      'the outcome is timed-out if the reads for a late link fail until the deadline',
      created([withoutLink, failure('service-error')], { timeoutMs: 60_000 }),
      {
        ...ended('timed-out', { job: withoutLink, lastProblem: { code: 'service-error' }, error: undefined }),
        elapsedMs: 60_000,
      },
    ],
    [
      'the link is found after a rate limit that is longer than the time a link may lag',
      created([withoutLink, failure('rate-limited', 20_000), completed]),
      { ...ended('pull-request'), elapsedMs: 33_000 },
    ],
    [
      'a rate limit beyond the deadline is an error, and the report has the job as it was read',
      created([withoutLink, failure('rate-limited', 60_000)], { timeoutMs: 60_000 }),
      { report: { ...stopped('rate-limited'), job: withoutLink }, elapsedMs: 11_000 },
    ],
    [
      'a single 404 while a link may lag is ignored',
      created([withoutLink, failure('not-found'), down, failure('not-found'), completed]),
      ended('pull-request'),
    ],
    [
      '404 for 20 s is an error',
      created([withoutLink, failure('not-found')]),
      { report: { ...stopped('not-found'), job: withoutLink } },
    ],
    [
      'a key that is rejected for 20 s while a link may lag is an error',
      created([withoutLink, failure('unauthorized')]),
      { report: { ...stopped('unauthorized'), job: withoutLink } },
    ],
    [
      'the outcome is timed-out if the deadline cuts the reads for a late link short',
      created([withoutLink], { timeoutMs: 12_000 }),
      { ...ended('timed-out'), elapsedMs: 12_000 },
    ],
  ])('%s', expectRun)

  test('a read that hangs cannot delay the decisive read for a late link', async () => {
    const { client, clock, elapsedMs } = await playScript(created([withoutLink]))
    const startedAt = clock.now() - elapsedMs
    const untilDecisiveRead = Array<number>(4).fill(25_000)
    expect(client.endsAts.map((at) => (at ?? NaN) - startedAt)).toEqual([3_600_000, ...untilDecisiveRead, 3_600_000])
  })
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
