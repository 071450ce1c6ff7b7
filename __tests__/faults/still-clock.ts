import type { Clock } from '../../src/runtime/clock.ts'

export interface StillClock extends Clock {
  /** Something happened on a socket, so more may follow from it before time goes on. */
  readonly touch: () => void
  /** How many sleep. */
  sleepers(): number
  /** Lets time pass until the work is done. */
  passUntil<T>(work: Promise<T>): Promise<T>
}

interface Sleeper {
  readonly wakesAt: number
  readonly wake: () => void
}

const WALL_START = Date.UTC(2026, 0, 1)
/** Time goes on when nothing has happened for so many looks, with the shortest of real pauses before each. */
const QUIET_LOOKS = 4
const PAUSE_MS = 1

/** Between two looks, all that the sockets of this process have to say is heard at least once. */
function hearSockets(): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve), PAUSE_MS))
}

/**
 * A clock for work over real sockets of this process: it stands still while anything moves on them, and then jumps to the
 * next sleeper. So a minute takes some milliseconds, and how busy the machine is does not change what is measured.
 */
export function stillClock(): StillClock {
  const sleepers = new Set<Sleeper>()
  let now = 0
  let quietLooks = 0

  function touch(): void {
    quietLooks = 0
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        sleepers.delete(sleeper)
        touch()
        reject(signal?.reason as Error)
      }
      const wake = (): void => {
        sleepers.delete(sleeper)
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const sleeper: Sleeper = { wakesAt: now + Math.max(1, Math.ceil(ms)), wake }
      touch()
      if (signal?.aborted) reject(signal.reason as Error)
      else if (ms <= 0) resolve()
      else {
        signal?.addEventListener('abort', abort, { once: true })
        sleepers.add(sleeper)
      }
    })
  }

  function goOn(): void {
    now = Math.min(...[...sleepers].map(({ wakesAt }) => wakesAt))
    touch()
    for (const { wakesAt, wake } of [...sleepers]) if (wakesAt === now) wake()
  }

  return {
    now: () => now,
    wallTime: () => new Date(WALL_START + now),
    sleep,
    turn: () => Promise.resolve(),
    touch,
    sleepers: () => sleepers.size,
    async passUntil(work) {
      const state = { isDone: false }
      const end = (): void => {
        state.isDone = true
      }
      work.then(end, end)
      while (!state.isDone) {
        await hearSockets()
        quietLooks++
        if (quietLooks >= QUIET_LOOKS && sleepers.size > 0) goOn()
      }
      return work
    },
  }
}
