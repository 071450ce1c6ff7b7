import type { Clock } from '../runtime/clock.ts'
import { ActionError, type ErrorCode } from '../runtime/errors.ts'
import { formatUtc } from '../text/utc-time.ts'
import { decidePost } from './answer-meaning.ts'
import type { WireResult } from './transport.ts'

/** A service that names no time, or a time in the past, is left alone this long. */
const MIN_RATE_LIMIT_DELAY_MS = 1_000
const FIRST_JITTER_WINDOW_MS = 4_000
const MAX_JITTER_WINDOW_MS = 32_000

/** How many requests in a row the service refused (429, 425), after one more result. Neither a failure nor another status ends the row. */
export function countRefusals(refusals: number, result: WireResult): number {
  const decision = decidePost(result)
  if (decision === 'accepted') return 0
  return decision === 'wait' ? refusals + 1 : refusals
}

/** What a delay depends on, besides the error. */
interface DelayFactors {
  /** How many requests of this step were refused in a row, the last one included. */
  readonly refusals: number
  /** The time that the step has left, in milliseconds: caps the jitter, but not what the service asks for. */
  readonly leftMs: number
  /** From 0 to 1. */
  readonly random: number
}

/**
 * How long a refused request waits, in milliseconds: `Retry-After`, and full jitter from a truncated exponential back-off, so
 * that steps that were refused together do not come back together. `npm run bench -- --only fleet` measures these numbers.
 */
export function getRateLimitDelayMs(
  { retryAfterMs = 0 }: ActionError,
  { refusals, leftMs, random }: DelayFactors,
): number {
  const floorMs = Math.max(retryAfterMs, MIN_RATE_LIMIT_DELAY_MS)
  const windowMs = Math.min(FIRST_JITTER_WINDOW_MS * 2 ** (refusals - 1), MAX_JITTER_WINDOW_MS)
  return floorMs + Math.max(0, Math.min(windowMs, leftMs - floorMs)) * random
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000

/**
 * How long to wait before a failed request is retried, in milliseconds.
 * @param attempt how often the request was sent, from 1
 */
export function getRetryDelayMs(error: ActionError, attempt: number, factors: DelayFactors): number {
  if (error.code === 'rate-limited') return getRateLimitDelayMs(error, factors)
  // With jitter, so that the jobs of a matrix do not retry at the same moment.
  const backOffMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS) * (0.75 + 0.5 * factors.random)
  return Math.min(Math.max(backOffMs, error.retryAfterMs ?? 0), factors.leftMs)
}

/** The same error, with the time that the service names: it helps to plan the next run. */
export function namingTheTime(error: ActionError, clock: Clock): ActionError {
  const { code, message, hint, quote, retryAfterMs } = error
  if (retryAfterMs === undefined) return error
  const until = new Date(Math.ceil((clock.wallTime().getTime() + retryAfterMs) / 1000) * 1000)
  const text = `${message} It asks to wait until ${formatUtc(until)} UTC, which is after this step's deadline.`
  return new ActionError(code, text, { cause: error, hint, quote, retryAfterMs })
}

/**
 * How long the service asks to be left alone, in milliseconds.
 * @param deadlineAt on the clock's scale
 * @throws ActionError if that is longer than the step has, which is known without waiting for it
 */
export function patienceMs(error: ActionError, clock: Clock, deadlineAt: number): number {
  const { retryAfterMs = 0 } = error
  if (clock.now() + retryAfterMs > deadlineAt) throw namingTheTime(error, clock)
  return retryAfterMs
}

const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unreachable', 'rate-limited', 'service-error'])
/** A service that talks nonsense this often in a row will not stop. */
const MOST_BAD_ANSWERS = 10

/**
 * Reads once. A read changes nothing, so what may pass is given back and not thrown.
 * @param mayBeMissing whether what was just created may not be found yet
 * @throws ActionError if no further read could help
 */
type TryRead = <T>(read: () => Promise<T>, mayBeMissing?: boolean) => Promise<T | ActionError>

/** One serves a whole step, as answers that make no sense count in a row. */
export function createTryRead(signal: AbortSignal): TryRead {
  let badAnswersInARow = 0
  return async (read, mayBeMissing = false) => {
    try {
      const answer = await read()
      badAnswersInARow = 0
      return answer
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      signal.throwIfAborted()
      const isNonsense = error.code === 'bad-answer'
      badAnswersInARow = isNonsense ? badAnswersInARow + 1 : 0
      if (PASSING.has(error.code) || (isNonsense && badAnswersInARow < MOST_BAD_ANSWERS)) return error
      if (error.code === 'not-found' && mayBeMissing) return error
      throw error
    }
  }
}
