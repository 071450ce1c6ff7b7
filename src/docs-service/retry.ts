import type { Clock } from '../runtime/clock.ts'
import { ActionError, type ErrorCode } from '../runtime/errors.ts'
import { formatUtc } from '../text/utc-time.ts'
import { decidePost } from './answer-meaning.ts'
import type { WireResult } from './transport.ts'

// How a step that was refused (429, 425) shares the service with others that came at the same moment: the other repositories
// of a nightly run, or the jobs of a matrix. It sees nothing of them but its own refusals. `npm run bench -- fleet` shows what
// these numbers are worth.

/** One refusal says nothing of how many others there are, so the first try after it lies anywhere in a minute. */
const FIRST_SPAN_MS = 64_000
/** Who is refused in this minute only met a few others there, and the minute is over soon. */
const NEXT_SPAN_MS = 8_000
/** Who is refused more often than this meets a larger crowd: each further refusal doubles the span. */
const FEW_REFUSALS = 5
const LONGEST_SPAN_MS = 128_000
/** A service that names no time, or none at all, is left alone this long. */
const SHORTEST_WAIT_MS = 1_000
/** What is left of a refusal after four answers is nothing. */
const LEAST_REFUSALS = 0.1
const JITTER = 0.1

/** How many refusals weigh on a step after one more result: each adds one, and each success takes half of them away. */
export function refusalsAfter(refusals: number, result: WireResult): number {
  const decision = decidePost(result)
  if (decision === 'wait') return refusals + 1
  if (decision !== 'accepted') return refusals
  return refusals / 2 < LEAST_REFUSALS ? 0 : refusals / 2
}

/** What a wait before the next try depends on, besides the error. */
interface Wait {
  /** The weight of all refusals, the newest one included. */
  readonly refusals: number
  /** How much time the step has, in milliseconds: what is random of the wait is cut to it, what the service asks for is not. */
  readonly leftMs: number
  /** From 0 to 1. */
  readonly random: number
}

/** How long a request that was refused waits, in milliseconds: at random, or all of the crowd would come back together. */
export function comeBackMs({ retryAfterMs = 0 }: ActionError, { refusals, leftMs, random }: Wait): number {
  const floorMs = Math.max(retryAfterMs, SHORTEST_WAIT_MS)
  const crowdMs = Math.min(NEXT_SPAN_MS * 2 ** Math.max(0, refusals - FEW_REFUSALS), LONGEST_SPAN_MS)
  const spanMs = refusals <= 1 ? FIRST_SPAN_MS : crowdMs
  return floorMs + Math.max(0, Math.min(spanMs, leftMs - floorMs)) * random
}

/**
 * How long a step that was refused leaves the service to the prompts of others before it reads again, in milliseconds; 0 for
 * one that never was. With each answer it is half as long.
 */
export function giveWayMs(refusals: number, random: number): number {
  return FIRST_SPAN_MS * Math.min(1, 2 * refusals) * (1 + JITTER * (2 * random - 1))
}

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 60_000

/**
 * How long to wait before what failed is tried again, in milliseconds.
 * @param attempt how often it was tried, from 1
 */
export function pauseMs(error: ActionError, attempt: number, wait: Wait): number {
  if (error.code === 'rate-limited') return comeBackMs(error, wait)
  // Spread, so that a matrix of jobs does not come back in step.
  const backOffMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS) * (0.75 + 0.5 * wait.random)
  return Math.min(Math.max(backOffMs, error.retryAfterMs ?? 0), wait.leftMs)
}

/** The same error, with the time that the service names: it helps to plan the next run. */
export function namingTheTime(error: ActionError, clock: Clock): ActionError {
  const { code, message, hint, quote, retryAfterMs } = error
  if (retryAfterMs === undefined) return error
  const until = new Date(Math.ceil((clock.wallTime().getTime() + retryAfterMs) / 1000) * 1000)
  const text = `${message} It asks to wait until ${formatUtc(until)} UTC, which is after this step's deadline.`
  return new ActionError(code, text, { hint, quote, retryAfterMs })
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
