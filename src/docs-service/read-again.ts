import type { Clock } from '../runtime/clock.ts'
import { ActionError } from '../runtime/errors.ts'
import { formatUtc } from '../text/utc-time.ts'
import { isPassingReadError } from './retry.ts'

/** The same error, with the time that the service names: it helps to plan the next run. */
export function namingTheTime(error: ActionError, clock: Clock): ActionError {
  const { code, message, hint, quote, retryAfterMs } = error
  if (retryAfterMs === undefined) return error
  const until = new Date(Math.ceil((clock.wallTime().getTime() + retryAfterMs) / 1000) * 1000)
  const text = `${message} It asks not to be asked before ${formatUtc(until)} UTC, which is after this step's deadline.`
  return new ActionError(code, text, { hint, quote, retryAfterMs })
}

/** What decides on reading again: how the reads before ended, and how much time there is. One serves a whole step. */
export class ReadAgain {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #deadlineAt: number
  #badAnswersInARow = 0

  /** @param step its deadline is on the clock's scale, in milliseconds */
  constructor(step: { readonly clock: Clock; readonly signal: AbortSignal; readonly deadlineAt: number }) {
    this.#clock = step.clock
    this.#signal = step.signal
    this.#deadlineAt = step.deadlineAt
  }

  /**
   * Reads once. A read changes nothing, so what may pass is given back and not thrown.
   * @param mayBeMissing whether what was just created may not be found yet
   * @throws ActionError if no further read could help
   */
  async attempt<T>(read: () => Promise<T>, mayBeMissing = false): Promise<T | ActionError> {
    try {
      const answer = await read()
      this.#badAnswersInARow = 0
      return answer
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      this.#signal.throwIfAborted()
      this.#badAnswersInARow = error.code === 'bad-answer' ? this.#badAnswersInARow + 1 : 0
      if (!isPassingReadError(error, { badAnswersInARow: this.#badAnswersInARow, mayBeMissing })) throw error
      return error
    }
  }

  /**
   * How long the service asks to be left alone, in milliseconds.
   * @throws ActionError if that is longer than the step has, which is known without waiting for it
   */
  patienceMs(error: ActionError): number {
    const { retryAfterMs = 0 } = error
    if (this.#clock.now() + retryAfterMs > this.#deadlineAt) throw namingTheTime(error, this.#clock)
    return retryAfterMs
  }
}
