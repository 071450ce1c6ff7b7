import type { Usage } from '../../github/transport.ts'
import type { Looks } from './checks.ts'

const SHORTEST_MS = 10_000
const LONGEST_MS = 60_000
const SHARE_OF_AGE = 0.1

const SHARE_LEFT = 0.1
const FIRST_REQUESTS = 20
const REQUESTS_PER_HOUR = 75
const HOUR_MS = 3_600_000

/**
 * The time to the next look, in milliseconds: a tenth of the age of the wait, so that the lag is in proportion. A change is
 * often followed by another one. A look that shows nothing new costs no request, and one that does costs up to five.
 * @param ageMs since the head came
 * @param isShort that requests have to be saved
 */
export function nextLookMs({ hasChanged, endsInMs, isSettling }: Looks, ageMs: number, isShort: boolean): number {
  if (isSettling) return endsInMs
  const byAgeMs = Math.min(Math.max(ageMs * SHARE_OF_AGE, SHORTEST_MS), LONGEST_MS)
  const usualMs = hasChanged ? SHORTEST_MS : byAgeMs
  return Math.min(isShort ? 2 * byAgeMs : usualMs, endsInMs)
}

/** Whether few of the requests are left that the token has in an hour. */
export function isNearLimit({ remaining, limit }: Usage): boolean {
  return remaining < limit * SHARE_LEFT
}

/** Whether a wait has cost more than its share: ten of them have one hour of a token together. */
export function isOverShare(counted: number, elapsedMs: number): boolean {
  return counted > FIRST_REQUESTS + (REQUESTS_PER_HOUR * elapsedMs) / HOUR_MS
}
