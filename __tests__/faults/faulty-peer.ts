import { once } from 'node:events'
import * as net from 'node:net'
import { TLSSocket } from 'node:tls'
import { makeCertificate } from '../../src/emulator/http/self-signed-certificate.ts'
import { firstRequest } from '../support/socket-server.ts'
import type { Conduct, Fault, Pace } from './fault.ts'
import type { StillClock } from './still-clock.ts'

export interface FaultyPeer {
  readonly port: number
  /** What becomes of the connections from now on. */
  play(fault: Fault): Promise<void>
  connections(): number
  /** Gives how many connections the other side has not closed although it had time to, unless this one hangs up first. */
  close(hangsUp?: boolean): Promise<number>
}

/** Real time, long enough on a busy machine: all is closed at once. */
const CLOSING_LIMIT_MS = 20_000
const SLOW_BYTE_MS = 2_000
const CERTIFICATE = makeCertificate()

/** Where somebody else has taken the port of a peer that did not listen for a moment. */
export class PortTaken extends Error {}

/**
 * A server on loopback that does with its connections what a fault says.
 * @param take hears how much of a request was read, and whether that was all, before anything is answered
 * @param servicePort where a tunnel leads, if this is a proxy
 */
export async function openPeer(
  clock: StillClock,
  take: (isWhole: boolean, fault: Fault) => void = () => undefined,
  servicePort = 0,
): Promise<FaultyPeer> {
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
    if (fault !== undefined) serve(socket, fault)
  })

  function serve(socket: net.Socket, now: Fault): void {
    const { conduct, tunnel } = now
    if (conduct === 'refuse') return
    if (conduct === 'untrusted') {
      const secure = new TLSSocket(socket, { isServer: true, ...CERTIFICATE })
      secure.on('error', () => undefined)
      secure.resume()
      return
    }
    whenRead(socket, conduct, async (isWhole) => {
      take(isWhole, now)
      // First the tunnel, as the client speaks as soon as it has read the answer.
      if (tunnel !== undefined) socket.pause()
      await act(socket, conduct, clock)
      if (tunnel === undefined) return
      const service = net.connect(servicePort, '127.0.0.1').setNoDelay(true)
      for (const one of [socket, service]) one.removeAllListeners('data').on('data', clock.touch)
      service.on('error', () => undefined)
      pump(socket, service, tunnel.upBytes)
      pump(service, socket, tunnel.downBytes)
      socket.resume()
    })
  }

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
    async close(hangsUp = false) {
      server.close()
      for (const socket of sockets) {
        if (hangsUp) socket.destroy()
        else socket.resume()
      }
      const tooLate = AbortSignal.timeout(CLOSING_LIMIT_MS)
      await Promise.all([...sockets].map((socket) => once(socket, 'close', { signal: tooLate }).catch(() => undefined)))
      const left = sockets.size
      for (const socket of sockets) socket.destroy()
      return left
    },
  }
}

/** Calls `begin` once, as soon as so much was read as the peer reads before it acts, with whether that is the whole request. */
function whenRead(socket: net.Socket, conduct: Conduct, begin: (isWhole: boolean) => Promise<void>): void {
  const { readsBytes, isDeaf = false } = conduct
  let came = ''
  let hasBegun = readsBytes === 0
  if (hasBegun) void begin(false)
  if (isDeaf) {
    socket.pause()
    return
  }
  socket.on('data', (chunk: Buffer) => {
    came += chunk.toString('latin1')
    const whole = firstRequest(came)?.length ?? Infinity
    const wanted = readsBytes === undefined ? whole : readsBytes >= 0 ? readsBytes : whole + readsBytes
    if (hasBegun || came.length < wanted) return
    hasBegun = true
    void begin(wanted >= whole)
  })
}

/** Does what the peer does once it has read enough, until that is done or the connection is gone. */
async function act(socket: net.Socket, conduct: Conduct, clock: StillClock): Promise<void> {
  const { writes, writesBytes, pace = 'at-once', repeats, then } = conduct
  const gone = new AbortController()
  socket.once('close', () => {
    gone.abort()
  })
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => {
      socket.write(text, 'latin1', () => {
        clock.touch()
        resolve()
      })
    })
  const pauses: Readonly<Record<Pace, () => Promise<unknown>>> = {
    'at-once': nextTurn,
    bytes: nextTurn,
    slow: () => clock.sleep(SLOW_BYTE_MS, gone.signal),
  }
  try {
    const text = writes.slice(0, writesBytes)
    for (const part of pace === 'at-once' ? [text] : text) {
      if (part === '' || gone.signal.aborted) break
      await write(part)
      if (pace !== 'at-once') await pauses[pace]()
    }
    while (repeats !== undefined && !socket.destroyed) {
      await write(repeats)
      await pauses[pace]()
    }
  } catch {
    // The connection went away in the middle of a pause.
    return
  }
  if (then === 'close') socket.end()
  if (then === 'reset') socket.resetAndDestroy()
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Hands on what comes from one side, and resets both when it has handed on as much as it may. */
function pump(from: net.Socket, to: net.Socket, mostBytes = Infinity): void {
  let bytes = 0
  const reset = (): void => {
    for (const socket of [from, to]) {
      // Node never closes a socket that is reset while it is being ended.
      if (socket.writableEnded) socket.destroy()
      else if (!socket.destroyed) socket.resetAndDestroy()
    }
  }
  from.on('data', (chunk: Buffer) => {
    if (!to.writable) return
    const part = chunk.subarray(0, mostBytes - bytes)
    bytes += part.length
    if (bytes >= mostBytes) to.write(part, reset)
    else if (!to.write(part)) from.pause()
  })
  to.on('drain', () => from.resume())
  to.on('close', () => from.destroy())
  from.on('end', () => to.end())
  from.on('error', reset)
}
