import type { Usage } from '../../github/requests.ts'

const SHORTEST_MS = 10_000
const LONGEST_MS = 60_000
const SHARE_OF_AGE = 0.1

const SHARE_LEFT = 0.1
const FIRST_REQUESTS = 20
const REQUESTS_PER_HOUR = 75
const HOUR_MS = 3_600_000

interface LookPace {
  /** Since the head came, in milliseconds. */
  readonly ageMs: number
  /** That this look has shown something else than the one before. */
  readonly hasChanged: boolean
  /** That requests have to be saved. */
  readonly isShort: boolean
}

/**
 * The time to the next look, in milliseconds: a tenth of the age of the wait, so that the lag is in proportion. A change is
 * often followed by another one. A look that shows nothing new costs no request, and one that does costs up to five.
 */
export function nextLookMs({ ageMs, hasChanged, isShort }: LookPace): number {
  const byAgeMs = Math.min(Math.max(ageMs * SHARE_OF_AGE, SHORTEST_MS), LONGEST_MS)
  if (isShort) return 2 * byAgeMs
  return hasChanged ? SHORTEST_MS : byAgeMs
}

/** Whether few of the requests are left that the token has in an hour. */
export function isNearLimit({ remaining, limit }: Usage): boolean {
  return remaining < limit * SHARE_LEFT
}

/** Whether a wait has cost more than its share: ten of them have one hour of a token together. */
export function isOverShare(counted: number, elapsedMs: number): boolean {
  return counted > FIRST_REQUESTS + (REQUESTS_PER_HOUR * elapsedMs) / HOUR_MS
}
