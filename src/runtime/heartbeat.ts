import { formatDuration, formatUtc } from '../text/format.ts'
import type { Clock } from './clock.ts'

const HEARTBEAT_MS = 60_000

interface Dependencies {
  readonly clock: Clock
  readonly log: (line: string) => void
}

/** One line a minute while nothing changes, so that a step that waits does not look like one that hangs. */
export class Heartbeat {
  readonly #step: Dependencies
  #lastLineAt: number

  constructor(step: Dependencies) {
    this.#step = step
    this.#lastLineAt = step.clock.now()
  }

  /** Something was said elsewhere. */
  restart(): void {
    this.#lastLineAt = this.#step.clock.now()
  }

  say(line: string): void {
    this.restart()
    this.#step.log(line)
  }

  /** Milliseconds until a line is due although nothing changed. */
  untilMs(): number {
    return Math.max(0, this.#lastLineAt + HEARTBEAT_MS - this.#step.clock.now())
  }

  /** Says the line if one is due. */
  beat(line: string): void {
    if (this.untilMs() === 0) this.say(line)
  }
}

/** The time of day after a pause, in UTC. */
export const formatTimeAfter = (ms: number, clock: Clock): string =>
  `${formatUtc(new Date(clock.wallTime().getTime() + ms))} UTC`

/** Sleeps, and logs once a minute how long it still takes, and when it ends. */
export async function sleepWithProgress(
  ms: number,
  step: Dependencies & { readonly signal: AbortSignal },
): Promise<void> {
  const { clock, signal, log } = step
  const endsAt = clock.now() + ms
  for (let leftMs = ms; leftMs > 0; leftMs = endsAt - clock.now()) {
    await clock.sleep(Math.min(leftMs, HEARTBEAT_MS), signal)
    // A timer may fire a moment too early, and a moment is not worth a line.
    const restMs = endsAt - clock.now()
    if (restMs >= 1_000)
      log(`Still waiting until ${formatTimeAfter(restMs, clock)}, for another ${formatDuration(restMs)}.`)
  }
}
