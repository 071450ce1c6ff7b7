import * as net from 'node:net'
import { act } from './conduct.ts'
import { openPeer, whenRead, type FaultyPeer } from './faulty-peer.ts'
import type { ProxyFault, Tunnel } from './proxy-faults.ts'
import type { StillClock } from './still-clock.ts'

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

function connectBoth(socket: net.Socket, servicePort: number, { upBytes, downBytes }: Tunnel, clock: StillClock): void {
  const service = net.connect(servicePort, '127.0.0.1')
  service.setNoDelay(true)
  service.on('data', clock.touch)
  service.on('error', () => undefined)
  socket.removeAllListeners('data')
  socket.on('data', clock.touch)
  pump(socket, service, upBytes)
  pump(service, socket, downBytes)
}

/** A proxy for one service that treats each CONNECT as its script says. */
export function openFaultyProxy(servicePort: number, clock: StillClock): Promise<FaultyPeer<ProxyFault>> {
  return openPeer((socket, { conduct, tunnel }) => {
    if (conduct === 'refuse') return
    const begin = async (): Promise<void> => {
      // First the tunnel, as the client speaks as soon as it has read the answer.
      if (tunnel !== undefined) socket.pause()
      await act(socket, conduct, clock)
      if (tunnel === undefined) return
      connectBoth(socket, servicePort, tunnel, clock)
      socket.resume()
    }
    whenRead(socket, conduct, () => void begin())
  }, clock)
}
