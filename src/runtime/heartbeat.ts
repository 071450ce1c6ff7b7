import { formatDuration, formatUtc } from '../text/format.ts'
import type { Clock } from './clock.ts'

const HEARTBEAT_MS = 60_000
/** The shortest remaining wait that is logged. The next line follows soon after a shorter one. */
export const MIN_LOGGED_WAIT_MS = 5_000

interface Dependencies {
  readonly clock: Clock
  readonly log: (line: string) => void
}

/** Logs a line every minute while nothing changes, so that a waiting step does not look stuck. */
export class Heartbeat {
  readonly #step: Dependencies
  #lastLineAt: number

  constructor(step: Dependencies) {
    this.#step = step
    this.#lastLineAt = step.clock.now()
  }

  /** Restarts the minute, after a line that was logged elsewhere. */
  restart(): void {
    this.#lastLineAt = this.#step.clock.now()
  }

  /** Logs a line and restarts the minute. */
  log(line: string): void {
    this.restart()
    this.#step.log(line)
  }

  /** Returns the time until a line is due, in milliseconds. */
  getTimeLeftMs(): number {
    return Math.max(0, this.#lastLineAt + HEARTBEAT_MS - this.#step.clock.now())
  }

  /** Logs the line if one is due. */
  logIfDue(line: string): void {
    if (this.getTimeLeftMs() === 0) this.log(line)
  }
}

/** Formats the time after a pause, in UTC. */
export const formatTimeAfter = (ms: number, clock: Clock): string =>
  `${formatUtc(new Date(clock.wallTime().getTime() + ms))} UTC`

/** Sleeps, and logs the remaining time every minute. */
export async function sleepWithProgress(
  ms: number,
  step: Dependencies & { readonly signal: AbortSignal },
): Promise<void> {
  const { clock, signal, log } = step
  const endsAt = clock.now() + ms
  for (let leftMs = ms; leftMs > 0; leftMs = endsAt - clock.now()) {
    await clock.sleep(Math.min(leftMs, HEARTBEAT_MS), signal)
    const restMs = endsAt - clock.now()
    if (restMs >= MIN_LOGGED_WAIT_MS)
      log(`Still waiting until ${formatTimeAfter(restMs, clock)}, for another ${formatDuration(restMs)}.`)
  }
}
