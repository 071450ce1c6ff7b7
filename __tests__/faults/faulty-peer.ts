import { once } from 'node:events'
import * as net from 'node:net'
import { TLSSocket } from 'node:tls'
import { createCertificate } from '../../scripts/start/self-signed-certificate.ts'
import { takeFirstRequest } from '../../testing/socket-server.ts'
import type { Behaviour, Fault, Pace } from './fault.ts'
import type { StillClock } from './still-clock.ts'

export interface FaultyPeer {
  readonly port: number
  /** Sets the fault of all further connections. */
  play(fault: Fault): Promise<void>
  connections(): number
  /** Closes the server. Returns how many connections the client left open, or hangs up on them. */
  close(hangsUp?: boolean): Promise<number>
}

/** In real time. Connections close immediately, except on a busy machine. */
const CLOSING_LIMIT_MS = 20_000
const SLOW_BYTE_MS = 2_000
const CERTIFICATE = createCertificate()

/**
 * Systems choose free ports above 32767, for servers and for the client's end of each connection. A port below stays closed while
 * a peer does not listen.
 */
const PORTS = { first: 15_000, count: 17_000 }
let nextPort = process.pid * 50

const takePort = (): number => PORTS.first + (nextPort++ % PORTS.count)

/**
 * Starts a server on loopback whose connections behave as a fault describes.
 * @param onRead called before the response, with whether the complete request was read
 * @param servicePort the target of tunnels, if this is a proxy
 */
export async function openPeer(
  clock: StillClock,
  onRead: (isComplete: boolean, fault: Fault) => void = () => undefined,
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

  function serve(socket: net.Socket, current: Fault): void {
    const { behaviour, tunnel } = current
    if (behaviour === 'refuse') return
    if (behaviour === 'untrusted') {
      const secure = new TLSSocket(socket, { isServer: true, ...CERTIFICATE })
      secure.on('error', () => undefined)
      secure.resume()
      return
    }
    whenRead(socket, behaviour, async (isComplete) => {
      onRead(isComplete, current)
      // Prepare the tunnel first, because the client sends data as soon as it has read the response.
      if (tunnel !== undefined) socket.pause()
      await act(socket, behaviour, clock)
      if (tunnel === undefined) return
      const service = net.connect(servicePort, '127.0.0.1').setNoDelay(true)
      for (const end of [socket, service]) end.removeAllListeners('data').on('data', clock.touch)
      service.on('error', () => undefined)
      pump(socket, service, tunnel.upBytes)
      pump(service, socket, tunnel.downBytes)
      socket.resume()
    })
  }

  async function listen(): Promise<void> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }

  async function openOnAnyPort(): Promise<void> {
    port = takePort()
    await listen().catch((error: unknown) => {
      // Windows reserves some ports.
      if (!['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      return openOnAnyPort()
    })
  }

  await openOnAnyPort()
  return {
    port,
    connections: () => connections,
    async play(next) {
      fault = next
      if (next.behaviour === 'refuse') server.close()
      else if (!server.listening) await listen()
    },
    async close(hangsUp = false) {
      server.close()
      for (const socket of sockets) {
        if (hangsUp) socket.destroy()
        else socket.resume()
      }
      const timeout = AbortSignal.timeout(CLOSING_LIMIT_MS)
      await Promise.all([...sockets].map((socket) => once(socket, 'close', { signal: timeout }).catch(() => undefined)))
      const left = sockets.size
      for (const socket of sockets) socket.destroy()
      return left
    },
  }
}

/** Calls `begin` once the peer has read enough, with whether that is the complete request. */
function whenRead(socket: net.Socket, behaviour: Behaviour, begin: (isComplete: boolean) => Promise<void>): void {
  const { readsBytes, neverReads = false } = behaviour
  let received = ''
  let hasBegun = readsBytes === 0
  if (hasBegun) void begin(false)
  if (neverReads) {
    socket.pause()
    return
  }
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
    const whole = takeFirstRequest(received)?.length ?? Infinity
    const wanted = readsBytes === undefined ? whole : readsBytes >= 0 ? readsBytes : whole + readsBytes
    if (hasBegun || received.length < wanted) return
    hasBegun = true
    void begin(wanted >= whole)
  })
}

/** Writes and closes as the behaviour describes, until that is done or the connection is closed. */
async function act(socket: net.Socket, behaviour: Behaviour, clock: StillClock): Promise<void> {
  const { writes, writesBytes, pace = 'immediate', repeats, then } = behaviour
  const closed = new AbortController()
  socket.once('close', () => {
    closed.abort()
  })
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => {
      socket.write(text, 'latin1', () => {
        clock.touch()
        resolve()
      })
    })
  const pauses: Readonly<Record<Pace, () => Promise<unknown>>> = {
    immediate: nextTurn,
    bytes: nextTurn,
    slow: () => clock.sleep(SLOW_BYTE_MS, closed.signal),
  }
  try {
    const text = writes.slice(0, writesBytes)
    for (const part of pace === 'immediate' ? [text] : text) {
      if (part === '' || closed.signal.aborted) break
      await write(part)
      if (pace !== 'immediate') await pauses[pace]()
    }
    while (repeats !== undefined && !socket.destroyed) {
      await write(repeats)
      await pauses[pace]()
    }
  } catch {
    // The connection was closed during a pause.
    return
  }
  if (then === 'close') socket.end()
  if (then === 'reset') socket.resetAndDestroy()
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Forwards the data of one side, and resets both sides after `maxBytes`. */
function pump(from: net.Socket, to: net.Socket, maxBytes = Infinity): void {
  let bytes = 0
  const reset = (): void => {
    for (const socket of [from, to]) {
      // Node never closes a socket that is reset while it is ending.
      if (socket.writableEnded) socket.destroy()
      else if (!socket.destroyed) socket.resetAndDestroy()
    }
  }
  from.on('data', (chunk: Buffer) => {
    if (!to.writable) return
    const part = chunk.subarray(0, maxBytes - bytes)
    bytes += part.length
    if (bytes >= maxBytes) to.write(part, reset)
    else if (!to.write(part)) from.pause()
  })
  to.on('drain', () => from.resume())
  to.on('close', () => from.destroy())
  from.on('end', () => to.end())
  from.on('error', reset)
}
