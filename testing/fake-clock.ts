import type { Clock } from '../src/runtime/clock.ts'

export interface FakeClock extends Clock {
  /** Returns the time since the clock was created, in milliseconds. */
  passed(): number
  /** The requested durations of all sleeps, in milliseconds. */
  readonly sleeps: number[]
  /** Moves the time without a sleep. */
  advance(ms: number): void
}

export interface FakeClockOptions {
  /** Called before each sleep, with the number of earlier sleeps. */
  readonly onSleep?: (before: number) => void
  readonly onYield?: () => void
}

/** Not 0: a process has run for a while when a step starts. */
export const CLOCK_START_MS = 5_000_000

/** Returns a clock with the start time of a step, for a clock that starts at 0. */
export function createStepClock(base: Clock): Clock {
  return { ...base, now: () => CLOCK_START_MS + base.now() }
}

/** Creates a clock that moves only when a caller sleeps, and then immediately. It starts on 1 January 2026. */
export function fakeClock({ onSleep, onYield }: FakeClockOptions = {}): FakeClock {
  const sleeps: number[] = []
  let now = CLOCK_START_MS
  return {
    sleeps,
    now: () => now,
    passed: () => now - CLOCK_START_MS,
    wallTime: () => new Date(Date.UTC(2026, 0, 1) + now - CLOCK_START_MS),
    advance(ms) {
      now += ms
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      onSleep?.(sleeps.length)
      sleeps.push(ms)
      // Yields, as every sleep does, so that an abort in the meantime takes effect.
      await Promise.resolve()
      signal?.throwIfAborted()
      now += ms
    },
    async yieldToEventLoop() {
      onYield?.()
      await Promise.resolve()
    },
  }
}
