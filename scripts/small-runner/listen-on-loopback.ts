import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

export interface LoopbackServer {
  readonly port: number
  readonly url: string
  /** Ends all connections. */
  readonly close: () => Promise<void>
}

/** Starts a server on a free port of this machine. */
export async function listenOnLoopback(server: Server, scheme: 'http' | 'https' = 'http'): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        for (const socket of sockets) socket.destroy()
      }),
  }
}
