import type { Socket } from 'node:net'
import type { StillClock } from './still-clock.ts'

/** What a peer does with one connection. */
export interface Conduct {
  /** How much it reads before it acts, in bytes; negative: how much it leaves unread. All of the request, if undefined. */
  readonly readsBytes?: number
  /** Whether it reads nothing at all, so that even the end of the connection passes it by. */
  readonly isDeaf?: boolean
  /** One character a byte. */
  readonly writes: string
  /** How much of that it really writes, in bytes; negative: how much it leaves out. */
  readonly writesBytes?: number
  readonly pace?: Pace
  /** What it writes after that, over and over for ever. */
  readonly repeats?: string
  readonly then: 'close' | 'reset' | 'stay'
}

/** `bytes`: each byte on its own. `slow`: and two seconds for each. */
export type Pace = 'at-once' | 'bytes' | 'slow'

const SLOW_BYTE_MS = 2_000

function write(socket: Socket, text: string, clock: StillClock): Promise<void> {
  return new Promise((resolve) => {
    socket.write(text, 'latin1', () => {
      clock.touch()
      resolve()
    })
  })
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function writeAt(pace: Pace, text: string, socket: Socket, clock: StillClock, gone: AbortSignal): Promise<void> {
  if (pace === 'at-once') {
    await write(socket, text, clock)
    return
  }
  for (const byte of text) {
    if (gone.aborted) return
    await write(socket, byte, clock)
    await (pace === 'slow' ? clock.sleep(SLOW_BYTE_MS, gone) : nextTurn())
  }
}

/** Does what the peer does once it has read enough, until that is done or the connection is gone. */
export async function act(socket: Socket, conduct: Conduct, clock: StillClock): Promise<void> {
  const { writes, writesBytes, pace = 'at-once', repeats, then } = conduct
  const closed = new AbortController()
  socket.once('close', () => {
    closed.abort()
  })
  try {
    if (writes !== '') await writeAt(pace, writes.slice(0, writesBytes), socket, clock, closed.signal)
    while (repeats !== undefined && !socket.destroyed) {
      await write(socket, repeats, clock)
      await (pace === 'slow' ? clock.sleep(SLOW_BYTE_MS, closed.signal) : nextTurn())
    }
  } catch {
    // The connection went away in the middle of a pause.
    return
  }
  if (then === 'close') socket.end()
  if (then === 'reset') socket.resetAndDestroy()
}
