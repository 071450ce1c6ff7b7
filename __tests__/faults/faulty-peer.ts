import { once } from 'node:events'
import * as net from 'node:net'
import type { Conduct } from './conduct.ts'
import type { StillClock } from './still-clock.ts'

export interface FaultyPeer<Fault> {
  readonly port: number
  /** What becomes of the connections from now on. */
  play(fault: Fault): Promise<void>
  /** How many connections were opened. */
  connections(): number
  /** Gives how many connections the other side has not closed although it had time to. */
  close(): Promise<number>
}

/** Real time. A TLS handshake that never ends is given up after 10 s; all else is closed at once. */
const CLOSING_LIMIT_MS = 20_000

/** Where somebody else has taken the port of a peer that did not listen for a moment. */
export class PortTaken extends Error {}

/** A server on loopback that leaves everything about its connections to `serve`, but that nobody listens: `refuse`. */
export async function openPeer<Fault extends { readonly conduct: unknown }>(
  serve: (socket: net.Socket, fault: Fault) => void,
  clock: StillClock,
): Promise<FaultyPeer<Fault>> {
  const sockets = new Set<net.Socket>()
  let connections = 0
  let port = 0
  let fault: Fault | undefined
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
    if (fault !== undefined && fault.conduct !== 'refuse') serve(socket, fault)
  })

  async function listen(): Promise<void> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening').catch(() => {
      throw new PortTaken()
    })
    ;({ port } = server.address() as net.AddressInfo)
  }

  await listen()
  return {
    port,
    connections: () => connections,
    async play(next) {
      fault = next
      if (next.conduct === 'refuse') server.close()
      else if (!server.listening) await listen()
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.resume()
      const closed = (socket: net.Socket) => new Promise((resolve) => socket.once('close', resolve))
      const allClosed = Promise.all([...sockets].map(closed))
      let timer: NodeJS.Timeout | undefined
      const tooLate = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSING_LIMIT_MS)
      })
      await Promise.race([allClosed, tooLate])
      clearTimeout(timer)
      const left = sockets.size
      for (const socket of sockets) socket.destroy()
      return left
    },
  }
}

const HEAD_END = '\r\n\r\n'

/** How many bytes there are until the end of the first request, or undefined while that is not known. */
function requestLength(read: string): number | undefined {
  const headEnd = read.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  return headEnd + HEAD_END.length + Number(/^content-length: (\d+)/im.exec(read.slice(0, headEnd))?.[1] ?? 0)
}

/** What of the bytes that came in is read, if that is enough to act: the whole request, or as much of it as the peer wants. */
export function readEnough(came: string, readsBytes?: number): string | undefined {
  const length = requestLength(came)
  const wanted = readsBytes === undefined ? length : readsBytes >= 0 ? readsBytes : length && length + readsBytes
  return wanted === undefined || came.length < wanted ? undefined : came.slice(0, wanted)
}

/** Calls `begin` once, with what was read, as soon as that is as much as the peer reads before it acts. */
export function whenRead(socket: net.Socket, conduct: Conduct, begin: (read: string) => void): void {
  const { readsBytes, isDeaf = false } = conduct
  let came = ''
  let hasBegun = readsBytes === 0
  if (hasBegun) begin('')
  if (isDeaf) {
    socket.pause()
    return
  }
  socket.on('data', (chunk: Buffer) => {
    if (hasBegun) return
    came += chunk.toString('latin1')
    const read = readEnough(came, readsBytes)
    if (read === undefined) return
    hasBegun = true
    begin(read)
  })
}
