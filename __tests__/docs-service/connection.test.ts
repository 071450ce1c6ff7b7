import { expect, test } from '@jest/globals'
import type { DocsServiceClient } from '../../src/docs-service/client.ts'
import { connect } from '../../src/docs-service/connect.ts'
import { adviseOn, type Operation } from '../../src/docs-service/operation.ts'
import { namingTheTime, ReadAgain } from '../../src/docs-service/read-again.ts'
import { redirectHost } from '../../src/docs-service/redirect-host.ts'
import { parseRetryAfter } from '../../src/docs-service/retry-after.ts'
import { traceTransport } from '../../src/docs-service/trace-transport.ts'
import type { WireResult } from '../../src/docs-service/transport.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { failure } from '../support/fake-client.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'
import { httpAnswer, serveSockets } from '../support/socket-server.ts'

const OPERATIONS: readonly Operation[] = [
  { kind: 'create', projectId: 'docs' },
  { kind: 'message', projectId: 'docs', jobId: 'job_1' },
  { kind: 'read', projectId: 'docs', jobId: 'job_1' },
  { kind: 'visitors', projectId: 'docs' },
]
const STATUSES = [400, 401, 402, 403, 404, 405, 413, 415, 418, 422, 425, 429, 500, 503]

test.each(OPERATIONS)('all advice for $kind fits what it sends', (operation) => {
  const advice = STATUSES.map((status) => adviseOn(status, operation))
  for (const sentence of advice) expect(sentence).toMatch(/^[A-Z].*\.$/)
  const all = advice.join(' ')
  const { kind } = operation
  expect(/prompt|credits/.test(all)).toBe(kind === 'create' || kind === 'message')
  expect(all.includes('`job-id`')).toBe(operation.jobId !== undefined)
  expect(/`date-from`|analytics|export/.test(all)).toBe(kind === 'visitors')
  expect(all.includes('write access')).toBe(kind === 'create' || kind === 'message')
})

test.each([
  ['https://login.example.com/sso?key=1', 'login.example.com'],
  ['HTTP://user:pass@Login.Example.com:8080', 'login.example.com:8080'],
  ['//login.example.com/sso', 'login.example.com'],
  ['https://[::1]:9/', '[::1]:9'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
])('%s leads to %s', (location, host) => {
  expect(redirectHost(location)).toBe(host)
})

test.each([
  undefined,
  '',
  '/v2/agent',
  'login',
  'javascript:alert(1)',
  'ftp://files.example.com',
  'https://',
  'https://a`b.example.com',
  `https://${'a'.repeat(300)}.example.com`,
  `https://a.example.com/${'x'.repeat(3_000)}`,
])('%s names no host that is fit to be shown', (location) => {
  expect(redirectHost(location)).toBeUndefined()
})

async function trace(result: WireResult): Promise<string[]> {
  const clock = fakeClock()
  const signal = new AbortController().signal
  const lines: string[] = []
  const slow = {
    async send() {
      await clock.sleep(34.6, signal)
      return result
    },
  }
  const request = { method: 'POST', path: '/v2/agent/docs/job', body: 'a secret', timeoutMs: 1_000 } as const
  expect(await traceTransport(slow, clock, (line) => lines.push(line)).send(request, signal)).toBe(result)
  return lines
}

test('an answer is told by its status and size, and nothing of a body is', async () => {
  expect(await trace({ kind: 'answer', status: 201, body: '“secret”', retryAfterMs: undefined })).toEqual([
    'POST /v2/agent/docs/job: 201, 12 bytes, in 35 ms.',
  ])
})

test('a failure is told by its cause, and whether anything was sent', async () => {
  expect(await trace({ kind: 'failure', cause: 'broken', code: 'ECONNRESET', sent: true })).toEqual([
    'POST /v2/agent/docs/job: broken (ECONNRESET), after it was sent, in 35 ms.',
  ])
  expect(await trace({ kind: 'failure', cause: 'timeout', code: undefined, sent: false })).toEqual([
    'POST /v2/agent/docs/job: timeout, not sent, in 35 ms.',
  ])
})

function reads(leftMs = 60_000): { again: ReadAgain; controller: AbortController } {
  const clock = fakeClock()
  const controller = new AbortController()
  const step = { clock, signal: controller.signal, deadlineAt: clock.now() + leftMs }
  return { again: new ReadAgain(step), controller }
}

const failing = (error: Error) => (): Promise<never> => Promise.reject(error)

test('gives what was read', async () => {
  expect(await reads().again.attempt(() => Promise.resolve('a'))).toBe('a')
})

test('gives a problem that may pass, and throws one that may not', async () => {
  const { again } = reads()
  expect(await again.attempt(failing(failure('service-error')))).toMatchObject({ code: 'service-error' })
  await expect(again.attempt(failing(failure('unauthorized')))).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(again.attempt(failing(new TypeError('x')))).rejects.toThrow(TypeError)
})

test('what was just created may be missing, and nothing else', async () => {
  const { again } = reads()
  expect(await again.attempt(failing(failure('not-found')), true)).toMatchObject({ code: 'not-found' })
  await expect(again.attempt(failing(failure('not-found')))).rejects.toMatchObject({ code: 'not-found' })
})

test('the tenth answer in a row that makes no sense is the last, and any other one begins the count anew', async () => {
  const { again } = reads()
  const nonsense = (): Promise<unknown> => again.attempt(failing(failure('bad-answer')))
  for (let count = 0; count < 9; count++) await nonsense()
  await again.attempt(failing(failure('unreachable')))
  for (let count = 0; count < 9; count++) await nonsense()
  await expect(nonsense()).rejects.toMatchObject({ code: 'bad-answer' })
})

test('a cancelled run is not told that a read failed', async () => {
  const { again, controller } = reads()
  controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  await expect(again.attempt(failing(failure('unreachable')))).rejects.toMatchObject({ code: 'cancelled' })
})

test('patience that fits the deadline is given, to the millisecond', () => {
  const { again } = reads(5_000)
  expect(again.patienceMs(failure('unreachable'))).toBe(0)
  expect(again.patienceMs(failure('rate-limited', 5_000))).toBe(5_000)
  expect(() => again.patienceMs(failure('rate-limited', 5_001))).toThrow('2026-01-01 00:00:06 UTC')
})

test('the time is named, and what the error said before stays', () => {
  const error = new ActionError('rejected', 'No.', { hint: 'Mend it.', quote: 'Busy.', retryAfterMs: 1_000 })
  expect(namingTheTime(error, fakeClock())).toMatchObject({ code: 'rejected', hint: 'Mend it.', quote: 'Busy.' })
  expect(namingTheTime(failure('rejected'), fakeClock()).message).toBe('It is rejected.')
})

interface Connected {
  readonly client: DocsServiceClient
  readonly masked: readonly string[]
  /** What was masked by the time of each debug line. */
  readonly maskedBefore: readonly (readonly string[])[]
}

function connectThrough(env: Record<string, string>, baseUrl = 'https://docs.example.com'): Connected {
  const masked: string[] = []
  const maskedBefore: string[][] = []
  // No limit of time is reached: its sleeps never end.
  const standing = { ...fakeClock(), sleep: () => new Promise<void>(() => undefined) }
  const client = connect(
    {
      baseUrl,
      apiKey: 'docs_key',
      projectId: 'docs-demo',
      env,
      deadlineAt: CLOCK_START_MS + 60_000,
    },
    {
      clock: standing,
      signal: new AbortController().signal,
      random: () => 0.5,
      log: () => undefined,
      debug: () => maskedBefore.push([...masked]),
      mask: (secret) => masked.push(secret),
      redact: (text) => text,
    },
  )
  return { client, masked, maskedBefore }
}

const PROXY = 'http://user:p%40ss-word@proxy.example.com:8080'

test("masks the proxy's password before anything is said or sent", () => {
  const { masked, maskedBefore } = connectThrough({ HTTPS_PROXY: PROXY })
  expect(masked).toContain('p@ss-word')
  expect(maskedBefore).toEqual([masked])
})

test('masks the password of a proxy that only GitHub is reached through', () => {
  expect(connectThrough({ HTTPS_PROXY: PROXY, NO_PROXY: 'docs.example.com' }).masked).toContain('p@ss-word')
})

test('has nothing to mask without a proxy', () => {
  expect(connectThrough({}).masked).toEqual([])
})

test('says by its user agent who asks', async () => {
  const server = await serveSockets({ onRequest: (socket) => socket.end(httpAnswer(404, '')) })
  const { client } = connectThrough({}, `http://127.0.0.1:${server.port}`)
  await expect(client.getJob('job_1')).rejects.toThrow(ActionError)
  await server.close()
  expect(server.requests[0]).toMatch(/^user-agent: docs-agent-action\r$/im)
})

test('refuses a proxy address that is none', () => {
  expect(() => connectThrough({ HTTPS_PROXY: 'http://[proxy' })).toThrow(ActionError)
})

const NOW = 'Wed, 21 Oct 2026 07:28:00 GMT'

test.each([
  ['0', 0],
  ['5', 5_000],
  [' 120 ', 120_000],
  ['007', 7_000],
])('%j is a number of seconds', (value, expected) => {
  expect(parseRetryAfter(value, NOW)).toBe(expected)
})

test.each([['Wed, 21 Oct 2026 07:28:30 GMT'], ['Wednesday, 21-Oct-26 07:28:30 GMT'], ['Wed Oct 21 07:28:30 2026']])(
  'the date %s is read against the date of the answer',
  (value) => {
    expect(parseRetryAfter(value, NOW)).toBe(30_000)
  },
)

test('a clock that is off here does not matter', () => {
  expect(parseRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT')).toBe(60_000)
})

test.each(['-1', '-99999999999999999999', 'Wed, 21 Oct 2026 07:27:59 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
  '%j is past, so there is nothing to wait for',
  (value) => {
    expect(parseRetryAfter(value, NOW)).toBe(0)
  },
)

test.each(['9'.repeat(10), '9'.repeat(400), 'Wed, 21 Oct 9999 07:28:00 GMT'])(
  '%j is longer than any step lasts, and short enough to reckon a date from',
  (value) => {
    const delayMs = parseRetryAfter(value, NOW) ?? 0

    expect(delayMs).toBeGreaterThan(360 * 60_000)
    expect(() => new Date(Date.now() + delayMs).toISOString()).not.toThrow()
  },
)

test.each([
  undefined,
  '',
  ' ',
  '5.5',
  '1e400',
  '1e3',
  '+5',
  '0x10',
  '5s',
  'soon',
  'soon 5',
  'after 2099',
  'after Wed, 21 Oct 2026 07:28:30 GMT',
  '2026-10-21T07:28:30Z',
  'Wed, 99 Oct 2026 07:28:00 GMT',
  'Infinity',
  'NaN',
])('%j says nothing usable', (value) => {
  expect(parseRetryAfter(value, NOW)).toBeUndefined()
})

test.each([undefined, '', '5', 'junk'])('a date cannot be read against the date %j', (date) => {
  expect(parseRetryAfter('Wed, 21 Oct 2026 07:28:30 GMT', date)).toBeUndefined()
})
