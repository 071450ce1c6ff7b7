import { expect, test } from '@jest/globals'
import { parseRetryAfter, redirectHost } from '../../src/docs-service/transport.ts'
import { connect } from '../../src/docs-service/client.ts'
import { createTryRead, namingTheTime, patienceMs } from '../../src/docs-service/retry.ts'
import { ActionError, ERROR_TITLES, type ErrorCode } from '../../src/runtime/errors.ts'
import { failure } from '../support/fake-client.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'
import { CLOSED_PORT, httpAnswer, serveSockets } from '../support/socket-server.ts'

test.each([
  ['https://login.example.com/sso?key=1', 'login.example.com'],
  ['HTTP://user:pass@Login.Example.com:8080', 'login.example.com:8080'],
  ['//login.example.com/sso', 'login.example.com'],
  ['https://[::1]:9/', '[::1]:9'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
])('%s leads to the host %s', (location, host) => {
  expect(redirectHost(location)).toBe(host)
})

test('a host that is none, or is not fit to be shown, is not told', () => {
  const odd = '/v2/agent javascript:alert(1) ftp://files.example.com https:// https://a`b.example.com'.split(' ')
  const long = [`https://${'a'.repeat(300)}.example.com`, `https://a.example.com/${'x'.repeat(3_000)}`]
  expect([undefined, ...odd, ...long].filter((location) => redirectHost(location) !== undefined)).toEqual([])
})

const NOW = 'Wed, 21 Oct 2026 07:28:00 GMT'

test.each([
  ['0', 0],
  [' 120 ', 120_000],
  ['007', 7_000],
  ['-1', 0],
  ['-99999999999999999999', 0],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
  ['Wednesday, 21-Oct-26 07:28:30 GMT', 30_000],
  ['Wed Oct 21 07:28:30 2026', 30_000],
  ['Wed, 21 Oct 2026 07:27:59 GMT', 0],
  ['9'.repeat(10), 1e11],
  ['9'.repeat(400), 1e11],
  ['Wed, 21 Oct 9999 07:28:00 GMT', 1e11],
])('%j asks to be left alone for %j ms', (value, expectedMs) => {
  expect(parseRetryAfter(value, NOW)).toBe(expectedMs)
})

test('what is neither digits nor an HTTP date asks for nothing', () => {
  const dates = ['after Wed, 21 Oct 2026 07:28:30 GMT', '2026-10-21T07:28:30Z', 'Wed, 99 Oct 2026 07:28:00 GMT']
  const values = [undefined, '', ' ', 'soon 5', ...'5.5 1e400 1e3 +5 0x10 5s soon NaN'.split(' '), ...dates]
  expect(values.filter((value) => parseRetryAfter(value, NOW) !== undefined)).toEqual([])
})

test('a date is read against the date of the answer, so that a clock that is off here does not matter', () => {
  expect(parseRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT')).toBe(60_000)
  for (const date of [undefined, '', '5', 'junk']) expect(parseRetryAfter(NOW, date)).toBeUndefined()
})

const { signal } = new AbortController()
const failing = (error: Error) => (): Promise<never> => Promise.reject(error)

test.each([
  [false, ['unreachable', 'rate-limited', 'service-error', 'bad-answer']],
  [true, ['unreachable', 'not-found', 'rate-limited', 'service-error', 'bad-answer']],
])('a read that fails is given back where it may pass (of a new job: %j), else thrown', async (isNew, passing) => {
  const tryRead = createTryRead(signal)
  const given: string[] = []
  for (const code of Object.keys(ERROR_TITLES) as ErrorCode[]) {
    const seen = await tryRead(failing(failure(code)), isNew).catch((error: unknown) => [error])
    if (seen instanceof ActionError) given.push(seen.code)
    else expect(seen).toEqual([failure(code)])
  }
  expect(given.sort()).toEqual(passing.sort())
  expect(await tryRead(() => Promise.resolve('a'))).toBe('a')
  await expect(tryRead(failing(new TypeError('x')))).rejects.toThrow(TypeError)
  const cancelled = createTryRead(AbortSignal.abort(failure('cancelled')))
  await expect(cancelled(failing(failure('unreachable')), isNew)).rejects.toThrow('It is cancelled.')
})

test('the tenth answer in a row that makes no sense is the last, and any other one begins the count anew', async () => {
  const tryRead = createTryRead(signal)
  const nonsense = (): Promise<unknown> => tryRead(failing(failure('bad-answer')))
  for (const other of [failing(failure('unreachable')), () => Promise.resolve('a')]) {
    for (let count = 0; count < 9; count++) await nonsense()
    await tryRead(other)
  }
  for (let count = 0; count < 9; count++) await nonsense()
  await expect(nonsense()).rejects.toMatchObject({ code: 'bad-answer' })
})

test('patience that fits the deadline is given, to the millisecond', () => {
  const patience = (retryAfterMs?: number) =>
    patienceMs(failure('rate-limited', retryAfterMs), fakeClock(), CLOCK_START_MS + 5_000)
  expect([patience(), patience(5_000)]).toEqual([0, 5_000])
  expect(() => patience(5_001)).toThrow('2026-01-01 00:00:06 UTC')
})

test('the time is named, and what the error said before stays', () => {
  const error = new ActionError('rejected', 'No.', { hint: 'Mend it.', quote: 'Busy.', retryAfterMs: 1_000 })
  expect(namingTheTime(error, fakeClock())).toMatchObject({ code: 'rejected', hint: 'Mend it.', quote: 'Busy.' })
  expect(namingTheTime(failure('rejected'), fakeClock()).message).toBe('It is rejected.')
})

/** No limit of time is reached: its sleeps never end. */
const CLOCK = { ...fakeClock(), sleep: () => new Promise<void>(() => undefined) }

function connectThrough(
  env: Record<string, string>,
  baseUrl = 'https://docs.example.com',
  signal = new AbortController().signal,
) {
  /** What was masked and what the log of a run in debug mode was told, in order. */
  const said: string[] = []
  const client = connect({
    baseUrl,
    apiKey: 'docs_key',
    projectId: 'docs',
    env,
    deadlineAt: CLOCK_START_MS + 60_000,
    clock: CLOCK,
    signal,
    random: () => 0.5,
    log: () => undefined,
    debug: (line) => said.push(line),
    mask: (secret) => said.push(`mask ${secret}`),
    redact: (text) => text,
  })
  return { client, said }
}

const PROXY = 'http://user:p%40ss-word@proxy.example.com:8080'

test("masks a proxy's password before anything is said or sent, also of one that only GitHub is reached through", () => {
  const { said } = connectThrough({ HTTPS_PROXY: PROXY })
  expect(said).toContain('mask p@ss-word')
  expect(said.at(-1)).toBe('Requests to the service go through the proxy at proxy.example.com:8080.')
  expect(connectThrough({ HTTPS_PROXY: PROXY, NO_PROXY: 'docs.example.com' }).said).toEqual(said.slice(0, -1))
  expect(connectThrough({}).said).toEqual([])
})

test('each request is told with its time, its answer by status and size, and nothing of a body', async () => {
  const server = await serveSockets({
    onRequest(socket, request) {
      CLOCK.advance(34.6)
      if (request.startsWith('POST')) socket.end(httpAnswer(201, '{"id":"job_1","model":"“secret”"}'))
      else socket.resetAndDestroy()
    },
  })
  const { client, said } = connectThrough({}, `http://127.0.0.1:${server.port}`)
  await client.createJob('a secret')
  await expect(client.getJob('job_1')).rejects.toThrow(ActionError)
  await server.close()
  const cancelled = connectThrough({}, `http://127.0.0.1:${CLOSED_PORT}`, AbortSignal.abort())
  await expect(cancelled.client.getJob('job_1')).rejects.toThrow(ActionError)

  expect([...said, ...cancelled.said]).toEqual([
    'POST /v2/agent/docs/job: 201, 37 bytes, in 35 ms.',
    'GET /v2/agent/docs/job/job_1: broken (ECONNRESET), after it was sent, in 35 ms.',
    'GET /v2/agent/docs/job/job_1: cancelled, not sent, in 0 ms.',
  ])
})
