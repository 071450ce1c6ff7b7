import type { Clock } from '../../src/runtime/clock.ts'

export interface FakeClock extends Clock {
  /** How much time has passed since it was made, in milliseconds. */
  passed(): number
  /** How long each sleep was asked to be, in milliseconds. */
  readonly sleeps: number[]
  /** Moves the time without anybody sleeping. */
  advance(ms: number): void
}

export interface FakeClockOptions {
  /** Called when somebody goes to sleep, with the number of sleeps before. */
  readonly onSleep?: (before: number) => void
  readonly onYield?: () => void
}

/** A process has run for a while when a step begins, so nothing may count from 0. */
export const CLOCK_START_MS = 5_000_000

/** What a step sees of a clock by which the world around it began at 0. */
export function stepClockOf(world: Clock): Clock {
  return { ...world, now: () => CLOCK_START_MS + world.now() }
}

/** A clock that moves only when someone sleeps, and then at once. It starts on 1 January 2026. */
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
      // Gives way, as every sleep does, so that whoever aborts meanwhile is heard.
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
