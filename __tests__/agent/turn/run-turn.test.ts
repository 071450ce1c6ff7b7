import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs.ts'
import {
  LINK_LAG_MS,
  getLinkPollDelayMs,
  getPollDelayMs,
  getSettleDelayMs,
  getTurnPollDelayMs,
  type PollState,
} from '../../../src/agent/turn/poll-schedule.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import type { ErrorCode } from '../../../src/runtime/errors.ts'
import { type TurnRunOptions, playTurn } from '../../support/turn-run.ts'
import { ATTACH, CREATE } from '../../support/report.ts'
import {
  active,
  archived,
  completed,
  failed,
  failure,
  job,
  withoutLink,
  type Script,
} from '../../support/fake-client.ts'

type Reads = NonNullable<Script['reads']>

const created = (reads: Reads, inputs: Partial<AgentInputs> = {}): TurnRunOptions => ({
  task: CREATE,
  create: active,
  reads,
  inputs,
})
const attached = (reads: Reads, inputs: Partial<AgentInputs> = {}): TurnRunOptions => ({ task: ATTACH, reads, inputs })

type Row = readonly [what: string, options: TurnRunOptions, shown: Readonly<Record<string, unknown>>]

async function plays(_what: string, options: TurnRunOptions, shown: Row[2]): Promise<void> {
  expect(await playTurn(options)).toMatchObject(shown)
}

const ended = (outcome: string, more: object = {}) => ({ report: { outcome, ...more } })
const stopped = (code: ErrorCode, outcome = 'error') => ({ outcome, error: { code } })
const asked = (...calls: string[]) => ({ client: { calls } })
const slept = (...sleeps: number[]) => ({ clock: { sleeps } })

const NO_WAIT = { wait: false }
const SHORT = { timeoutMs: 25_000, pollIntervalMs: 10_000 }

test('creates a job, hands it on first of all, waits for it, and tells when its pull request came', async () => {
  const run = await playTurn(created([active, completed]))
  const [taken, end] = ['The service accepted the prompt: job job_1 is active.', 'The job completed.']
  expect(run).toMatchObject({
    ...asked('create', 'get', 'get'),
    accepted: [{ sleepsBefore: 0, linesBefore: 1 }],
    report: {
      outcome: 'pull-request',
      job: completed,
      durationMs: 15_000,
      timeline: [
        { at: new Date('2026-01-01T00:00:00Z'), elapsedMs: 0, event: taken },
        { at: new Date('2026-01-01T00:00:15Z'), elapsedMs: 15_000, event: end },
      ],
    },
  })
  expect(run.client.prompts).toEqual(['Fix the guide.'])
  expect(run.log.slice(0, 3)).toEqual(['Creating a job in project docs-demo, timeout 1 h.', taken, end])
})

test.each<Row>([
  ['believes a first answer that is final', { task: CREATE, create: completed }, ended('pull-request')],
  ['leaves right after the create', created([], NO_WAIT), { ...ended('submitted'), ...asked('create'), ...slept() }],
  [
    'a new job that fails after it opened a pull request',
    created([{ ...completed, status: 'failed' }]),
    ended('failed', { operation: 'created' }),
  ],
  ['attaches to a job that has ended', attached([failed]), { ...ended('failed'), ...asked('get'), ...slept() }],
  ['attaches to a job that runs, without waiting', attached([active], NO_WAIT), ended('submitted')],
  ['attaches to one that has ended, without waiting', attached([completed], NO_WAIT), ended('pull-request')],
  ['waits for a job that is not there yet', created([failure('not-found'), completed]), ended('pull-request')],
  [
    'ends, with its id, when a job is not there after 30 s',
    created([failure('not-found')]),
    { report: { ...stopped('not-found'), job: { id: 'job_1' } }, elapsedMs: 30_000 },
  ],
  [
    'does not wait for a job that it has not created',
    attached([failure('not-found')]),
    { ...ended('error'), ...slept() },
  ],
  [
    'keeps what it knows when it is cancelled',
    { ...created([active]), cancelAtSleep: 2 },
    { report: { ...stopped('cancelled', 'cancelled'), job: active }, ...asked('create', 'get', 'get') },
  ],
  ['does not look again when it is cancelled', { ...attached([active]), cancelAtSleep: 0 }, asked('get')],
])('a step %s', plays)

test('an error of the create is reported, and there is no job', async () => {
  const { report, accepted } = await playTurn({ task: CREATE, create: failure('unknown-fate') })
  expect(report).toMatchObject(stopped('unknown-fate'))
  expect([report.job, accepted]).toEqual([undefined, []])
})

test('a job that could not be read before the deadline is red whatever `fail-on` says, one that was read is not', async () => {
  const { report } = await playTurn(attached([failure('unreachable')], SHORT))
  expect(report).toMatchObject({ ...stopped('deadline', 'timed-out'), lastProblem: { code: 'unreachable' } })
  const known = await playTurn(created([active, failure('service-error')], SHORT))
  expect(known.report).toMatchObject({ outcome: 'timed-out', job: active, lastProblem: { code: 'service-error' } })
  expect([report.job, known.report.error]).toEqual([undefined, undefined])
})

test('a defect is not reported as an outcome', async () => {
  await expect(playTurn({ task: CREATE, create: new TypeError('x is not a function') })).rejects.toThrow(TypeError)
})

describe('poll job', () => {
  test.each<ErrorCode>(['unauthorized', 'forbidden', 'redirected', 'rejected', 'untrusted', 'proxy'])(
    'stops at once on %s, and the report still names the job',
    async (code) => {
      const run = await playTurn(created([failure(code), completed]))
      expect(run).toMatchObject({ report: { ...stopped(code), job: active }, ...asked('create', 'get') })
    },
  )

  const bad = (count: number) => Array.from({ length: count }, () => failure('bad-answer'))

  test.each<Row>([
    [
      'ten answers in a row that make no sense end it',
      attached(bad(11)),
      { report: stopped('bad-answer'), ...asked(...Array<string>(10).fill('get')) },
    ],
    ['they are counted in a row', created([...bad(9), active, ...bad(9), completed]), ended('pull-request')],
    [
      'it waits for Retry-After and jitter',
      attached([failure('rate-limited', 42_000), completed]),
      { elapsedMs: 44_000 },
    ],
    [
      'the read after a rate limit comes later with each refusal, and the next success restores the usual pace',
      created([...Array<Error>(2).fill(failure('rate-limited')), active, active, completed], {
        pollIntervalMs: 2_000,
      }),
      slept(2_000, 3_000, 5_000, 2_000, 2_000),
    ],
    [
      'a service that asks for more time than is left ends the step, which names the time',
      created([failure('rate-limited', 3_600_000)], { timeoutMs: 60_000 }),
      {
        report: { error: { message: expect.stringContaining('2026-01-01 01:00:10 UTC') as unknown }, job: active },
        elapsedMs: 10_000,
      },
    ],
  ])('%s', plays)
})

const unlisted = (unlistedStatus: string) => job({ unlistedStatus })
const [down, gone] = [failure('service-error'), failure('unreachable')]

describe('job watch', () => {
  const limited = (retryAfterMs: number) => failure('rate-limited', retryAfterMs)

  test.each<[string, Reads, string[]]>([
    [
      'a line for each change and none for what stays',
      [active, active, failed],
      ['The job is active.', 'The job failed.'],
    ],
    [
      'that a pull request turns up at a job whose status stays',
      [withoutLink, completed],
      ['The job completed.', 'The job has a pull request.'],
    ],
    [
      'a lasting problem once, and its end',
      [down, down, gone, active, archived],
      [
        'It is service-error. Trying again until the deadline.',
        'It is unreachable. Trying again until the deadline.',
        'The service responds again.',
        'The job is active.',
        'The job is archived.',
      ],
    ],
  ])('says %s', async (_what, reads, said) => {
    const { log } = await playTurn(attached(reads))
    expect(log.slice(1, 1 + said.length)).toEqual(said)
  })

  test.each<[string, Reads, string[]]>([
    [
      'at once and every minute until when the service asks to wait',
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
      'the same of a long wait behind another one',
      [limited(5_000), limited(90_000), completed],
      [
        'It is rate-limited. Waiting until 2026-01-01 00:00:07 UTC.',
        'Waiting until 2026-01-01 00:01:41 UTC, as the service requests.',
        'Still waiting until 2026-01-01 00:01:41 UTC, for another 34 s.',
        'The service responds again.',
      ],
    ],
    [
      'the first of many short waits, and one a minute',
      [...Array<ReturnType<typeof limited>>(5).fill(limited(25_000)), completed],
      [
        'It is rate-limited. Waiting until 2026-01-01 00:00:27 UTC.',
        'Still waiting until 2026-01-01 00:01:29 UTC, for another 29 s.',
        'Still waiting until 2026-01-01 00:02:10 UTC, for another 10 s.',
        'The service responds again.',
      ],
    ],
  ])('says %s', async (_what, reads, said) => {
    const { log } = await playTurn(attached(reads))
    expect(log.slice(1, 1 + said.length)).toEqual(said)
  })

  test('warns once of a status that no list has, and takes it for running', async () => {
    const { warnings, log } = await playTurn(attached(['paused', 'paused', 'dreaming'].map(unlisted), SHORT))
    expect(warnings).toEqual([expect.stringContaining('paused')])
    expect(log.slice(1)).toEqual(['The job is active.'])
  })

  test('says that the service asks for a wait only if it is longer than the interval of the step', async () => {
    const reads = [active, limited(1_000), limited(1_000), completed]
    const { log } = await playTurn(attached(reads, { pollIntervalMs: 90_000 }))
    expect(log.slice(1, 6)).toEqual([
      'The job is active.',
      'The job is still active (checked 1 time).',
      'It is rate-limited. Waiting until 2026-01-01 00:03:00 UTC.',
      'The job is still active (checked 2 times).',
      'The job is still active (checked 3 times).',
    ])
  })

  test('says once a minute that nothing has changed, even while a long interval passes', async () => {
    const { log } = await playTurn(attached([active], { timeoutMs: 180_000, pollIntervalMs: 300_000 }))
    const beats = log.filter((line) => line.startsWith('The job is still active'))
    expect(beats).toEqual(Array(3).fill('The job is still active (checked 1 time).'))
  })
})

describe('wait for job', () => {
  const unsafe = job({ status: 'completed', hasUnsafeLink: true })
  /** All but the last of the reads for a late link. */
  const UNLINKED = Array<Job>(5).fill(withoutLink)

  test.each<Row>([
    ['the last look is at the deadline', created([active], SHORT), slept(10_000, 10_000, 5_000)],
    ['a problem is over when a read succeeds', created([down, active], SHORT), { report: { lastProblem: undefined } }],
    ['it may find the end', created([active, active, completed], SHORT), ended('pull-request')],
    [
      'a completed job without a link is read a few times more, and has then changed nothing',
      created([withoutLink]),
      { ...ended('no-changes', { job: withoutLink }), ...slept(10_000, 1_000, 2_000, 3_000, 4_000, 5_000) },
    ],
    ['a link may come late', created([withoutLink, withoutLink, completed]), ended('pull-request', { job: completed })],
    ['the last reading counts: failed', created([withoutLink, failed]), ended('failed')],
    ['the last reading counts: archived', created([withoutLink, archived]), ended('archived')],
    ['the last reading counts: active, completed', created([withoutLink, active, completed]), ended('pull-request')],
    ['the last reading counts: active', created([withoutLink, active]), ended('timed-out')],
    [
      'a link that cannot be used is an error, and is not waited for',
      created([unsafe]),
      {
        report: { ...stopped('unusable-link'), job: unsafe },
        warnings: [expect.stringContaining('not safe to link')],
        ...slept(10_000),
      },
    ],
    [
      'a read for a late link that fails at the end is repeated, and may find the link',
      created([...UNLINKED, failure('unreachable'), completed]),
      { ...ended('pull-request'), elapsedMs: 30_000, ...asked('create', ...Array<string>(7).fill('get')) },
    ],
    [
      'only a read without a link that is requested 15 s after the first one proves that nothing changed',
      created([...UNLINKED, failure('unreachable'), failure('service-error'), withoutLink]),
      { ...ended('no-changes'), elapsedMs: 35_000, ...slept(10_000, 1_000, 2_000, 3_000, 4_000, 5_000, 5_000, 5_000) },
    ],
    [
      'reads for a late link that fail until the deadline prove nothing',
      created([withoutLink, failure('service-error')], { timeoutMs: 60_000 }),
      {
        ...ended('timed-out', { job: withoutLink, lastProblem: { code: 'service-error' }, error: undefined }),
        elapsedMs: 60_000,
      },
    ],
    [
      'a rate limit is waited for, longer than a link may be late, and the link is found',
      created([withoutLink, failure('rate-limited', 20_000), completed]),
      { ...ended('pull-request'), elapsedMs: 33_000 },
    ],
    [
      'a rate limit that outlasts the step is red, and the job stays as it was read',
      created([withoutLink, failure('rate-limited', 60_000)], { timeoutMs: 60_000 }),
      { report: { ...stopped('rate-limited'), job: withoutLink }, elapsedMs: 11_000 },
    ],
    [
      'one 404 while a link may be late may be a gateway’s',
      created([withoutLink, failure('not-found'), down, failure('not-found'), completed]),
      ended('pull-request'),
    ],
    [
      'a second 404 in a row is red',
      created([withoutLink, failure('not-found'), failure('not-found'), completed]),
      { report: { ...stopped('not-found'), job: withoutLink } },
    ],
    [
      'a key that is refused while a link may be late is red',
      created([withoutLink, failure('unauthorized'), completed]),
      { report: { ...stopped('unauthorized'), job: withoutLink } },
    ],
    [
      'the reads for a late link that the deadline cuts short prove nothing',
      created([withoutLink], { timeoutMs: 12_000 }),
      { ...ended('timed-out'), elapsedMs: 12_000 },
    ],
  ])('%s', plays)

  test('a read that hangs cannot put off the read that decides about a late link', async () => {
    const { client, clock, elapsedMs } = await playTurn(created([withoutLink]))
    const startedAt = clock.now() - elapsedMs
    const untilItDecides = Array<number>(4).fill(25_000)
    expect(client.endsAts.map((at) => (at ?? NaN) - startedAt)).toEqual([3_600_000, ...untilItDecides, 3_600_000])
  })
})

const USUAL: PollState = { elapsedMs: 0, reads: 1, minDelayMs: 0, random: 0.5 }
const ADAPTIVE = undefined

test.each<[string, number | undefined, Partial<PollState>, number]>([
  ['first after ten seconds', ADAPTIVE, { reads: 0 }, 10_000],
  ['then after eight percent of the time that has passed', ADAPTIVE, { elapsedMs: 100_000 }, 8_000],
  ['at least five seconds', ADAPTIVE, { elapsedMs: 10_000 }, 5_000],
  ['at most ten', ADAPTIVE, { elapsedMs: 3_600_000 }, 10_000],
  [
    'by chance up to ten percent earlier, so that a matrix does not ask in step',
    ADAPTIVE,
    { elapsedMs: 1e6, random: 0 },
    9_000,
  ],
  ['or later', ADAPTIVE, { elapsedMs: 1e6, random: 1 }, 11_000],
  ['no earlier than the service asks for', ADAPTIVE, { minDelayMs: 30_000 }, 30_000],
  ['after a fixed time if one is given', 100, { reads: 0, random: 1 }, 100],
  ['which may be long', 300_000, { elapsedMs: 1e6, minDelayMs: 2_000 }, 300_000],
  ['and is no shorter than the service asks for', 2_000, { minDelayMs: 30_000 }, 30_000],
])('a job is read %s', (_when, fixedMs, state, expected) => {
  expect(getPollDelayMs(fixedMs, { ...USUAL, ...state })).toBe(expected)
})

test.each<[string, number | undefined, Partial<PollState>, number]>([
  ['first after two seconds', ADAPTIVE, { reads: 0 }, 2_000],
  ['then a quarter later each time', ADAPTIVE, { reads: 2 }, 3_125],
  ['at most after five', ADAPTIVE, { reads: 50 }, 5_000],
  ['no earlier than the service asks for', ADAPTIVE, { minDelayMs: 30_000 }, 30_000],
  ['after a fixed time that is shorter', 100, { reads: 0 }, 100],
  ['not after one that is longer', 300_000, { reads: 9 }, 5_000],
])('the turn of a follow-up is looked for %s', (_when, fixedMs, state, expected) => {
  expect(getTurnPollDelayMs(fixedMs, { ...USUAL, ...state })).toBe(expected)
})

test('the reads for a link go on at the usual pace if the first ones fail', () => {
  expect([4, 5, 6].map((reads) => getLinkPollDelayMs(7_000, { ...USUAL, reads }))).toEqual([5_000, 7_000, 7_000])
  expect(getLinkPollDelayMs(7_000, { ...USUAL, reads: 1, minDelayMs: 3_000 })).toBe(3_000)
})

test('the reads for a link fill its time, which is fifteen seconds', () => {
  expect([0, 1, 2, 3, 4].map(getSettleDelayMs).reduce((sum, ms) => sum + ms)).toBe(LINK_LAG_MS)
  expect(LINK_LAG_MS).toBe(15_000)
})
