import type { Clock } from '../runtime/clock.ts'
import { ActionError, type ErrorCode } from '../runtime/errors.ts'
import { formatUtc } from '../text/utc-time.ts'

const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unreachable', 'rate-limited', 'service-error'])
/** A service that talks nonsense this often in a row will not stop. */
const MOST_BAD_ANSWERS = 10

/** The same error, with the time that the service names: it helps to plan the next run. */
export function namingTheTime(error: ActionError, clock: Clock): ActionError {
  const { code, message, hint, quote, retryAfterMs } = error
  if (retryAfterMs === undefined) return error
  const until = new Date(Math.ceil((clock.wallTime().getTime() + retryAfterMs) / 1000) * 1000)
  const text = `${message} It asks to wait until ${formatUtc(until)} UTC, which is after this step's deadline.`
  return new ActionError(code, text, { hint, quote, retryAfterMs })
}

interface ReadingStep {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** On the clock's scale, in milliseconds. */
  readonly deadlineAt: number
}

/** What decides on reading again: how the reads before ended, and how much time there is. One serves a whole step. */
export class ReadAgain {
  readonly #step: ReadingStep
  #badAnswersInARow = 0

  constructor(step: ReadingStep) {
    this.#step = step
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
      this.#step.signal.throwIfAborted()
      const isNonsense = error.code === 'bad-answer'
      this.#badAnswersInARow = isNonsense ? this.#badAnswersInARow + 1 : 0
      if (PASSING.has(error.code) || (isNonsense && this.#badAnswersInARow < MOST_BAD_ANSWERS)) return error
      if (error.code === 'not-found' && mayBeMissing) return error
      throw error
    }
  }

  /**
   * How long the service asks to be left alone, in milliseconds.
   * @throws ActionError if that is longer than the step has, which is known without waiting for it
   */
  patienceMs(error: ActionError): number {
    const { clock, deadlineAt } = this.#step
    const { retryAfterMs = 0 } = error
    if (clock.now() + retryAfterMs > deadlineAt) throw namingTheTime(error, clock)
    return retryAfterMs
  }
}
