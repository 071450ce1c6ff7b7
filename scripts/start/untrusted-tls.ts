import { type AddressInfo, type Server, type Socket, connect } from 'node:net'
import { createServer } from 'node:tls'
import type { Certificate } from './self-signed-certificate.ts'

export interface Entrance {
  readonly url: string
  readonly close: () => void
}

/** Starts a server on a free loopback port. `close` ends all its connections. */
export async function openEntrance(server: Server, scheme: 'http' | 'https'): Promise<Entrance> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Pipes a socket to a local service and back. */
export function handOn(caller: Socket, serviceUrl: string): void {
  const service = connect(Number(new URL(serviceUrl).port), '127.0.0.1')
  for (const socket of [caller, service]) socket.on('error', () => undefined)
  caller.pipe(service).pipe(caller)
}

/** Serves a local service over TLS. */
export function offerOverTls(serviceUrl: string, certificate: Certificate): Promise<Entrance> {
  const server = createServer({ ...certificate }, (caller) => {
    handOn(caller, serviceUrl)
  })
  return openEntrance(server, 'https')
}
