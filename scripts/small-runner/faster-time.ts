import { type Clock, systemClock } from '../../src/runtime/clock.ts'

/** A clock that runs `factor` times as fast. @param startMs its start time, in milliseconds since 1970 */
export function fasterClock(factor: number, startMs: number, clock: Clock = systemClock): Clock {
  const startedAt = clock.now()
  return {
    now: () => clock.now() * factor,
    wallTime: () => new Date(startMs + (clock.now() - startedAt) * factor),
    sleep: (ms, signal) => clock.sleep(ms / factor, signal),
    yieldToEventLoop: () => clock.yieldToEventLoop(),
  }
}

/**
 * Source code that makes the monotonic clock and the timers of a Node.js process run `factor` times as fast. Each timer gets an
 * additional millisecond: Node.js fires up to a millisecond early, which would be seconds on the faster clock.
 */
export function timesFaster(factor: number): string {
  return `
    const [start, uptime] = [globalThis.setTimeout, process.uptime.bind(process)]
    globalThis.setTimeout = (task, ms, ...args) => start(task, Math.ceil(ms / ${factor}) + 1, ...args)
    process.uptime = () => uptime() * ${factor}
  `
}

/** `timesFaster` with a faster date as well. */
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
