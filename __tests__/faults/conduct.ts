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

const HEAD_END = '\r\n\r\n'

/** How many bytes there are until the end of the first request, or undefined while that is not known. */
function requestLength(read: string): number | undefined {
  const headEnd = read.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  return headEnd + HEAD_END.length + Number(/^content-length: (\d+)/im.exec(read.slice(0, headEnd))?.[1] ?? 0)
}

/** What of the bytes that came in is read, if that is enough to act: the whole request, or as much of it as the peer wants. */
export function readEnough(came: string, readsBytes: number | undefined): string | undefined {
  const length = requestLength(came)
  const wanted = readsBytes === undefined ? length : readsBytes >= 0 ? readsBytes : length && length + readsBytes
  return wanted === undefined || came.length < wanted ? undefined : came.slice(0, wanted)
}

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
