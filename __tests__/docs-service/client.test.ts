import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import {
  CHECK_BEFORE_RESENDING,
  createClient,
  type DocsServiceClient,
  UNKNOWN_DELIVERY_HINT,
} from '../../src/docs-service/client.ts'
import type { Job } from '../../src/docs-service/schemas.ts'
import type { Transport, WireRequest, WireResult } from '../../src/docs-service/transport.ts'
import type { FailureCause } from '../../src/http/exchange.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { deliverPrompt, getAcceptedJob } from '../../testing/deliver-prompt.ts'
import { CLOCK_START_MS, fakeClock, type FakeClock } from '../../testing/fake-clock.ts'

const KEY = 'dk_0123456789abcdef'
const CANCELLED = new ActionError('cancelled', 'The run was cancelled.')

function createResponse(status: number, fields: unknown = { id: 'job_1', status: 'active' }, retryAfterMs?: number) {
  const body = typeof fields === 'string' ? fields : JSON.stringify(fields)
  return { kind: 'response', status, body, retryAfterMs } satisfies WireResult
}
const createFailure = (cause: FailureCause, sent: boolean): WireResult => ({
  kind: 'failure',
  cause,
  code: 'ECODE',
  sent,
})
const UNREACHABLE = createFailure('no-connection', false)

interface Given {
  /** The remaining time of the step. */
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
}

/** Creates a client whose transport returns the results of a script, and the last one from then on. */
function createBench(script: readonly (WireResult | Transport)[], given: Given = {}) {
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
    transport,
    clock,
    signal: run.signal,
    deadlineAt: CLOCK_START_MS + leftMs,
    jobId,
    debug: (line) => debugLines.push(line),
  })
  const step = { client, clock, signal: run.signal }
  return {
    client,
    createJob: () => deliverPrompt(step, (line) => lines.push(line)),
    clock,
    requests,
    lines,
    debugLines,
  }
}

async function getError(promise: Promise<unknown>): Promise<ActionError> {
  const error: unknown = await promise.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ActionError)
  return error as ActionError
}

/** Sends a follow-up once. */
async function sendMessage(client: DocsServiceClient): Promise<Job> {
  const delivery = await client.sendMessage('job_1', 'x')
  if (delivery.kind === 'retry') throw delivery.error
  return getAcceptedJob(delivery)
}

/** Cancels the run, and does not respond until the client aborts the request. */
const failWhenAborted =
  (run: AbortController, sent: boolean): Transport =>
  (_request, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(createFailure('cancelled', sent))
      })
      run.abort(CANCELLED)
    })

test('limits a read to 30 seconds, and to one second after the deadline or `endsAt`', async () => {
  const { client, requests, clock } = createBench([createResponse(200)], { leftMs: 40_000 })
  await client.getJob('job_1', CLOCK_START_MS + 6_000)
  for (const advanceMs of [0, 30_000, 10_000, 10_000]) {
    clock.advance(advanceMs)
    await client.getJob('job_1')
  }
  expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([7_000, 30_000, 11_000, 1_000, 1_000])
})

test('gives the analytics of a long range two minutes to respond', async () => {
  const { client, requests } = createBench([createResponse(200)])
  await getError(client.getVisitors({}))
  expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([120_000])
})

test.each<[unknown]>([
  [''],
  [`<html>${KEY}</html>`],
  [`{"id":"job_1","status":${KEY}`],
  [{ id: `../${KEY}` }],
  [{ id: 'job_2', status: 'completed' }],
])('rejects a response that is invalid or about another job, and does not quote it: %j', async (body) => {
  const { client } = createBench([createResponse(200, body)])
  const requests = [client.getJob('job_1'), client.getVisitors({}), sendMessage(client)]
  const errors = await Promise.all(requests.map(getError))
  expect(errors.map(({ code }) => code)).toEqual(['invalid-response', 'invalid-response', 'maybe-sent'])
  const texts = errors.flatMap(({ message, hint, quote, stack }) => [message, hint, quote, stack])
  expect(texts.join('\n')).not.toContain('dk_')
})

test('quotes the error of a service that sends it with the status 200', async () => {
  const { client } = createBench([createResponse(200, { error: { code: 'quota', message: 'No jobs are left.' } })])
  for (const request of [sendMessage(client), client.getJob('job_1')])
    expect(await getError(request)).toMatchObject({ quote: 'No jobs are left.' })
  // The response is from the service, so no advice about proxies and login pages.
  expect((await getError(sendMessage(client))).hint).toBe(CHECK_BEFORE_RESENDING)
})

test('the message of a refusal names the project or the job of the request', async () => {
  const { client } = createBench([createResponse(404, {})])
  const aboutProject = [client.createJob('x'), client.getVisitors({})]
  for (const request of aboutProject)
    expect((await getError(request)).message).toBe('The service did not find project project (404).')
  for (const request of [client.sendMessage('job_1', 'x'), client.getJob('job_1')])
    expect((await getError(request)).message).toBe('The service did not find job job_1 in project project (404).')
})

describe('send prompt', () => {
  test('resends a prompt that does not reach the service for a minute, with growing delays', async () => {
    const never = createBench([UNREACHABLE])
    expect(await getError(never.createJob())).toMatchObject({ code: 'unreachable' })
    const { sleeps } = never.clock
    expect(never.clock.passed()).toBe(60_000)
    expect(sleeps.slice(0, -1)).toEqual(sleeps.slice(0, -1).toSorted((a, b) => a - b))
    expect(never.lines.slice(1)).toEqual(
      sleeps.map((ms): unknown => expect.stringContaining(`the prompt again in ${ms / 1_000} s`)),
    )

    const late = createBench([UNREACHABLE, UNREACHABLE, createResponse(201)])
    expect(await late.createJob()).toMatchObject({ id: 'job_1' })
    expect(late.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"prompt":"x"}'))
  })

  test('sends a prompt once, and returns when it can be resent', async () => {
    const clock = fakeClock()
    const refuse = (): Promise<WireResult> => {
      clock.advance(30_000)
      return Promise.resolve(UNREACHABLE)
    }
    const { client, requests } = createBench([createResponse(429, '', 60_000), refuse], { clock })
    const refused = await client.sendMessage('job_1', 'x')
    expect(refused).toMatchObject({ kind: 'retry', afterMs: 62_000, error: { code: 'rate-limited' } })
    clock.advance(62_000)
    expect(await client.sendMessage('job_1', 'x', 2)).toMatchObject({ kind: 'retry', afterMs: 2_000 })
    expect(await getError(client.sendMessage('job_1', 'x', 3))).toMatchObject({ code: 'unreachable' })
    expect([requests.length, clock.sleeps]).toEqual([3, []])
  })

  const ADDRESS = / Check `base-url`: a proxy or a login page may respond instead of the service\.$/
  const LOOK = /^Before you run the step again, look .* repository\.$/

  test.each<[string, WireResult, RegExp]>([
    ['the connection breaks', createFailure('broken', false), LOOK],
    ['the service fails', createResponse(500, { error: `Bad key ${KEY}` }), LOOK],
    ['a login page responds', createResponse(200, '<html>Sign in</html>'), ADDRESS],
    ['the response names no job', createResponse(201, { id: '../job_1', status: 'active' }), ADDRESS],
    [
      'the response redirects',
      { ...createResponse(302, ''), redirectHost: 'login.example.com' },
      / redirects to `login\.example\.com`\.$/,
    ],
  ])('does not resend a prompt if %s, and reports that it may have been accepted', async (_name, result, advice) => {
    for (const isFollowUp of [false, true]) {
      const { client, createJob, requests, clock } = createBench([result, createResponse(201)])
      const { code, message, hint, quote } = await getError(isFollowUp ? sendMessage(client) : createJob())
      expect([code, requests.length, clock.sleeps]).toEqual(['maybe-sent', 1, []])
      // The job of a follow-up exists in any case. A step that attaches to it could report the preceding turn.
      expect(message).toContain(isFollowUp ? 'the agent may be working on it' : 'the job may exist')
      expect(isFollowUp ? hint?.replace(CHECK_BEFORE_RESENDING, UNKNOWN_DELIVERY_HINT) : hint).toMatch(advice)
      expect(quote).toBe(message.includes('(500)') ? 'Bad key ***' : undefined)
    }
  })

  test('resends a refused prompt after Retry-After and jitter from a doubling window, more than three times', async () => {
    const limited = createResponse(429, '')
    const { createJob, clock, lines } = createBench([
      createResponse(429, '', 90_000),
      limited,
      limited,
      limited,
      createResponse(201),
    ])
    expect(await createJob()).toMatchObject({ id: 'job_1' })
    const [, , ...later] = clock.sleeps
    expect(later).toEqual(later.toSorted((a, b) => a - b))
    expect(lines[1]).toMatch(/sending the prompt again in 92 s, at 2026-01-01 00:01:32 UTC\.$/)
    // One line a minute, because nothing else is logged.
    expect(lines).toContain('Still waiting until 2026-01-01 00:01:32 UTC, for another 32 s.')
  })

  test('fails immediately if a wait would pass the deadline, and names the time', async () => {
    const limited = createResponse(429, { error: 'Slow down.' }, 60_000)
    const { createJob, requests, clock } = createBench([limited], { leftMs: 60_000 })
    const { code, quote, message, hint } = await getError(createJob())
    expect([code, quote]).toEqual(['rate-limited', 'Slow down.'])
    expect(message).toContain('It asks to wait until 2026-01-01 00:01:00 UTC')
    expect(hint).toBeDefined()
    expect([requests.length, clock.sleeps]).toEqual([1, []])
  })

  const NOT_SENT = /^The deadline passed before the prompt could be sent\. The service /

  test('does not resend a prompt after the deadline, and reports that it could not be sent', async () => {
    const { createJob, requests, clock } = createBench([UNREACHABLE], { leftMs: 1_800 })
    const { code, message, hint } = await getError(createJob())
    expect(code).toBe('deadline')
    expect(message).toMatch(NOT_SENT)
    expect(hint).toContain('Check `base-url`')
    expect([requests.length, clock.sleeps]).toEqual([2, [1_000]])
  })

  test.each([
    ['at the deadline reports that the prompt could not be sent', 300_000, 'deadline', NOT_SENT],
    ['before the deadline reports the network problem', 300_001, 'unreachable', /^The service /],
  ])('an attempt that sent nothing and ends %s', async (_name, leftMs, code, message) => {
    const clock = fakeClock()
    const silent: Transport = ({ timeoutMs }) => {
      clock.advance(timeoutMs)
      return Promise.resolve(createFailure('timeout', false))
    }
    const { createJob, requests } = createBench([silent], { leftMs, clock })
    const error = await getError(createJob())
    expect([error.code, requests.length]).toEqual([code, 1])
    expect(error.message).toMatch(message)
  })

  test('waits five minutes for the response to a POST, and not longer than the deadline', async () => {
    const { createJob, requests, clock } = createBench([createResponse(201)], { leftMs: 400_000 })
    for (const advanceMs of [0, 380_000]) {
      clock.advance(advanceMs)
      await createJob()
    }
    expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([300_000, 20_000])
  })

  test.each([
    ['10 s of a long step', 3_600_000, 10_000],
    ['a tenth of a short step', 60_000, 6_000],
  ])(
    'does not send a prompt in the last %s, because its response could not be read',
    async (_what, leftMs, responseMs) => {
      const clock = fakeClock()
      const { createJob, requests } = createBench([createResponse(201)], { leftMs, clock })
      clock.advance(leftMs - responseMs)
      await createJob()
      clock.advance(1)
      const { code, message, hint } = await getError(createJob())
      expect([code, requests.length]).toEqual(['deadline', 1])
      expect(message).toContain('too little time was left for its response')
      expect(hint).toContain('timeout-minutes')
    },
  )

  test('fails immediately if a rate limit leaves no time for a response', async () => {
    const limited = createResponse(429, { error: 'Slow down.' }, 50_000)
    const { createJob, requests, clock } = createBench([limited], { leftMs: 55_000 })
    const { code, message } = await getError(createJob())
    expect(code).toBe('rate-limited')
    expect(message).toMatch(/00:00:50 UTC, which leaves too little time for a response before this step's deadline\.$/)
    expect([requests.length, clock.sleeps]).toEqual([1, []])
  })

  test.each([
    ['while the event loop is busy, before the prompt is sent', 'onYield', 0],
    ['between two attempts', 'onSleep', 1],
  ])('sends nothing after a cancellation %s', async (_when, hook, sent) => {
    const run = new AbortController()
    const cancel = (): void => {
      run.abort(CANCELLED)
    }
    const { createJob, requests } = createBench([UNREACHABLE, createResponse(201)], {
      run,
      clock: fakeClock({ [hook]: cancel }),
    })
    expect(await getError(createJob())).toBe(CANCELLED)
    expect(requests).toHaveLength(sent)
  })

  test('waits for the response to a sent prompt when the run is cancelled, and not longer', async () => {
    const run = new AbortController()
    const signals: (AbortSignal | undefined)[] = []
    const sleep: FakeClock['sleep'] = (_ms, signal) => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    const slow: Transport = async (_request, signal) => {
      run.abort(CANCELLED)
      await nextTurn()
      return signal.aborted ? createFailure('cancelled', true) : createResponse(201)
    }
    const { createJob } = createBench([slow], { run, clock: { ...fakeClock(), sleep } })
    expect(await createJob()).toMatchObject({ id: 'job_1' })
    expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  })

  test.each([
    ['a prompt that was sent', 'createJob', true, 'maybe-sent', [1_000]],
    ['a prompt that was not sent', 'createJob', false, 'cancelled', [1_000]],
    ['a read', 'getJob', true, 'cancelled', []],
  ] as const)(
    'aborts %s when the run is cancelled, a prompt only after a second',
    async (_what, method, sent, code, sleeps) => {
      const run = new AbortController()
      const { client, createJob, clock, requests } = createBench([failWhenAborted(run, sent)], { run })
      const request = method === 'getJob' ? client.getJob('job_1') : createJob()
      expect(await getError(request)).toMatchObject({ code })
      expect([requests.length, clock.sleeps]).toEqual([1, sleeps])
    },
  )
})

test('logs each request with its duration, status and size, and never a body', async () => {
  const clock = fakeClock()
  const slow = (result: WireResult) => (): Promise<WireResult> => {
    clock.advance(34.6)
    return Promise.resolve(result)
  }
  const accepted = createResponse(201, { id: 'job_1', model: '“secret”' })
  const cancelled: WireResult = { kind: 'failure', cause: 'cancelled', code: undefined, sent: false }
  const { client, debugLines } = createBench([slow(accepted), slow(createFailure('broken', true)), cancelled], {
    clock,
  })
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
])('with the input `job-id` %j, the hint about a missing job is “%s”', async (jobId, hint) => {
  const { client } = createBench([createResponse(404, { error: 'There is no such job.' })], { jobId })
  expect((await getError(client.getJob('job_1'))).hint).toBe(hint)
  expect((await getError(client.sendMessage('job_1', 'x'))).hint).toBe(hint)
})
