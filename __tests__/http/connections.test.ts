import type { Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createCertificate } from '../../scripts/start/self-signed-certificate.ts'
import { Connections } from '../../src/http/connections.ts'
import { readText } from '../../src/http/exchange.ts'
import { sendThrough } from '../../src/github/transport.ts'
import { formatResponse, serveSockets, type SocketServer } from '../../testing/socket-server.ts'

const cleanUps: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const respond = (socket: Socket): void => {
  socket.write(formatResponse(200, '{}'))
}

/** @param onRequest gets the number of the request on its connection, from 1 */
async function serve(
  onRequest: (socket: Socket, count: number) => void = respond,
  ...tls: Parameters<typeof serveSockets> extends [unknown, ...infer Rest] ? Rest : never
): Promise<SocketServer> {
  const counts = new Map<Socket, number>()
  const count = (socket: Socket): void => {
    counts.set(socket, (counts.get(socket) ?? 0) + 1)
    onRequest(socket, counts.get(socket) ?? 0)
  }
  const server = await serveSockets({ onRequest: count }, ...tls)
  cleanUps.push(() => server.close())
  return server
}

function open(env: NodeJS.ProcessEnv = {}): Connections {
  const connections = new Connections(env)
  cleanUps.push(() => {
    connections.close()
  })
  return connections
}

/** Sends a GET and reads its response, as the caller does: the signal aborts in any case. */
async function get(connections: Connections, url: string): Promise<string> {
  const end = new AbortController()
  try {
    const { body } = await connections.exchange({ method: 'GET', url: new URL(url), headers: {} }, end.signal)
    return await readText(body, 1_000)
  } finally {
    end.abort()
  }
}

const getUrl = ({ port }: SocketServer): string => `http://127.0.0.1:${port}/`

test('sends requests one after the other over one connection, and simultaneous requests over several', async () => {
  const server = await serve()
  const connections = open()
  for (let count = 0; count < 5; count++) await get(connections, getUrl(server))
  expect(server.connections()).toBe(1)
  await Promise.all([get(connections, getUrl(server)), get(connections, getUrl(server))])
  expect(server.connections()).toBe(2)
  await Promise.all([get(connections, getUrl(server)), get(connections, getUrl(server))])
  expect([server.connections(), server.requests.length]).toEqual([2, 9])
})

test('keeps a tunnel through a proxy open', async () => {
  const proxy = await serve((socket, count) => {
    socket.write(count === 1 ? 'HTTP/1.1 200 x\r\n\r\n' : formatResponse(200, '{}'))
  })
  const connections = open({ http_proxy: getUrl(proxy) })
  for (let count = 0; count < 3; count++) await get(connections, 'http://api.example/')
  expect(proxy.connections()).toBe(1)
  expect(proxy.requests.map((request) => request.split(' ')[0])).toEqual(['CONNECT', 'GET', 'GET', 'GET'])
})

test.each<[string, (socket: Socket) => unknown]>([
  ['closed', (socket) => socket.end()],
  ['reset', (socket) => socket.resetAndDestroy()],
])('sends a request again if its connection was %s after an earlier request', async (_what, close) => {
  const server = await serve((socket, count) => {
    if (count === 2) close(socket)
    else respond(socket)
  })
  const connections = open()
  const responses: string[] = []
  for (let count = 0; count < 3; count++) responses.push(await get(connections, getUrl(server)))
  expect(responses).toEqual(['{}', '{}', '{}'])
  expect([server.connections(), server.requests.length]).toEqual([3, 5])
})

test('does not send a request again whose new connection was closed', async () => {
  const server = await serve((socket) => socket.destroy())
  await expect(get(open(), getUrl(server))).rejects.toThrow()
  expect(server.requests).toHaveLength(1)
})

test('connects again if the server closes each connection', async () => {
  const server = await serve((socket) => socket.end(formatResponse(200, '{}', { connection: 'close' })))
  const connections = open()
  for (let count = 0; count < 6; count++) expect(await get(connections, getUrl(server))).toBe('{}')
  expect(server.requests).toHaveLength(6)
})

test('closes a connection whose response was not read to its end', async () => {
  const server = await serve((socket) => socket.write(formatResponse(200, 'x'.repeat(9)).slice(0, -1)))
  const connections = open()
  const end = new AbortController()
  const url = new URL(getUrl(server))
  await connections.exchange({ method: 'GET', url, headers: {} }, end.signal)
  end.abort()
  // After the test, closing the server waits for its connections.
  expect(server.connections()).toBe(1)
})

test('reports an untrusted certificate', async () => {
  const { port } = await serve(respond, createCertificate())
  await expect(get(open(), `https://127.0.0.1:${port}/`)).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/SELF_SIGNED/) as unknown },
  })
})

test('reads of the API share a connection, and each other request has its own', async () => {
  const sockets = new Set<Socket>()
  const server = await serve((socket) => {
    sockets.add(socket)
    respond(socket)
  })
  const send = sendThrough({}, getUrl(server))
  const request = async (method: string, host = '127.0.0.1'): Promise<number> => {
    const end = new AbortController()
    const { body } = await send({ method, url: new URL(`http://${host}:${server.port}/`), headers: {} }, end.signal)
    await readText(body, 1_000)
    end.abort()
    return server.connections()
  }
  const seen = [await request('GET'), await request('POST'), await request('PATCH'), await request('GET')]
  expect(seen).toEqual([1, 2, 3, 3])
  expect([await request('GET', 'localhost'), await request('GET', 'localhost')]).toEqual([4, 5])
  for (const socket of sockets) socket.destroy()
})
