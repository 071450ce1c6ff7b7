import type { Step } from './step.ts'

const HEARTBEAT_MS = 60_000

/** One line a minute while nothing changes, so that a step that waits does not look like one that hangs. */
export class Heartbeat {
  readonly #step: Pick<Step, 'clock' | 'host'>
  #lastLineAt: number

  constructor(step: Pick<Step, 'clock' | 'host'>) {
    this.#step = step
    this.#lastLineAt = step.clock.now()
  }

  /** Something was said elsewhere. */
  restart(): void {
    this.#lastLineAt = this.#step.clock.now()
  }

  say(line: string): void {
    this.restart()
    this.#step.host.log(line)
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
