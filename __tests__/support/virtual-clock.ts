import type { Clock } from '../../src/runtime/clock.ts'

export interface VirtualClock extends Clock {
  /** Does something at a time, whoever sleeps meanwhile. */
  at(timeMs: number, act: () => void): void
  /** How much is still to come: what was set up with `at`, and who sleeps. */
  pending(): number
  /**
   * Lets time pass until the work is done.
   * @throws Error where nothing is left that could wake the work up: a process would end here, and its exit code lie
   */
  passUntil<T>(work: Promise<T>): Promise<T>
}

/** When the wall clock is set to another time, and by how much; nothing but what is displayed may depend on it. */
export interface WallJump {
  readonly atMs: number
  readonly byMs: number
}

interface Event {
  readonly atMs: number
  readonly act: () => void
}

const WALL_START = Date.UTC(2026, 0, 1)

export interface VirtualClockOptions {
  readonly wallJump?: WallJump
  /** A run that needs more than this many steps is going round in circles. */
  readonly mostEvents?: number
  /** Resolves when nothing more happens before time goes on. By itself that is when all promises have settled that can. */
  readonly quiet?: () => Promise<void>
  /** Whether nothing but this clock, such as a socket, can wake the work up. */
  readonly isAlone?: boolean
}

/** All promises that can settle now have settled when the next turn of the event loop begins. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * A clock for everything in one run: it stands still while anything can be done, and then jumps to the next thing that is
 * due. Timers fire on whole milliseconds, in the order of their times, and of their making where the times are the same.
 */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { wallJump, mostEvents = 50_000, quiet = settlePromises, isAlone = true } = options
  const events: Event[] = []
  let now = 0

  function add(event: Event): void {
    const later = events.findIndex(({ atMs }) => atMs > event.atMs)
    events.splice(later === -1 ? events.length : later, 0, event)
  }

  function remove(event: Event): void {
    const index = events.indexOf(event)
    if (index !== -1) events.splice(index, 1)
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        remove(wake)
        reject(signal?.reason as Error)
      }
      const wake: Event = {
        atMs: now + Math.max(1, Math.ceil(ms)),
        act: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      if (signal?.aborted) reject(signal.reason as Error)
      else if (ms <= 0) resolve()
      else {
        signal?.addEventListener('abort', abort, { once: true })
        add(wake)
      }
    })
  }

  return {
    now: () => now,
    wallTime: () => new Date(WALL_START + now + (wallJump === undefined || now < wallJump.atMs ? 0 : wallJump.byMs)),
    sleep,
    yieldToEventLoop: () => Promise.resolve(),
    pending: () => events.length,
    at(timeMs, act) {
      add({ atMs: timeMs, act })
    },
    async passUntil(work) {
      const state = { isDone: false }
      const end = (): void => {
        state.isDone = true
      }
      work.then(end, end)
      for (let steps = 0; steps < mostEvents; steps++) {
        await quiet()
        if (state.isDone) return work
        const next = events.shift()
        if (next === undefined && isAlone) throw new Error('The run hangs: nothing is left that could wake it up.')
        now = Math.max(now, next?.atMs ?? now)
        next?.act()
      }
      throw new Error('The run goes round in circles.')
    },
  }
}
