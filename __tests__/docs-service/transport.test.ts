import * as diagnosticsChannel from 'node:diagnostics_channel'
import { once } from 'node:events'
import { afterEach, expect, test } from '@jest/globals'
import {
  createTransport,
  parseRetryAfter,
  redirectHost,
  type TransportOptions,
  type WireResult,
} from '../../src/docs-service/transport.ts'
import { systemClock, type Clock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { formatResponse, serveSockets, type SocketBehaviour, type SocketServer } from '../../testing/socket-server.ts'

// Broken connections, including those with TLS and behind a proxy, are in __tests__/faults.

const KEY = 'dk_secret-key'
const PATH = '/v2/agent/project/job'
const BODY = '{"prompt":"Grüße"}'
const RESPONSE = formatResponse(201, '{"id":"job_1","status":"active"}')
/** Longer than any exchange on loopback. */
const LONG_MS = 30_000

const servers: SocketServer[] = []

// Closing waits for the last connection, so a transport that leaves one open fails its test.
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(behaviour: SocketBehaviour): Promise<SocketServer> {
  const server = await serveSockets(behaviour)
  servers.push(server)
  return server
}

const at = ({ port }: SocketServer): string => `http://127.0.0.1:${port}`

interface SendOptions extends Partial<TransportOptions> {
  readonly method?: 'GET' | 'POST'
  readonly path?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

const quiet = (): void => undefined

function send(baseUrl: string, given: SendOptions = {}): Promise<WireResult> {
  const { method = 'POST', path = PATH, timeoutMs = LONG_MS, signal = new AbortController().signal, ...options } = given
  const transport = createTransport({
    baseUrl,
    apiKey: KEY,
    clock: systemClock,
    env: {},
    mask: quiet,
    debug: quiet,
    ...options,
  })
  return transport({ method, path, timeoutMs, ...(method === 'POST' ? { body: BODY } : {}) }, signal)
}

const respondWith = (text: string): SocketBehaviour => ({ onRequest: (socket) => socket.end(text) })

function parseHeaders(request: string): Record<string, string> {
  const lines = request.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? []
  return Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]))
}

test('sends a POST below the path prefix of the base URL, with the key and the unchanged body', async () => {
  const server = await serve(respondWith(RESPONSE))
  await send(`${at(server)}/prefix`)

  const request = server.requests[0] ?? ''
  expect(request.split('\r\n')[0]).toBe(`POST /prefix${PATH} HTTP/1.1`)
  expect(parseHeaders(request)).toMatchObject({
    host: `127.0.0.1:${server.port}`,
    accept: 'application/json',
    'accept-encoding': 'identity',
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    'content-length': '20',
    'user-agent': 'docs-agent-action',
  })
  expect(Buffer.from(request, 'latin1').toString().endsWith(`\r\n\r\n${BODY}`)).toBe(true)
})

test('sends a GET with its query and without a body', async () => {
  const server = await serve(respondWith(RESPONSE))
  const path = '/v1/analytics/project/visitors?dateFrom=2026-01-01&limit=250'
  await send(at(server), { method: 'GET', path })
  const request = server.requests[0] ?? ''
  expect(request.split('\r\n')[0]).toBe(`GET ${path} HTTP/1.1`)
  expect(parseHeaders(request)).not.toHaveProperty('content-type')
  expect(request.endsWith('\r\n\r\n')).toBe(true)
})

test.each([200, 204, 404, 500])('returns a response with status %i', async (status) => {
  const body = status === 204 ? '' : '{"error":"Grüße"}'
  const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }
  const server = await serve(respondWith(formatResponse(status, body, headers)))
  expect(await send(at(server))).toEqual({ kind: 'response', status, body, retryAfterMs: 7_000 })
})

test.each([302, 307])('returns redirect %i with its host, and does not follow it', async (status) => {
  const elsewhere = await serve(respondWith(RESPONSE))
  const server = await serve(respondWith(formatResponse(status, '', { location: `${at(elsewhere)}/?to=x` })))
  expect(await send(at(server))).toMatchObject({
    kind: 'response',
    status,
    redirectHost: `127.0.0.1:${elsewhere.port}`,
  })
  expect([server.connections(), elsewhere.connections()]).toEqual([1, 0])
})

/** A clock whose sleeps end when the test calls `endTime`. */
function manualClock(): { clock: Clock; sleeps: number[]; endTime: () => void } {
  const over = new AbortController()
  const sleeps: number[] = []
  const sleep = async (ms: number): Promise<void> => {
    sleeps.push(ms)
    await once(over.signal, 'abort')
  }
  const endTime = (): void => {
    over.abort()
  }
  return { clock: { ...systemClock, sleep }, sleeps, endTime }
}

test.each([
  [200, { kind: 'failure', cause: 'timeout', code: undefined, sent: true }],
  [401, { kind: 'response', status: 401, body: '' }],
])('a timeout ends an endless body, and an error status is returned anyway: %i', async (status, result) => {
  const { clock, sleeps, endTime } = manualClock()
  const server = await serve({
    onRequest(socket) {
      let count = 0
      socket.write(`HTTP/1.1 ${status} x\r\ncontent-length: 100000\r\n\r\n`)
      const timer = setInterval(() => {
        socket.write(' ')
        if (++count === 10) endTime()
      }, 5)
      socket.on('close', () => {
        clearInterval(timer)
      })
    },
  })

  expect(await send(at(server), { clock, timeoutMs: 1234 })).toMatchObject(result)
  expect(sleeps).toEqual([1234])
})

test('accepts a body of 4 MiB, and rejects a larger one', async () => {
  const maxBytes = 4 * 1024 * 1024
  const fits = await serve(respondWith(formatResponse(200, 'x'.repeat(maxBytes))))
  const tooLarge = await serve(respondWith(formatResponse(200, 'x'.repeat(maxBytes + 1))))
  expect(await send(at(fits))).toMatchObject({ kind: 'response', status: 200 })
  expect(await send(at(tooLarge))).toEqual({
    kind: 'failure',
    cause: 'too-large',
    code: 'RESPONSE_TOO_LARGE',
    error: expect.any(Error),
    sent: true,
  })
})

test('a cancelled run ends the exchange immediately, and the result states whether it was sent', async () => {
  const controller = new AbortController()
  const server = await serve({
    onRequest() {
      controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })

  expect(await send(at(server), { signal: controller.signal })).toMatchObject({ cause: 'cancelled', sent: true })
})

test.each<[string, SendOptions, string]>([
  ['a run that was already cancelled', { signal: AbortSignal.abort() }, 'cancelled'],
  ['an invalid request', { apiKey: 'a\r\nb' }, 'invalid'],
])('%s opens no connection', async (_name, given, cause) => {
  const server = await serve(respondWith(RESPONSE))
  expect(await send(at(server), given)).toMatchObject({ kind: 'failure', cause, sent: false })
  expect(server.connections()).toBe(0)
})

test.each(['/../x', '/v2/%2e%2e/x', '/a\\b', '@elsewhere.example/', '.elsewhere.example/', ':81/x', '/a\nb'])(
  'sends nothing for the path %j, which would leave the base URL',
  async (path) => {
    const proxy = await serve(respondWith(RESPONSE))
    const sending = send('http://service.example', { path, env: { http_proxy: at(proxy) } })
    await expect(sending).rejects.toThrow('leave the base URL')
    expect(proxy.connections()).toBe(0)
  },
)

test('a path that begins with two slashes stays on the host', async () => {
  const server = await serve(respondWith(RESPONSE))
  await send(at(server), { path: '//127.0.0.2/x' })
  expect(server.requests[0]).toMatch(/^POST \/\/127\.0\.0\.2\/x /)
})

test('stops its timer and its subscription after the response', async () => {
  const server = await serve(respondWith(RESPONSE))
  const signals: (AbortSignal | undefined)[] = []
  const sleep: Clock['sleep'] = (ms, signal) => {
    signals.push(signal)
    return systemClock.sleep(ms, signal)
  }

  await send(at(server), { clock: { ...systemClock, sleep } })

  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  expect(diagnosticsChannel.hasSubscribers('undici:client:sendHeaders')).toBe(false)
})

test('a request through a proxy counts as sent when it is in the tunnel', async () => {
  const proxy = await serve({
    onRequest(socket, request) {
      if (request.startsWith('CONNECT ')) socket.write('HTTP/1.1 200 x\r\n\r\n')
      else socket.resetAndDestroy()
    },
  })

  const result = await send('http://service.example', { env: { http_proxy: at(proxy) } })
  expect(result).toMatchObject({ cause: 'broken', sent: true })
  expect(proxy.requests.map((request) => request.split('\r\n')[0])).toEqual([
    'CONNECT service.example:80 HTTP/1.1',
    `POST ${PATH} HTTP/1.1`,
  ])
  expect(proxy.requests[0]).not.toContain(KEY)
})

const PROXY = 'http://user:p%40ss-word@proxy.example.com:8080'

test("masks a proxy's password before anything is logged or sent, even if only GitHub is reached through it", () => {
  /** The masked secrets and the debug lines, in order. */
  const collectLines = (env: NodeJS.ProcessEnv): string[] => {
    const lines: string[] = []
    const debug = (line: string): void => void lines.push(line)
    const mask = (secret: string): void => void lines.push(`mask ${secret}`)
    createTransport({
      baseUrl: 'https://docs.example.com',
      apiKey: KEY,
      clock: systemClock,
      env,
      debug,
      mask,
    })
    return lines
  }
  const lines = collectLines({ HTTPS_PROXY: PROXY })
  expect(lines).toContain('mask p@ss-word')
  expect(lines.at(-1)).toBe('Requests to the service go through the proxy at proxy.example.com:8080.')
  expect(collectLines({ HTTPS_PROXY: PROXY, NO_PROXY: 'docs.example.com' })).toEqual(lines.slice(0, -1))
  expect(collectLines({})).toEqual([])
})

test("does not mask a proxy's password of less than 8 characters, because it can be a part of any path", () => {
  const collectMasked = (password: string): string[] => {
    const masked: string[] = []
    createTransport({
      baseUrl: 'https://docs.example.com',
      apiKey: KEY,
      clock: systemClock,
      debug: quiet,
      env: { HTTPS_PROXY: `http://user:${password}@proxy.example.com:8080` },
      mask: (secret) => masked.push(secret),
    })
    return masked
  }
  const header = (password: string): string => Buffer.from(`user:${password}`).toString('base64')
  expect(collectMasked('docs123')).toEqual([header('docs123')])
  expect(collectMasked('docs1234')).toEqual(['docs1234', header('docs1234')])
})

test.each([
  ['https://login.example.com/sso?key=1', 'login.example.com'],
  ['HTTP://user:pass@Login.Example.com:8080', 'login.example.com:8080'],
  ['//login.example.com/sso', 'login.example.com'],
  ['https://[::1]:9/', '[::1]:9'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
])('the host of %s is %s', (location, host) => {
  expect(redirectHost(location)).toBe(host)
})

test('returns no host if there is none, or if it is not safe to show', () => {
  const unsafe = '/v2/agent javascript:alert(1) ftp://files.example.com https:// https://a`b.example.com'.split(' ')
  const long = [`https://${'a'.repeat(300)}.example.com`, `https://a.example.com/${'x'.repeat(3_000)}`]
  expect([undefined, ...unsafe, ...long].filter((location) => redirectHost(location) !== undefined)).toEqual([])
})

const NOW = 'Wed, 21 Oct 2026 07:28:00 GMT'

test.each([
  ['0', 0],
  [' 120 ', 120_000],
  ['007', 7_000],
  ['-1', 0],
  ['-99999999999999999999', 0],
  ['8.997', 9_000],
  ['5.0', 5_000],
  ['0.2', 1_000],
  ['-0.5', 0],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
  ['Wednesday, 21-Oct-26 07:28:30 GMT', 30_000],
  ['Wed Oct 21 07:28:30 2026', 30_000],
  ['Wed, 21 Oct 2026 07:27:59 GMT', 0],
  ['9'.repeat(10), 1e11],
  ['9'.repeat(400), 1e11],
  ['Wed, 21 Oct 9999 07:28:00 GMT', 1e11],
])('Retry-After %j is a wait of %j ms', (value, expectedMs) => {
  expect(parseRetryAfter(value, NOW, new Date(0))).toBe(expectedMs)
})

test('ignores a Retry-After that is neither digits nor an HTTP date', () => {
  const dates = ['after Wed, 21 Oct 2026 07:28:30 GMT', '2026-10-21T07:28:30Z', 'Wed, 99 Oct 2026 07:28:00 GMT']
  const values = [undefined, '', ' ', 'soon 5', ...'5. .5 5.5.5 1,5 1e400 1e3 +5 0x10 5s soon NaN'.split(' '), ...dates]
  expect(values.filter((value) => parseRetryAfter(value, NOW, new Date(NOW)) !== undefined)).toEqual([])
})

test('reads a date relative to the date of the response, and to the local clock without one', () => {
  const now = new Date(Date.parse(NOW) - 7_000)
  expect(parseRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT', now)).toBe(60_000)
  for (const date of [undefined, '', '5', 'junk']) expect(parseRetryAfter(NOW, date, now)).toBe(7_000)
})
