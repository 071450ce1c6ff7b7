import * as diagnosticsChannel from 'node:diagnostics_channel'
import { afterEach, expect, test } from '@jest/globals'
import { makeCertificate } from '../../scripts/start/untrusted-tls.ts'
import { createTransport, type TransportOptions, type WireResult } from '../../src/docs-service/transport.ts'
import { systemClock, type Clock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import {
  CLOSED_PORT,
  httpAnswer,
  serveSockets,
  type SocketBehaviour,
  type SocketServer,
} from '../support/socket-server.ts'

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

async function serve(behaviour: SocketBehaviour, tls = false): Promise<SocketServer> {
  const server = await serveSockets(behaviour, tls ? makeCertificate() : undefined)
  servers.push(server)
  return server
}

interface Ask extends Partial<TransportOptions> {
  readonly method?: 'GET' | 'POST'
  readonly path?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

function ask(to: SocketServer | string, given: Ask = {}): Promise<WireResult> {
  const { method = 'POST', path = PATH, timeoutMs = LONG_MS, signal = new AbortController().signal, ...options } = given
  const transport = createTransport({
    baseUrl: typeof to === 'string' ? to : `http://127.0.0.1:${to.port}`,
    apiKey: KEY,
    proxy: undefined,
    userAgent: 'test-agent',
    clock: systemClock,
    ...options,
  })
  return transport.send({ method, path, timeoutMs, ...(method === 'POST' ? { body: BODY } : {}) }, signal)
}

const answers =
  (text: string): NonNullable<SocketBehaviour['onRequest']> =>
  (socket) =>
    socket.end(text)

function headersOf(request: string): Record<string, string> {
  const lines = request.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? []
  return Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2) as [string, string]))
}

test('a POST goes below the prefix of the base address, with the key and the body as they are', async () => {
  const server = await serve({ onRequest: answers(ANSWER) })

  await ask(`http://127.0.0.1:${server.port}/prefix`)

  const request = server.requests[0] ?? ''
  expect(request.split('\r\n')[0]).toBe(`POST /prefix${PATH} HTTP/1.1`)
  expect(headersOf(request)).toMatchObject({
    host: `127.0.0.1:${server.port}`,
    accept: 'application/json',
    authorization: `bearer ${KEY}`,
    'content-type': 'application/json',
    'content-length': '20',
    'user-agent': 'test-agent',
  })
  expect(request).toContain(`: Bearer ${KEY}\r\n`)
  expect(Buffer.from(request, 'latin1').toString().endsWith(`\r\n\r\n${BODY}`)).toBe(true)
})

test('a GET has its query and no body', async () => {
  const server = await serve({ onRequest: answers(ANSWER) })

  await ask(server, { method: 'GET', path: '/v1/analytics/project/visitors?dateFrom=2026-01-01&limit=250' })

  const request = server.requests[0] ?? ''
  expect(request.split('\r\n')[0]).toBe('GET /v1/analytics/project/visitors?dateFrom=2026-01-01&limit=250 HTTP/1.1')
  expect(headersOf(request)).not.toHaveProperty('content-type')
  expect(request.endsWith('\r\n\r\n')).toBe(true)
})

test.each([200, 201, 204, 400, 404, 429, 500, 503])('an answer with status %i is a value', async (status) => {
  const body = status === 204 ? '' : '{"error":"Grüße"}'
  const server = await serve({ onRequest: answers(httpAnswer(status, body)) })

  expect(await ask(server)).toEqual({ kind: 'answer', status, body, retryAfterMs: undefined })
})

test('Retry-After is read against the date of the answer', async () => {
  const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }
  const server = await serve({ onRequest: answers(httpAnswer(429, '', headers)) })

  expect(await ask(server)).toMatchObject({ status: 429, retryAfterMs: 7_000 })
})

test.each([301, 302, 303, 307, 308])('redirect %i is an answer and is not followed', async (status) => {
  const elsewhere = await serve({ onRequest: answers(ANSWER) })
  const location = `http://127.0.0.1:${elsewhere.port}/`
  const server = await serve({ onRequest: answers(httpAnswer(status, '', { location })) })

  expect(await ask(server)).toMatchObject({ kind: 'answer', status })
  expect([server.connections(), elsewhere.connections()]).toEqual([1, 0])
})

test('each request has a connection of its own, so one that the service closed meanwhile does no harm', async () => {
  const server = await serve({
    onRequest(socket) {
      socket.write(httpAnswer(200, '{}', { connection: 'keep-alive', 'keep-alive': 'timeout=60' }))
    },
  })
  const transport = createTransport({
    baseUrl: `http://127.0.0.1:${server.port}`,
    apiKey: KEY,
    proxy: undefined,
    userAgent: 'test-agent',
    clock: systemClock,
  })
  const send = (): Promise<WireResult> =>
    transport.send({ method: 'GET', path: PATH, timeoutMs: LONG_MS }, new AbortController().signal)

  expect(await send()).toMatchObject({ status: 200 })
  expect(await send()).toMatchObject({ status: 200 })
  expect(server.connections()).toBe(2)
})

test('a refused connection: nothing was sent', async () => {
  expect(await ask(`http://127.0.0.1:${CLOSED_PORT}`)).toEqual({
    kind: 'failure',
    cause: 'no-connection',
    code: 'ECONNREFUSED',
    sent: false,
  })
})

test('a reset before the request is read: it may have been sent', async () => {
  const server = await serve({
    onConnection(socket) {
      socket.once('readable', () => socket.resetAndDestroy())
    },
  })

  expect(await ask(server)).toMatchObject({ kind: 'failure', cause: 'broken', sent: true })
  expect(server.connections()).toBe(1)
})

test.each([0, 1, 9, 12, 20, ANSWER.indexOf('{'), ANSWER.length - 1])(
  'a reset at byte %i of the answer: it was sent, and is not sent again',
  async (bytes) => {
    const server = await serve({
      onRequest(socket) {
        socket.write(ANSWER.slice(0, bytes), () => socket.resetAndDestroy())
      },
    })

    expect(await ask(server)).toMatchObject({ kind: 'failure', cause: 'broken', sent: true })
    expect(server.requests).toHaveLength(1)
  },
)

test.each([
  ['shorter than announced', 'HTTP/1.1 201 x\r\ncontent-length: 99\r\n\r\n{"id":"job_1"}'],
  ['without its last chunk', 'HTTP/1.1 201 x\r\ntransfer-encoding: chunked\r\n\r\ne\r\n{"id":"job_1"}\r\n'],
  ['that is no HTTP', 'SSH-2.0-x\r\n'],
])('an answer %s is a failure', async (_name, text) => {
  const server = await serve({ onRequest: answers(text) })

  expect(await ask(server)).toMatchObject({ kind: 'failure', cause: 'broken', sent: true })
  expect(server.requests).toHaveLength(1)
})

/** A clock whose time is over when the test says so. */
function handClock(): { clock: Clock; asked: number[]; endTime: () => void } {
  let endTime = (): void => undefined
  const promise = new Promise<void>((resolve) => {
    endTime = resolve
  })
  const asked: number[] = []
  const sleep = async (ms: number): Promise<void> => {
    asked.push(ms)
    await promise
  }
  return { clock: { ...systemClock, sleep }, asked, endTime }
}

/** Sends a byte now and then, for ever. */
function drip(head: string, onByte: (count: number) => void = () => undefined): SocketBehaviour {
  return {
    onRequest(socket) {
      let count = 0
      socket.write(head)
      const timer = setInterval(() => {
        socket.write(' ')
        onByte(++count)
      }, 5)
      socket.on('close', () => {
        clearInterval(timer)
      })
    },
  }
}

test('a body that drips is cut off when the time is over', async () => {
  const { clock, asked, endTime } = handClock()
  const server = await serve(
    drip('HTTP/1.1 200 x\r\ncontent-length: 100000\r\n\r\n', (count) => {
      if (count === 10) endTime()
    }),
  )

  expect(await ask(server, { clock, timeoutMs: 1234 })).toEqual({
    kind: 'failure',
    cause: 'timeout',
    code: undefined,
    sent: true,
  })
  expect(asked).toEqual([1234])
})

test('the time limit is a real one', async () => {
  const server = await serve({ onRequest: () => undefined })

  expect(await ask(server, { timeoutMs: 20 })).toMatchObject({ cause: 'timeout' })
})

test('a service that never answers is left when the time is over', async () => {
  const { clock, endTime } = handClock()
  const server = await serve({ onRequest: endTime })

  expect(await ask(server, { clock })).toMatchObject({ cause: 'timeout', sent: true })
})

test('a body may have 4 MiB and not one byte more', async () => {
  const most = 4 * 1024 * 1024
  const fits = await serve({ onRequest: answers(httpAnswer(200, 'x'.repeat(most))) })
  const tooLarge = await serve({ onRequest: answers(httpAnswer(200, 'x'.repeat(most + 1))) })

  expect(await ask(fits)).toMatchObject({ kind: 'answer', status: 200 })
  expect(await ask(tooLarge)).toEqual({ kind: 'failure', cause: 'broken', code: 'ANSWER_TOO_LARGE', sent: true })
})

test.each([
  ['breaks off', { onRequest: answers('HTTP/1.1 401 x\r\ncontent-length: 99\r\n\r\n{"err') }],
  ['is too large', { onRequest: answers(httpAnswer(401, 'x'.repeat(5 * 1024 * 1024))) }],
])('a refusal is known by its status, even where its explanation %s', async (_name, behaviour) => {
  const server = await serve(behaviour)

  expect(await ask(server)).toMatchObject({ kind: 'answer', status: 401, body: '' })
})

test('a refusal is known by its status, even where its explanation never ends', async () => {
  const { clock, endTime } = handClock()
  const server = await serve(
    drip('HTTP/1.1 401 x\r\ncontent-length: 100000\r\n\r\n', (count) => {
      if (count === 10) endTime()
    }),
  )

  expect(await ask(server, { clock })).toMatchObject({ kind: 'answer', status: 401, body: '' })
})

test('a cancelled run ends the exchange at once, with the knowledge of what was sent', async () => {
  const controller = new AbortController()
  const server = await serve({
    onRequest() {
      controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })

  expect(await ask(server, { signal: controller.signal })).toMatchObject({ cause: 'cancelled', sent: true })
})

test('a run that was cancelled before opens no connection', async () => {
  const server = await serve({ onRequest: answers(ANSWER) })

  expect(await ask(server, { signal: AbortSignal.abort() })).toMatchObject({ cause: 'cancelled', sent: false })
  expect(server.connections()).toBe(0)
})

test('a request that cannot be sent as it is fails for good', async () => {
  const server = await serve({ onRequest: answers(ANSWER) })

  expect(await ask(server, { userAgent: 'a\r\nb' })).toMatchObject({ cause: 'invalid', sent: false })
  expect(server.connections()).toBe(0)
})

test.each(['/../x', '/v2/%2e%2e/x', '/a\\b', '@elsewhere.example/', '.elsewhere.example/', ':81/x', '/a\nb'])(
  'the path %j would leave the base address, so nothing is sent',
  async (path) => {
    const proxy = await serve({ onRequest: answers(ANSWER) })

    const sending = ask('http://service.example', { path, proxy: proxyOf(proxy) })
    await expect(sending).rejects.toThrow('leave the base address')
    expect(proxy.connections()).toBe(0)
  },
)

test('a path that begins with two slashes stays on the host', async () => {
  const server = await serve({ onRequest: answers(ANSWER) })

  await ask(server, { path: '//127.0.0.2/x' })
  expect(server.requests[0]).toMatch(/^POST \/\/127\.0\.0\.2\/x /)
})

test('nothing keeps watching or waiting once the answer is there', async () => {
  const server = await serve({ onRequest: answers(ANSWER) })
  const signals: (AbortSignal | undefined)[] = []
  const clock: Clock = {
    ...systemClock,
    sleep(ms, signal) {
      signals.push(signal)
      return systemClock.sleep(ms, signal)
    },
  }

  await ask(server, { clock })

  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  expect(diagnosticsChannel.hasSubscribers('undici:client:sendHeaders')).toBe(false)
})

test('an untrusted certificate: nothing was sent', async () => {
  const server = await serve({ onRequest: answers(ANSWER) }, true)

  expect(await ask(`https://127.0.0.1:${server.port}`)).toEqual({
    kind: 'failure',
    cause: 'untrusted',
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    sent: false,
  })
  expect(server.requests).toEqual([])
})

test('a service that speaks no TLS: nothing was sent', async () => {
  const server = await serve({
    onConnection(socket) {
      socket.once('data', () => socket.end(httpAnswer(400, '')))
    },
  })

  expect(await ask(`https://127.0.0.1:${server.port}`)).toMatchObject({ cause: 'not-tls', sent: false })
})

test('a reset in the TLS handshake looks like any other reset, so it is only known that nothing was seen going out', async () => {
  const server = await serve({
    onConnection(socket) {
      socket.once('data', () => socket.resetAndDestroy())
    },
  })

  expect(await ask(`https://127.0.0.1:${server.port}`)).toMatchObject({ cause: 'broken', sent: false })
})

function proxyOf({ port }: SocketServer): URL {
  return new URL(`http://127.0.0.1:${port}`)
}

test('a request that goes through a proxy was sent when it is in the tunnel', async () => {
  const proxy = await serve({
    onRequest(socket, request) {
      if (request.startsWith('CONNECT ')) socket.write('HTTP/1.1 200 x\r\n\r\n')
      else socket.resetAndDestroy()
    },
  })

  expect(await ask('http://service.example', { proxy: proxyOf(proxy) })).toMatchObject({ cause: 'broken', sent: true })
  expect(proxy.requests.map((request) => request.split('\r\n')[0])).toEqual([
    'CONNECT service.example:80 HTTP/1.1',
    `POST ${PATH} HTTP/1.1`,
  ])
  expect(proxy.requests[0]).not.toContain(KEY)
})

test('a proxy that never answers is left when the time is over: nothing was sent', async () => {
  const { clock, endTime } = handClock()
  const proxy = await serve({ onRequest: endTime })

  expect(await ask('http://service.example', { proxy: proxyOf(proxy), clock })).toEqual({
    kind: 'failure',
    cause: 'timeout',
    code: undefined,
    sent: false,
  })
  expect(proxy.requests[0]).toMatch(/^CONNECT /)
})

test.each([
  [407, 'proxy-refused'],
  [403, 'proxy-refused'],
  [502, 'no-connection'],
  [503, 'no-connection'],
] as const)('a proxy that answers %i: nothing was sent, and the cause is %s', async (status, cause) => {
  const proxy = await serve({ onRequest: answers(httpAnswer(status, '')) })

  const results = await Promise.all(
    ['http://service.example', 'https://service.example'].map((to) => ask(to, { proxy: proxyOf(proxy) })),
  )
  expect(results).toMatchObject([
    { cause, sent: false },
    { cause, sent: false },
  ])
})

test('a proxy that nobody listens on: nothing was sent', async () => {
  const proxy = new URL(`http://127.0.0.1:${CLOSED_PORT}`)

  expect(await ask('http://service.example', { proxy })).toMatchObject({
    cause: 'no-connection',
    code: 'ECONNREFUSED',
    sent: false,
  })
})

test('the certificate of the service counts behind a proxy too', async () => {
  const target = await serve({ onRequest: answers(ANSWER) }, true)
  const { connect } = await import('node:net')
  const proxy = await serve({
    onConnection(socket) {
      socket.once('data', () => {
        const tunnel = connect(target.port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 x\r\n\r\n')
          socket.pipe(tunnel).pipe(socket)
        })
        tunnel.on('error', () => undefined)
        socket.on('close', () => tunnel.destroy())
      })
    },
  })

  expect(await ask(`https://127.0.0.1:${target.port}`, { proxy: proxyOf(proxy) })).toMatchObject({
    cause: 'untrusted',
    sent: false,
  })
})

test('of an address that an answer leads to, the host is told', async () => {
  const server = await serve({
    onRequest: answers(
      'HTTP/1.1 302 Found\r\nLocation: https://login.example.com/sso?to=x\r\nContent-Length: 0\r\n\r\n',
    ),
  })

  expect(await ask(server)).toMatchObject({ status: 302, redirectHost: 'login.example.com' })
})
