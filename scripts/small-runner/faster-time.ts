import { type Clock, systemClock } from '../../src/runtime/clock.ts'

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
 * The clock and the timers of a process of Node.js go `factor` times as fast; as code that runs in it before its own. A timer
 * gets a millisecond more, as Node.js ends one up to a millisecond early, which would be seconds on the faster clock.
 */
export function timesFaster(factor: number): string {
  return `
    const [start, uptime] = [globalThis.setTimeout, process.uptime.bind(process)]
    globalThis.setTimeout = (task, ms, ...args) => start(task, Math.ceil(ms / ${factor}) + 1, ...args)
    process.uptime = () => uptime() * ${factor}
  `
}

/** The same with its date. */
export function fasterProcess(factor: number, startMs: number): string {
  return `
    ${timesFaster(factor)}
    const RealDate = Date
    const today = () => ${startMs} + Math.floor(process.uptime() * 1_000)
    globalThis.Date = class extends RealDate {
      constructor(...args) { super(...(args.length === 0 ? [today()] : args)) }
      static now() { return today() }
    }
  `
}
