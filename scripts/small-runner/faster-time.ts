import { type Clock, systemClock } from '../../src/shared/clock.ts'

/** A clock that goes `factor` times as fast, and begins at a time in milliseconds since 1970. */
export function fasterClock(factor: number, startMs: number, clock: Clock = systemClock): Clock {
  const startedAt = clock.now()
  return {
    now: () => clock.now() * factor,
    wallTime: () => new Date(startMs + (clock.now() - startedAt) * factor),
    sleep: (ms, signal) => clock.sleep(ms / factor, signal),
    turn: () => clock.turn(),
  }
}

/**
 * The same for a process of Node.js, as code that runs in it before its own: its clock, its date and its timers. A timer
 * gets a millisecond more, as Node.js ends one up to a millisecond early, which would be seconds on the faster clock.
 */
export function fasterProcess(factor: number, startMs: number): string {
  return `
    const [start, now, RealDate] = [globalThis.setTimeout, performance.now.bind(performance), Date]
    const today = () => ${startMs} + Math.floor(performance.now())
    globalThis.setTimeout = (task, ms, ...args) => start(task, Math.ceil(ms / ${factor}) + 1, ...args)
    performance.now = () => now() * ${factor}
    globalThis.Date = class extends RealDate {
      constructor(...args) { super(...(args.length === 0 ? [today()] : args)) }
      static now() { return today() }
    }
  `
}
