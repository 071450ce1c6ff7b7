import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createClient } from '../../src/docs-service/client.ts'
import type { Transport, WireRequest, WireResult } from '../../src/docs-service/transport.ts'
import type { FailureCause } from '../../src/http/exchange.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { CLOCK_START_MS, fakeClock, type FakeClock } from '../support/fake-clock.ts'

const KEY = 'dk_0123456789abcdef'
const CANCELLED = new ActionError('cancelled', 'The run was cancelled.')

function answered(status: number, fields: unknown = { id: 'job_1', status: 'active' }, retryAfterMs?: number) {
  const body = typeof fields === 'string' ? fields : JSON.stringify(fields)
  return { kind: 'answer', status, body, retryAfterMs } satisfies WireResult
}
const failed = (cause: FailureCause, sent: boolean): WireResult => ({ kind: 'failure', cause, code: 'ECODE', sent })
const UNREACHABLE = failed('no-connection', false)

interface Given {
  /** How much time the step has. */
  readonly leftMs?: number
  readonly run?: AbortController
  readonly clock?: FakeClock
  /** The input `job-id`. */
  readonly jobId?: string | undefined
}

const OPTIONS = {
  projectId: 'project',
  redact: createRedactor([KEY]),
  signal: new AbortController().signal,
  deadlineAt: CLOCK_START_MS + 3_600_000,
  random: () => 0.5,
  log: () => undefined,
}

/** A client over a transport that answers by a script; the last answer stays. */
function bench(script: readonly (WireResult | Transport)[], given: Given = {}) {
  const { leftMs = 3_600_000, run = new AbortController(), clock = fakeClock(), jobId } = given
  const requests: WireRequest[] = []
  const lines: string[] = []
  const debugLines: string[] = []
  const transport: Transport = async (request, signal) => {
    const step = script[Math.min(requests.length, script.length - 1)] ?? UNREACHABLE
    requests.push(request)
    return typeof step === 'function' ? step(request, signal) : step
  }
  const client = createClient({
    ...OPTIONS,
    ...{ transport, clock, signal: run.signal, deadlineAt: CLOCK_START_MS + leftMs, jobId },
    log: (line) => lines.push(line),
    debug: (line) => debugLines.push(line),
  })
  return { client, clock, requests, lines, debugLines }
}

async function errorOf(promise: Promise<unknown>): Promise<ActionError> {
  const error: unknown = await promise.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ActionError)
  return error as ActionError
}

/** Cancels the run, and is silent until the client drops the request. */
const untilAborted =
  (run: AbortController, sent: boolean): Transport =>
  (_request, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(failed('cancelled', sent))
      })
      run.abort(CANCELLED)
    })

test('a read may take half a minute, and a second beyond the deadline or the time in which its answer is of use', async () => {
  const { client, requests, clock } = bench([answered(200)], { leftMs: 40_000 })
  await client.getJob('job_1', CLOCK_START_MS + 6_000)
  for (const advanceMs of [0, 30_000, 10_000, 10_000]) {
    clock.advance(advanceMs)
    await client.getJob('job_1')
  }
  expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([7_000, 30_000, 11_000, 1_000, 1_000])
})

test.each<[unknown]>([
  [''],
  [`<html>${KEY}</html>`],
  [`{"id":"job_1","status":${KEY}`],
  [{ id: `../${KEY}` }],
  [{ id: 'job_2', status: 'completed' }],
])(
  'an answer that is none of the interface, or about another job, is a bad one, and quoted nowhere: %j',
  async (body) => {
    const { client } = bench([answered(200, body)])
    const asked = [client.getJob('job_1'), client.getVisitors({}), client.sendMessage('job_1', 'x')]
    const errors = await Promise.all(asked.map(errorOf))
    expect(errors.map(({ code }) => code)).toEqual(['bad-answer', 'bad-answer', 'unknown-fate'])
    const texts = errors.flatMap(({ message, hint, quote, stack }) => [message, hint, quote, stack])
    expect(texts.join('\n')).not.toContain('dk_')
  },
)

test('a refusal is told in words that fit what was asked', async () => {
  const { client } = bench([answered(404, {})])
  const ofProject = [client.createJob('x'), client.getVisitors({})]
  for (const asked of ofProject)
    expect((await errorOf(asked)).message).toBe('The service did not find project project (404).')
  for (const asked of [client.sendMessage('job_1', 'x'), client.getJob('job_1')])
    expect((await errorOf(asked)).message).toBe('The service did not find job job_1 in project project (404).')
})

describe('send prompt', () => {
  test('a prompt that reached nobody is tried three times, at growing distances, and may get through at the last', async () => {
    const never = bench([UNREACHABLE])
    expect(await errorOf(never.client.createJob('x'))).toMatchObject({ code: 'unreachable' })
    expect([never.requests.length, never.clock.sleeps]).toEqual([3, [1_000, 2_000]])
    expect(never.lines).toEqual([1, 2].map((s): unknown => expect.stringContaining(`the prompt again in ${s} s`)))

    const late = bench([UNREACHABLE, UNREACHABLE, answered(201)])
    expect(await late.client.createJob('x')).toMatchObject({ id: 'job_1' })
    expect(late.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"prompt":"x"}'))
  })

  test('what has to hold is looked at after the wait, before a message is sent again', async () => {
    const { client, requests, clock } = bench([answered(429, '', 60_000), answered(200)])
    const looks: number[] = []
    const look = (): Promise<void> => Promise.resolve(void looks.push(clock.passed()))
    await client.sendMessage('job_1', 'x', look)
    expect([requests.length, looks]).toEqual([2, [62_000]])

    const changed = bench([answered(429, '', 60_000)])
    const stop = new Error('It changed.')
    await expect(changed.client.sendMessage('job_1', 'x', () => Promise.reject(stop))).rejects.toThrow(stop)
    expect(changed.requests).toHaveLength(1)
  })

  const ADDRESS = / Check `base-url`: a proxy or a login page may respond instead of the service\.$/
  const LOOK = /^Before you run the step again, look .* repository\.$/

  test.each<[string, WireResult, RegExp]>([
    ['the connection breaks', failed('broken', false), LOOK],
    ['the service fails', answered(500, { error: `Bad key ${KEY}` }), LOOK],
    ['a login page answers', answered(200, '<html>Sign in</html>'), ADDRESS],
    ['no job is named', answered(201, { id: '../job_1', status: 'active' }), ADDRESS],
    [
      'the answer redirects',
      { ...answered(302, ''), redirectHost: 'login.example.com' },
      / redirects to `login\.example\.com`\.$/,
    ],
  ])(
    'a prompt is not sent again where %s, and the error says that the job may exist',
    async (_name, result, advice) => {
      for (const post of ['createJob', 'sendMessage'] as const) {
        const { client, requests, clock } = bench([result, answered(201)])
        const { code, message, hint, quote } = await errorOf(client[post]('job_1', 'x'))
        expect([code, requests.length, clock.sleeps]).toEqual(['unknown-fate', 1, []])
        expect(message).toContain('the job may exist')
        expect(hint).toMatch(advice)
        expect(quote).toBe(message.includes('(500)') ? 'Bad key ***' : undefined)
      }
    },
  )

  test('a refused prompt waits for Retry-After and jitter from a doubling window, and is retried more than three times', async () => {
    const limited = answered(429, '')
    const { client, clock, lines } = bench([answered(429, '', 90_000), limited, limited, limited, answered(201)])
    expect(await client.createJob('x')).toMatchObject({ id: 'job_1' })
    expect(clock.sleeps).toEqual([60_000, 32_000, 5_000, 9_000, 17_000])
    expect(lines[0]).toMatch(/sending the prompt again in 92 s, at 2026-01-01 00:01:32 UTC\.$/)
    // A line a minute, as nothing else is said.
    expect(lines).toContain('Still waiting until 2026-01-01 00:01:32 UTC, for another 32 s.')
  })

  test('a wait that does not fit the deadline fails at once and names the time', async () => {
    const limited = answered(429, { error: 'Slow down.' }, 60_000)
    const { client, requests, clock } = bench([limited], { leftMs: 60_000 })
    const { code, quote, message, hint } = await errorOf(client.createJob('x'))
    expect([code, quote]).toEqual(['rate-limited', 'Slow down.'])
    expect(message).toContain('It asks to wait until 2026-01-01 00:01:00 UTC')
    expect(hint).toBeDefined()
    expect([requests.length, clock.sleeps]).toEqual([1, []])
  })

  const NOT_ASKED = /^The deadline passed before the prompt could be sent\. The service /

  test('a prompt that reached nobody is not tried again beyond the deadline, and the error says that nothing was asked', async () => {
    const { client, requests, clock } = bench([UNREACHABLE], { leftMs: 1_800 })
    const { code, message, hint } = await errorOf(client.createJob('x'))
    expect(code).toBe('deadline')
    expect(message).toMatch(NOT_ASKED)
    expect(hint).toContain('Check `base-url`')
    expect([requests.length, clock.sleeps]).toEqual([2, [1_000]])
  })

  test.each([
    ['at the deadline says that nothing was asked', 60_000, 'deadline', NOT_ASKED],
    ['before the deadline is about the network', 60_001, 'unreachable', /^The service /],
  ])('an attempt that sent nothing and ends %s', async (_name, leftMs, code, message) => {
    const clock = fakeClock()
    const silent: Transport = ({ timeoutMs }) => {
      clock.advance(timeoutMs)
      return Promise.resolve(failed('timeout', false))
    }
    const { client, requests } = bench([silent], { leftMs, clock })
    const error = await errorOf(client.createJob('x'))
    expect([error.code, requests.length]).toEqual([code, 1])
    expect(error.message).toMatch(message)
  })

  test('a POST may take a minute, and not beyond the deadline', async () => {
    const { client, requests, clock } = bench([answered(201)], { leftMs: 70_000 })
    for (const advanceMs of [0, 50_000]) {
      clock.advance(advanceMs)
      await client.createJob('x')
    }
    expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 20_000])
  })

  test.each([
    ['10 s of a long step', 3_600_000, 10_000],
    ['a tenth of a short step', 60_000, 6_000],
  ])('a prompt is not sent in the last %s, as its response could not be read', async (_what, leftMs, responseMs) => {
    const clock = fakeClock()
    const { client, requests } = bench([answered(201)], { leftMs, clock })
    clock.advance(leftMs - responseMs)
    await client.createJob('x')
    clock.advance(1)
    const { code, message, hint } = await errorOf(client.createJob('x'))
    expect([code, requests.length]).toEqual(['deadline', 1])
    expect(message).toContain('too little time was left for its response')
    expect(hint).toContain('timeout-minutes')
  })

  test('a rate limit whose end leaves no time for a response fails at once', async () => {
    const limited = answered(429, { error: 'Slow down.' }, 50_000)
    const { client, requests, clock } = bench([limited], { leftMs: 55_000 })
    expect((await errorOf(client.createJob('x'))).code).toBe('rate-limited')
    expect([requests.length, clock.sleeps]).toEqual([1, []])
  })

  test.each([
    ['while the loop was busy, before the prompt was sent,', 'onTurn', 0],
    ['between two tries', 'onSleep', 1],
  ])('a cancel that came %s is heard, and nothing more is sent', async (_when, hook, sent) => {
    const run = new AbortController()
    const cancel = (): void => {
      run.abort(CANCELLED)
    }
    const { client, requests } = bench([UNREACHABLE, answered(201)], { run, clock: fakeClock({ [hook]: cancel }) })
    expect(await errorOf(client.createJob('x'))).toBe(CANCELLED)
    expect(requests).toHaveLength(sent)
  })

  test('a prompt on its way when the run is cancelled gets time to be answered, and no more once it is', async () => {
    const run = new AbortController()
    const signals: (AbortSignal | undefined)[] = []
    const sleep: FakeClock['sleep'] = (_ms, signal) => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    const slow: Transport = async (_request, signal) => {
      run.abort(CANCELLED)
      await nextTurn()
      return signal.aborted ? failed('cancelled', true) : answered(201)
    }
    const { client } = bench([slow], { run, clock: { ...fakeClock(), sleep } })
    expect(await client.createJob('x')).toMatchObject({ id: 'job_1' })
    expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  })

  test.each([
    ['a prompt that was sent', 'createJob', true, 'unknown-fate', [1_000]],
    ['a prompt that was not sent', 'createJob', false, 'cancelled', [1_000]],
    ['a read', 'getJob', true, 'cancelled', []],
  ] as const)(
    '%s is given up when the run is cancelled, a prompt after a second',
    async (_what, ask, sent, code, sleeps) => {
      const run = new AbortController()
      const { client, clock, requests } = bench([untilAborted(run, sent)], { run })
      expect(await errorOf(client[ask]('job_1'))).toMatchObject({ code })
      expect([requests.length, clock.sleeps]).toEqual([1, sleeps])
    },
  )
})

test('each request is told with its time, its answer by status and size, and nothing of a body', async () => {
  const clock = fakeClock()
  const slow = (result: WireResult) => (): Promise<WireResult> => {
    clock.advance(34.6)
    return Promise.resolve(result)
  }
  const taken = answered(201, { id: 'job_1', model: '“secret”' })
  const cancelled: WireResult = { kind: 'failure', cause: 'cancelled', code: undefined, sent: false }
  const { client, debugLines } = bench([slow(taken), slow(failed('broken', true)), cancelled], { clock })
  await client.createJob('a secret')
  for (const code of ['unreachable', 'cancelled']) await expect(client.getJob('job_1')).rejects.toMatchObject({ code })
  expect(debugLines).toEqual([
    'POST /v2/agent/project/job: 201, 37 bytes, in 35 ms.',
    'GET /v2/agent/project/job/job_1: broken (ECODE), after it was sent, in 35 ms.',
    'GET /v2/agent/project/job/job_1: cancelled, not sent, in 0 ms.',
  ])
})

test.each([
  [undefined, 'Check `project-id` and `base-url`.'],
  ['job_1', 'Check `project-id`, `job-id` and `base-url`.'],
])('with the input `job-id` %j, the advice about a job that is not found is “%s”', async (jobId, hint) => {
  const { client } = bench([answered(404, { error: 'There is no such job.' })], { jobId })
  expect((await errorOf(client.getJob('job_1'))).hint).toBe(hint)
  expect((await errorOf(client.sendMessage('job_1', 'x'))).hint).toBe(hint)
})
