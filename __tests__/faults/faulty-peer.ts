import { once } from 'node:events'
import * as net from 'node:net'
import type { StillClock } from './still-clock.ts'

export interface FaultyPeer {
  readonly port: number
  /** How many connections were opened. */
  connections(): number
  /** Whether somebody listens. A port that nobody listens on refuses connections. */
  listen(isListening: boolean): Promise<void>
  /** Gives how many connections the other side has not closed although it had time to. */
  close(): Promise<number>
}

/** Real time. A TLS handshake that never ends is given up after 10 s; all else is closed at once. */
const CLOSING_LIMIT_MS = 20_000

/** Where somebody else has taken the port of a peer that did not listen for a moment. */
export class PortTaken extends Error {}

/** A server on loopback that leaves everything about its connections to `onSocket`. */
export async function openPeer(onSocket: (socket: net.Socket) => void, clock: StillClock): Promise<FaultyPeer> {
  const sockets = new Set<net.Socket>()
  let connections = 0
  let port = 0
  const server = net.createServer((socket) => {
    connections++
    sockets.add(socket)
    clock.touch()
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('data', clock.touch)
    socket.on('close', () => {
      sockets.delete(socket)
      clock.touch()
    })
    onSocket(socket)
  })

  async function listen(isListening: boolean): Promise<void> {
    if (isListening === server.listening) return
    if (!isListening) {
      server.close()
      return
    }
    server.listen(port, '127.0.0.1')
    await once(server, 'listening').catch(() => {
      throw new PortTaken()
    })
    ;({ port } = server.address() as net.AddressInfo)
  }

  async function allClosed(): Promise<void> {
    for (const socket of sockets) socket.resume()
    await Promise.all(
      [...sockets].map(
        (socket) =>
          new Promise((resolve) => {
            socket.once('close', resolve)
          }),
      ),
    )
  }

  await listen(true)
  return {
    get port() {
      return port
    },
    connections: () => connections,
    listen,
    async close() {
      server.close()
      let timer: NodeJS.Timeout | undefined
      const tooLate = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSING_LIMIT_MS)
      })
      await Promise.race([allClosed(), tooLate])
      clearTimeout(timer)
      const left = sockets.size
      for (const socket of sockets) socket.destroy()
      return left
    },
  }
}
