import type { Clock } from '../src/runtime/clock.ts'

export interface VirtualClock extends Clock {
  /** Calls `act` at a time. */
  at(timeMs: number, act: () => void): void
  /** Returns the number of pending calls of `at` and of sleeps. */
  pending(): number
  /**
   * Moves the time until the work is done.
   * @throws Error if nothing is pending that could continue the work: a real process would exit here, with a wrong code
   */
  passUntil<T>(work: Promise<T>): Promise<T>
}

/** A change of the wall clock. Only displayed times may depend on it. */
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
  /** The first time of `now`. */
  readonly startMs?: number
  readonly wallJump?: WallJump
  /** A run with more events is in an endless loop. */
  readonly mostEvents?: number
  /**
   * Resolves when nothing more can happen at the current time. Default: when all promises that can settle have settled.
   */
  readonly quiet?: () => Promise<void>
  /** Whether only this clock can continue the work. False with sockets, for example. */
  readonly isAlone?: boolean
}

/** All promises that can settle now have settled when the next turn of the event loop begins. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * Creates a clock for a whole run. It stands still while anything can happen, and then jumps to the next event. Timers
 * fire on full milliseconds, in the order of their times, and timers with the same time in the order of their creation.
 */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { startMs = 0, wallJump, mostEvents = 50_000, quiet = settlePromises, isAlone = true } = options
  const events: Event[] = []
  let now = startMs

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
        if (next === undefined && isAlone) throw new Error('The run hangs: no event is pending.')
        now = Math.max(now, next?.atMs ?? now)
        next?.act()
      }
      throw new Error('The run is in an endless loop.')
    },
  }
}
