import type { Clock } from '../../src/shared/clock.ts'

export interface FakeClock extends Clock {
  /** How long each sleep was asked to be, in milliseconds. */
  readonly sleeps: number[]
  /** Moves the time without anybody sleeping. */
  advance(ms: number): void
}

export interface FakeClockOptions {
  /** Called when somebody goes to sleep, with the number of sleeps before. */
  readonly onSleep?: (before: number) => void
  /** Called when somebody lets the loop turn. */
  readonly onTurn?: () => void
}

/** A clock that moves only when someone sleeps, and then at once. It starts at 0, on 1 January 2026. */
export function fakeClock({ onSleep, onTurn }: FakeClockOptions = {}): FakeClock {
  const start = Date.UTC(2026, 0, 1)
  const sleeps: number[] = []
  let now = 0
  return {
    sleeps,
    now: () => now,
    wallTime: () => new Date(start + now),
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
    async turn() {
      onTurn?.()
      await Promise.resolve()
    },
  }
}
