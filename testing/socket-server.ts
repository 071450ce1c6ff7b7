import { once } from 'node:events'
import * as net from 'node:net'
import * as tls from 'node:tls'

export interface SocketServer {
  readonly port: number
  /** All complete requests, unparsed. */
  readonly requests: readonly string[]
  connections(): number
  /** Resolves when every client has closed its connections, so a client that leaves one open makes the test hang. */
  close(): Promise<void>
}

export interface SocketBehaviour {
  /** Called for each connection, before anything is read. */
  readonly onConnection?: (socket: net.Socket) => void
  readonly onRequest?: (socket: net.Socket, request: string) => void
}

const HEAD_END = '\r\n\r\n'

/** Returns the first complete request of a text, or `undefined`. */
export function takeFirstRequest(text: string): string | undefined {
  const headEnd = text.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const bodyLength = Number(/^content-length: (\d+)/im.exec(text.slice(0, headEnd))?.[1] ?? 0)
  const end = headEnd + HEAD_END.length + bodyLength
  return text.length < end ? undefined : text.slice(0, end)
}

/**
 * Starts a server on loopback whose sockets a test controls. Requests are decoded as `latin1`, a character per byte.
 */
export async function serveSockets(behaviour: SocketBehaviour, tlsOptions?: tls.TlsOptions): Promise<SocketServer> {
  const requests: string[] = []
  let connections = 0
  const onConnection = (socket: net.Socket): void => {
    let read = ''
    socket.on('error', () => undefined)
    behaviour.onConnection?.(socket)
    if (behaviour.onRequest === undefined) return
    socket.on('data', (chunk: Buffer) => {
      read += chunk.toString('latin1')
      const request = takeFirstRequest(read)
      if (request === undefined) return
      read = read.slice(request.length)
      requests.push(request)
      behaviour.onRequest?.(socket, request)
    })
  }
  const server = tlsOptions === undefined ? net.createServer(onConnection) : tls.createServer(tlsOptions, onConnection)
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as net.AddressInfo).port,
    requests,
    connections: () => connections,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}

export function formatResponse(status: number, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers })
  return [`HTTP/1.1 ${status} x`, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n')
}
