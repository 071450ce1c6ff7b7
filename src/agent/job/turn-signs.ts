import type { Job } from '../../docs-service/schemas.ts'
import { isRunning, isSameEnd, saysActive } from './job-state.ts'

/** What the answer to a follow-up, and the reads after it, have shown of its turn. */
interface TurnSigns {
  readonly hasBegun: boolean
  /** When the message was answered, on the clock's scale. */
  readonly answeredAtMs: number
  /** Whether a read, and not only the answer, said `active`. */
  readonly wasReadActive: boolean
  /** The end that the reads have shown since `sinceMs` on the clock's scale, without a break. */
  readonly standing: { readonly end: Job; readonly sinceMs: number } | undefined
}

/**
 * @param answer undefined if the answer to the message was lost
 * @param nowMs on the clock's scale
 */
export function signsOfAnswer(answer: Job | undefined, nowMs: number): TurnSigns {
  return {
    hasBegun: answer !== undefined && saysActive(answer),
    answeredAtMs: nowMs,
    wasReadActive: false,
    standing: undefined,
  }
}

export function withRead(signs: TurnSigns, read: Job, nowMs: number): TurnSigns {
  if (saysActive(read)) return { ...signs, hasBegun: true, wasReadActive: true, standing: undefined }
  if (isRunning(read)) return { ...signs, standing: undefined }
  const { standing } = signs
  if (standing !== undefined && isSameEnd(standing.end, read)) return signs
  return { ...signs, standing: { end: read, sinceMs: nowMs } }
}

/** How long copies of the service's data may lag, and so how long an end has to stand that looks like the one before. */
const STANDING_MS = 15_000

/**
 * Whether the end that is read is the end of this turn. A job tells nothing about its turns, and a read may come from a
 * copy that lags. So an end counts after a read that said `active` if it differs from the one before the message, and no
 * copy can be older than that; and else if it has stood for 15 s. The usual case is the second: `completed`, with the same pull request as before.
 */
export function hasEnded(
  { hasBegun, answeredAtMs, wasReadActive, standing }: TurnSigns,
  before: Job,
  nowMs: number,
): boolean {
  if (!hasBegun || standing === undefined) return false
  if (nowMs - answeredAtMs >= STANDING_MS && wasReadActive && !isSameEnd(standing.end, before)) return true
  return nowMs - standing.sinceMs >= STANDING_MS
}
