import * as net from 'node:net'
import dns from 'node:dns'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { gzipSync, deflateSync, deflateRawSync, brotliCompressSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { createCertificate } from '../../scripts/start/self-signed-certificate.ts'
import { exchange, failureCause, failureCode, openDispatcher, readText } from '../../src/http/exchange.ts'
import { formatResponse, serveSockets, type SocketBehaviour, type SocketServer } from '../../testing/socket-server.ts'

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  jest.restoreAllMocks()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function serve(...given: Parameters<typeof serveSockets>): Promise<SocketServer> {
  const server = await serveSockets(...given)
  cleanUps.push(() => server.close())
  return server
}

function open(proxy?: string): Dispatcher {
  const dispatcher = openDispatcher(proxy === undefined ? undefined : new URL(proxy))
  cleanUps.push(() => dispatcher.destroy())
  return dispatcher
}

interface RequestOptions {
  readonly dispatcher: Dispatcher
  readonly method?: 'POST'
  readonly body?: string
}

function request(url: string, { dispatcher, ...options }: RequestOptions): Promise<Dispatcher.ResponseData> {
  const { origin, pathname: path } = new URL(url)
  return dispatcher.request({ origin, path, method: 'GET', ...options })
}

test.each([
  ['user:p%40ss@', '', 'user:p@ss'],
  ['', '/path?x', undefined],
])('sends a proxy at http://%s…%s the host and the credentials only', async (userInfo, path, credentials) => {
  const proxy = await serve({ onRequest: (socket) => socket.end(formatResponse(407, '')) })
  const dispatcher = open(`http://${userInfo}127.0.0.1:${proxy.port}${path}`)
  await request('http://service.example/', { dispatcher }).catch(() => undefined)
  const [head = ''] = proxy.requests
  expect(head).toMatch(/^CONNECT service\.example:80 HTTP/)
  const given = /^proxy-authorization: Basic (.*)\r$/im.exec(head)?.[1]
  expect(given && Buffer.from(given, 'base64').toString()).toBe(credentials)
})

test.each<[string, SocketBehaviour]>([
  ['before it reads', { onConnection: (socket) => socket.destroy() }],
  ['instead of a response', { onRequest: (socket) => socket.end() }],
  ['in the middle of its response', { onRequest: (socket) => socket.end('HTTP/1.1 200') }],
])('connects once to a proxy that hangs up %s', async (_name, behaviour) => {
  const proxy = await serve(behaviour)
  const dispatcher = open(`http://127.0.0.1:${proxy.port}`)
  await expect(request('http://service.example/', { dispatcher, method: 'POST', body: 'x' })).rejects.toThrow()
  expect(proxy.connections()).toBe(1)
})

test('opens a tunnel to a server that speaks first three times at most', async () => {
  const proxy = await serve({ onRequest: (socket) => socket.write('HTTP/1.1 200 x\r\n\r\nSSH-2.0-x\r\n') })
  const dispatcher = open(`http://127.0.0.1:${proxy.port}`)
  const error: unknown = await request('http://service.example/', { dispatcher }).catch((caught: unknown) => caught)
  expect([failureCause(error), failureCode(error)]).toEqual(['no-connection', 'CONNECTION_LOST'])
  expect(proxy.connections()).toBe(3)
})

test('never offers HTTP/2, over which undici can resend a request', async () => {
  const offered: string[][] = []
  const ALPNCallback = ({ protocols }: { readonly protocols: string[] }): undefined => void offered.push(protocols)
  const { port } = await serve({}, { ...createCertificate(), ALPNCallback })
  await expect(request(`https://127.0.0.1:${port}/`, { dispatcher: open() })).rejects.toThrow()
  expect(offered).toEqual([['http/1.1']])
})

test('uses a connection once, even if the server keeps it alive', async () => {
  const response = formatResponse(200, '', { connection: 'keep-alive' })
  const server = await serve({ onRequest: (socket) => socket.write(response) })
  const dispatcher = open()
  for (let count = 0; count < 2; count++) {
    const { body } = await request(`http://127.0.0.1:${server.port}/`, { dispatcher })
    await body.dump()
    // Let undici release the connection.
    await nextTurn()
  }
  expect(server.connections()).toBe(2)
})

test.each([
  ['directly', 'http', false],
  ['through a tunnel', 'http', true],
  ['with TLS in a tunnel', 'https', true],
])('does not use TCP keep-alive %s, because a connection serves one request', async (_name, protocol, isTunnelled) => {
  const setKeepAlive = jest.spyOn(net.Socket.prototype, 'setKeepAlive')
  const server = await serve({
    onConnection: (socket) => socket.on('data', () => socket.write(formatResponse(200, ''))),
  })
  const address = `127.0.0.1:${server.port}`
  const dispatcher = open(isTunnelled ? `http://${address}` : undefined)
  await request(`${protocol}://${address}/`, { dispatcher }).catch(() => undefined)
  expect(server.connections()).toBe(1)
  expect(setKeepAlive).not.toHaveBeenCalled()
})

test('reaches a host by its IPv4 address if its IPv6 address is dead', async () => {
  const server = await serve({ onRequest: (socket) => socket.end(formatResponse(200, '')) })
  const addresses = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]
  const lookup = (_name: string, { all }: dns.LookupOptions, found: (...args: unknown[]) => void): void => {
    if (all === true) found(null, addresses)
    else found(null, '::1', 6)
  }
  jest.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup)
  const { statusCode } = await request(`http://service.example:${server.port}/`, { dispatcher: open() })
  expect(statusCode).toBe(200)
})

test.each([
  ['directly', false],
  ['through a proxy', true],
])(
  'waits 2.5 s for each address of a host %s, because the first packet of a handshake can be lost',
  async (_how, isTunnelled) => {
    const connect = jest.spyOn(net.Socket.prototype, 'connect')
    const server = await serve({ onRequest: (socket) => socket.end(formatResponse(502, '')) })
    const address = `http://localhost:${server.port}`
    await request(address, { dispatcher: open(isTunnelled ? address : undefined) }).catch(() => undefined)
    expect(server.connections()).toBe(1)
    const given = JSON.stringify(connect.mock.calls)
    expect(given).toMatch(/"autoSelectFamily":true,"autoSelectFamilyAttemptTimeout":2500,/)
  },
)

test.each([
  ['directly', false],
  ['in the response of a proxy', true],
])('accepts response headers of 250 KiB, and rejects larger ones, %s', async (_how, isProxy) => {
  for (const [bytes, isAccepted] of [
    [250, true],
    [260, false],
  ] as const) {
    const headers = Object.fromEntries(
      Array.from({ length: bytes / 10 }, (_, index) => [`x-${index}`, 'y'.repeat(10_240)]),
    )
    const onRequest: SocketBehaviour['onRequest'] = (socket, text) => {
      const isConnect = text.startsWith('CONNECT')
      if (isConnect) socket.write(formatResponse(200, '', isProxy ? headers : {}).replace('content-length: 0\r\n', ''))
      else socket.end(formatResponse(200, 'ok', isProxy ? {} : headers))
    }
    const server = await serve({ onRequest })
    const dispatcher = open(isProxy ? `http://127.0.0.1:${server.port}` : undefined)
    const response = await request(`http://127.0.0.1:${server.port}/`, { dispatcher }).catch((error: unknown) => error)
    expect([bytes, response instanceof Error]).toEqual([bytes, !isAccepted])
    if (!(response instanceof Error)) await (response as Dispatcher.ResponseData).body.dump()
  }
})

describe('exchange', () => {
  const send = (server: SocketServer, end: AbortSignal) => {
    const url = new URL(`http://127.0.0.1:${server.port}/a?b=c`)
    return exchange({ method: 'POST', url, headers: { 'x-a': 'b' }, body: 'x' }, {}, end)
  }

  test('sends the request, accepts no compression, and returns the first value of each header', async () => {
    const response = 'HTTP/1.1 201 x\r\nX-A: 1\r\nX-A: 2\r\nX-B: 3\r\nContent-Length: 0\r\n\r\n'
    const server = await serve({ onRequest: (socket) => socket.write(response) })
    const run = new AbortController()
    const { status, headers } = await send(server, run.signal)
    run.abort()
    expect([status, headers['x-a'], headers['x-b'], headers['x-c']]).toEqual([201, '1', '3', undefined])
    expect(server.requests[0]).toMatch(
      /^POST \/a\?b=c HTTP\/1\.1\r\n[^]*x-a: b\r\naccept-encoding: identity\r\n[^]*\r\n\r\nx$/,
    )
  })

  const TEXT = JSON.stringify({ id: 'job_1', text: 'Grüße '.repeat(1_000) })

  async function readResponse(body: Uint8Array, encoding: string | undefined, maxBytes = 100_000): Promise<string> {
    const header = encoding === undefined ? '' : `content-encoding: ${encoding}\r\n`
    const server = await serve({
      onRequest(socket) {
        socket.write(`HTTP/1.1 200 x\r\ncontent-length: ${body.length}\r\n${header}\r\n`)
        // The first byte alone shows nothing.
        socket.write(body.subarray(0, 1), () => socket.write(body.subarray(1)))
      },
    })
    const run = new AbortController()
    try {
      const response = await send(server, run.signal)
      return await readText(response.body, maxBytes)
    } finally {
      run.abort()
    }
  }

  test.each([
    ['gzip', gzipSync(TEXT)],
    ['GZIP', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    [undefined, gzipSync(TEXT)],
    ['identity', gzipSync(TEXT)],
    ['gzip', gzipSync(gzipSync(TEXT))],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['deflate, gzip', gzipSync(deflateSync(TEXT))],
    ['br , identity', brotliCompressSync(TEXT)],
    ['gzip', Buffer.from(TEXT)],
    ['unknown', Buffer.from(TEXT)],
    [undefined, Buffer.from(TEXT)],
  ])('decodes a body with `content-encoding: %s`', async (encoding, body) => {
    expect(await readResponse(body, encoding)).toBe(TEXT)
  })

  test.each([
    ['gzip', Buffer.alloc(0), ''],
    ['br', Buffer.from('x'), undefined],
    ['deflate', Buffer.from('[]'), undefined],
    [undefined, Buffer.from('7'), '7'],
    ['gzip', gzipSync(TEXT).subarray(0, -9), undefined],
  ])('reads a short or broken body with `content-encoding: %s`', async (encoding, body, text) => {
    expect(await readResponse(body, encoding).catch(() => undefined)).toBe(text)
  })

  test('limits the size of the decoded body, and does not decode the rest', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const read = readResponse(bomb, 'gzip', bomb.length + 1)
    await expect(read).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' })
  })

  test('closes the connection when its signal aborts in the middle of a body', async () => {
    const server = await serve({ onRequest: (socket) => socket.write(formatResponse(200, 'x'.repeat(9)).slice(0, -1)) })
    const run = new AbortController()
    const { body } = await send(server, run.signal)
    const read = async (): Promise<void> => {
      for await (const chunk of body) run.abort(chunk)
    }
    await expect(read()).rejects.toThrow()
    // After each test, closing the server waits for its connections.
    expect(server.connections()).toBe(1)
  })
})

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield await Promise.resolve(new Uint8Array(size).fill(97))
}

test('reads a body of the maximum size', async () => {
  expect(await readText(chunks(2, 0, 3), 5)).toBe('aaaaa')
})

test('removes a byte order mark, so that the JSON after it can be parsed', async () => {
  async function* marked(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('\ufeff{"id":"jöb"}'))
  }
  expect(await readText(marked(), 100)).toBe('{"id":"jöb"}')
})

test('stops reading a body that is too large', async () => {
  const body = chunks(3, 3, 3)
  await expect(readText(body, 5)).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' })
  expect((await body.next()).done).toBe(true)
})
