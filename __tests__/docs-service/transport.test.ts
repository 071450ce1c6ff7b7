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
import { httpAnswer, serveSockets, type SocketBehaviour, type SocketServer } from '../support/socket-server.ts'

// How connections break, with TLS and behind a proxy too, is in __tests__/faults.

const KEY = 'dk_secret-key'
const PATH = '/v2/agent/project/job'
const BODY = '{"prompt":"Grüße"}'
const ANSWER = httpAnswer(201, '{"id":"job_1","status":"active"}')
/** Longer than any exchange on loopback takes, so it is never reached. */
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

interface Ask extends Partial<TransportOptions> {
  readonly method?: 'GET' | 'POST'
  readonly path?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

const quiet = (): void => undefined

function ask(baseUrl: string, given: Ask = {}): Promise<WireResult> {
  const { method = 'POST', path = PATH, timeoutMs = LONG_MS, signal = new AbortController().signal, ...options } = given
  const transport = createTransport({
    ...{ baseUrl, apiKey: KEY, clock: systemClock, env: {}, mask: quiet, maskInLog: quiet, debug: quiet },
    ...options,
  })
  return transport({ method, path, timeoutMs, ...(method === 'POST' ? { body: BODY } : {}) }, signal)
}

const answers = (text: string): SocketBehaviour => ({ onRequest: (socket) => socket.end(text) })

function headersOf(request: string): Record<string, string> {
  const lines = request.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? []
  return Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]))
}

test('a POST goes below the prefix of the base address, with the key and the body as they are', async () => {
  const server = await serve(answers(ANSWER))
  await ask(`${at(server)}/prefix`)

  const request = server.requests[0] ?? ''
  expect(request.split('\r\n')[0]).toBe(`POST /prefix${PATH} HTTP/1.1`)
  expect(headersOf(request)).toMatchObject({
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

test('a GET has its query and no body', async () => {
  const server = await serve(answers(ANSWER))
  const path = '/v1/analytics/project/visitors?dateFrom=2026-01-01&limit=250'
  await ask(at(server), { method: 'GET', path })
  const request = server.requests[0] ?? ''
  expect(request.split('\r\n')[0]).toBe(`GET ${path} HTTP/1.1`)
  expect(headersOf(request)).not.toHaveProperty('content-type')
  expect(request.endsWith('\r\n\r\n')).toBe(true)
})

test.each([200, 204, 404, 500])('an answer with status %i is a value', async (status) => {
  const body = status === 204 ? '' : '{"error":"Grüße"}'
  const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }
  const server = await serve(answers(httpAnswer(status, body, headers)))
  expect(await ask(at(server))).toEqual({ kind: 'answer', status, body, retryAfterMs: 7_000 })
})

test.each([302, 307])('redirect %i is an answer, of which the host is told, and is not followed', async (status) => {
  const elsewhere = await serve(answers(ANSWER))
  const server = await serve(answers(httpAnswer(status, '', { location: `${at(elsewhere)}/?to=x` })))
  expect(await ask(at(server))).toMatchObject({ kind: 'answer', status, redirectHost: `127.0.0.1:${elsewhere.port}` })
  expect([server.connections(), elsewhere.connections()]).toEqual([1, 0])
})

/** A clock whose time is over when the test says so. */
function handClock(): { clock: Clock; asked: number[]; endTime: () => void } {
  const over = new AbortController()
  const asked: number[] = []
  const sleep = async (ms: number): Promise<void> => {
    asked.push(ms)
    await once(over.signal, 'abort')
  }
  const endTime = (): void => {
    over.abort()
  }
  return { clock: { ...systemClock, sleep }, asked, endTime }
}

test.each([
  [200, { kind: 'failure', cause: 'timeout', code: undefined, sent: true }],
  [401, { kind: 'answer', status: 401, body: '' }],
])(
  'a body that drips for ever is cut off when the time is over, and a refusal is known: %i',
  async (status, result) => {
    const { clock, asked, endTime } = handClock()
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

    expect(await ask(at(server), { clock, timeoutMs: 1234 })).toMatchObject(result)
    expect(asked).toEqual([1234])
  },
)

test('a body may have 4 MiB and not one byte more', async () => {
  const most = 4 * 1024 * 1024
  const fits = await serve(answers(httpAnswer(200, 'x'.repeat(most))))
  const tooLarge = await serve(answers(httpAnswer(200, 'x'.repeat(most + 1))))
  expect(await ask(at(fits))).toMatchObject({ kind: 'answer', status: 200 })
  expect(await ask(at(tooLarge))).toEqual({
    kind: 'failure',
    cause: 'too-large',
    code: 'RESPONSE_TOO_LARGE',
    error: expect.any(Error),
    sent: true,
  })
})

test('a cancelled run ends the exchange at once, with the knowledge of what was sent', async () => {
  const controller = new AbortController()
  const server = await serve({
    onRequest() {
      controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })

  expect(await ask(at(server), { signal: controller.signal })).toMatchObject({ cause: 'cancelled', sent: true })
})

test.each<[string, Ask, string]>([
  ['a run that was cancelled before', { signal: AbortSignal.abort() }, 'cancelled'],
  ['a request that cannot be sent as it is', { apiKey: 'a\r\nb' }, 'invalid'],
])('%s opens no connection', async (_name, given, cause) => {
  const server = await serve(answers(ANSWER))
  expect(await ask(at(server), given)).toMatchObject({ kind: 'failure', cause, sent: false })
  expect(server.connections()).toBe(0)
})

test.each(['/../x', '/v2/%2e%2e/x', '/a\\b', '@elsewhere.example/', '.elsewhere.example/', ':81/x', '/a\nb'])(
  'the path %j would leave the base address, so nothing is sent',
  async (path) => {
    const proxy = await serve(answers(ANSWER))
    const sending = ask('http://service.example', { path, env: { http_proxy: at(proxy) } })
    await expect(sending).rejects.toThrow('leave the base address')
    expect(proxy.connections()).toBe(0)
  },
)

test('a path that begins with two slashes stays on the host', async () => {
  const server = await serve(answers(ANSWER))
  await ask(at(server), { path: '//127.0.0.2/x' })
  expect(server.requests[0]).toMatch(/^POST \/\/127\.0\.0\.2\/x /)
})

test('nothing keeps watching or waiting once the answer is there', async () => {
  const server = await serve(answers(ANSWER))
  const signals: (AbortSignal | undefined)[] = []
  const sleep: Clock['sleep'] = (ms, signal) => {
    signals.push(signal)
    return systemClock.sleep(ms, signal)
  }

  await ask(at(server), { clock: { ...systemClock, sleep } })

  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  expect(diagnosticsChannel.hasSubscribers('undici:client:sendHeaders')).toBe(false)
})

test('a request that goes through a proxy was sent when it is in the tunnel', async () => {
  const proxy = await serve({
    onRequest(socket, request) {
      if (request.startsWith('CONNECT ')) socket.write('HTTP/1.1 200 x\r\n\r\n')
      else socket.resetAndDestroy()
    },
  })

  const result = await ask('http://service.example', { env: { http_proxy: at(proxy) } })
  expect(result).toMatchObject({ cause: 'broken', sent: true })
  expect(proxy.requests.map((request) => request.split('\r\n')[0])).toEqual([
    'CONNECT service.example:80 HTTP/1.1',
    `POST ${PATH} HTTP/1.1`,
  ])
  expect(proxy.requests[0]).not.toContain(KEY)
})

const PROXY = 'http://user:p%40ss-word@proxy.example.com:8080'

test("masks a proxy's password before anything is said or sent, also of one that only GitHub is reached through", () => {
  /** What was masked and what the log of a run in debug mode was told, in order. */
  const saidOf = (env: NodeJS.ProcessEnv): string[] => {
    const said: string[] = []
    const debug = (line: string): void => void said.push(line)
    const mask = (secret: string): void => void said.push(`mask ${secret}`)
    createTransport({
      baseUrl: 'https://docs.example.com',
      apiKey: KEY,
      clock: systemClock,
      env,
      debug,
      mask,
      maskInLog: mask,
    })
    return said
  }
  const said = saidOf({ HTTPS_PROXY: PROXY })
  expect(said).toContain('mask p@ss-word')
  expect(said.at(-1)).toBe('Requests to the service go through the proxy at proxy.example.com:8080.')
  expect(saidOf({ HTTPS_PROXY: PROXY, NO_PROXY: 'docs.example.com' })).toEqual(said.slice(0, -1))
  expect(saidOf({})).toEqual([])
})

test("masks a proxy's password of less than 8 characters in the log only, as it may be a part of any path", () => {
  const maskedOf = (password: string): { everywhere: string[]; inLog: string[] } => {
    const masked = { everywhere: [] as string[], inLog: [] as string[] }
    createTransport({
      ...{ baseUrl: 'https://docs.example.com', apiKey: KEY, clock: systemClock, debug: quiet },
      env: { HTTPS_PROXY: `http://user:${password}@proxy.example.com:8080` },
      mask: (secret) => masked.everywhere.push(secret),
      maskInLog: (secret) => masked.inLog.push(secret),
    })
    return masked
  }
  const header = (password: string): string => Buffer.from(`user:${password}`).toString('base64')
  expect(maskedOf('docs123')).toEqual({ everywhere: [header('docs123')], inLog: ['docs123'] })
  expect(maskedOf('docs1234')).toEqual({ everywhere: ['docs1234', header('docs1234')], inLog: [] })
})

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
