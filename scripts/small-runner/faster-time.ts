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

/** The same for a process of Node.js, as a variable of its environment: its clock, its date and its timers. */
export function fasterProcess(factor: number, startMs: number): { readonly NODE_OPTIONS: string } {
  const code = `
    const [start, now, RealDate] = [globalThis.setTimeout, performance.now.bind(performance), Date]
    const today = () => ${startMs} + Math.floor(performance.now())
    globalThis.setTimeout = (task, ms, ...args) => start(task, ms / ${factor}, ...args)
    performance.now = () => now() * ${factor}
    globalThis.Date = class extends RealDate {
      constructor(...args) { super(...(args.length === 0 ? [today()] : args)) }
      static now() { return today() }
    }
  `
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}
