import * as net from 'node:net'
import dns from 'node:dns'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { request, type Dispatcher } from 'undici'
import { createCertificate } from '../../src/emulator/http/self-signed-certificate.ts'
import { exchange, openDispatcher, readText } from '../../src/http/exchange.ts'
import { formatResponse, serveSockets, type SocketBehaviour, type SocketServer } from '../support/socket-server.ts'

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
  await expect(request('http://service.example/', { dispatcher })).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
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
