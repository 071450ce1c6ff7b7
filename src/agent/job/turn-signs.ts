import type { Job } from '../../service/schemas.ts'
import { isRunning, isSameEnd, saysActive } from './verdict.ts'

/** What the answer to a follow-up, and the reads after it, have shown of its turn. */
export interface TurnSigns {
  readonly hasBegun: boolean
  /** Whether a read, and not only the answer, said `active`. */
  readonly wasReadActive: boolean
  /** The end that the reads have shown since `sinceMs` on the clock's scale, without a break. */
  readonly standing: { readonly end: Job; readonly sinceMs: number } | undefined
}

/** @param answer undefined if the answer to the message was lost */
export function signsOfAnswer(answer: Job | undefined): TurnSigns {
  return { hasBegun: answer !== undefined && saysActive(answer), wasReadActive: false, standing: undefined }
}

export function withRead(signs: TurnSigns, read: Job, nowMs: number): TurnSigns {
  if (saysActive(read)) return { hasBegun: true, wasReadActive: true, standing: undefined }
  if (isRunning(read)) return { ...signs, standing: undefined }
  const { standing } = signs
  if (standing !== undefined && isSameEnd(standing.end, read)) return signs
  return { ...signs, standing: { end: read, sinceMs: nowMs } }
}

/** How long an end that looks like the one before has to stand until it is believed. */
const STANDING_MS = 15_000

/**
 * Whether the end that is read is the end of this turn. A job tells nothing about its turns, and a read may come from a
 * copy that lags. So an end counts after a read that said `active` if it differs from the one before the message, and else
 * if it has stood for 15 s. The usual case is the second: `completed`, with the same pull request as before.
 */
export function hasEnded({ hasBegun, wasReadActive, standing }: TurnSigns, before: Job, nowMs: number): boolean {
  if (!hasBegun || standing === undefined) return false
  if (wasReadActive && !isSameEnd(standing.end, before)) return true
  return nowMs - standing.sinceMs >= STANDING_MS
}
