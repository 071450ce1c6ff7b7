import type { Check } from '../../github/commit-checks.ts'
import type { Usage } from '../../github/conditional-requests.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { ChecksState } from '../report/report.ts'

export interface ChecksVerdict {
  readonly state: ChecksState
  /** Whether waiting longer could change it. */
  readonly isFinal: boolean
  /** How much longer all has to stay as it is before it is a success, in milliseconds. */
  readonly settlesInMs?: number
}

/** How long a commit's first check may take to be registered. */
const DISCOVERY_MS = 60_000
/** How long others may take to be registered when those that are known have passed. */
const SETTLE_MS = 15_000

/** How long the others may take after the first failure, if all that failed is to be told to the agent. */
export const OTHERS_MS = 300_000

interface ChecksPatience {
  /** For how long all that is known has stood as it is, in milliseconds. */
  readonly stoodMs: number
  /** How much longer to wait for the others when one has failed, in milliseconds. */
  readonly othersMs?: number
  /** That no more checks are expected, as the pull request is merged or closed. */
  readonly isOver?: boolean
}

export function decideChecks(
  checks: readonly Check[],
  { stoodMs, othersMs = 0, isOver = false }: ChecksPatience,
): ChecksVerdict {
  const isPending = checks.some(({ state }) => state === 'pending')
  if (checks.some(({ state }) => state === 'failure')) return { state: 'failure', isFinal: !isPending || othersMs <= 0 }
  if (isPending) return { state: 'pending', isFinal: false }
  if (checks.length === 0 && (isOver || stoodMs >= DISCOVERY_MS)) return { state: 'none', isFinal: true }
  if (checks.length === 0) return { state: 'pending', isFinal: false }
  if (stoodMs >= SETTLE_MS) return { state: 'success', isFinal: true }
  return { state: 'pending', isFinal: false, settlesInMs: SETTLE_MS - stoodMs }
}

/** All that a verdict rests on: what has the same fingerprint has not changed. */
export function fingerprintOf(checks: readonly Check[]): string {
  const parts = checks.map(({ name, state, id, app }) => JSON.stringify([name, state, id, app]))
  return parts.sort().join()
}

const MOST_NAMES = 3
const LONGEST_NAME = 100

function formatSome(checks: readonly Check[], wanted: Check['state'], happens: string): string[] {
  const names = checks.filter(({ state }) => state === wanted).map(({ name }) => oneLine(name, LONGEST_NAME))
  const shown = [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ')
  return names.length === 0 ? [] : [`${names.length} of ${checks.length} ${happens} (${shown})`]
}

/** What is known of a commit's checks, in one line for the log. */
export function formatChecks(state: ChecksState, checks: readonly Check[], sha: string): string {
  const commit = sha.slice(0, 7)
  if (checks.length === 0) return `Commit ${commit} has no checks${state === 'none' ? '' : ' yet'}.`
  const parts = [...formatSome(checks, 'failure', 'failed'), ...formatSome(checks, 'pending', 'not over yet')]
  if (parts.length === 0) parts.push(`all ${checks.length} passed${state === 'success' ? '' : ' so far'}`)
  return `Checks of commit ${commit}: ${parts.join(', ')}.`
}

const SHORTEST_MS = 10_000
const LONGEST_MS = 60_000
const SHARE_OF_AGE = 0.1

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

const SHARE_LEFT = 0.1

/** Whether few of the requests are left that the token has in an hour. */
export function isNearLimit({ remaining, limit }: Usage): boolean {
  return remaining < limit * SHARE_LEFT
}

const FIRST_REQUESTS = 20
const REQUESTS_PER_HOUR = 75
const HOUR_MS = 3_600_000

/** Whether a wait has cost more than its share: ten of them have one hour of a token together. */
export function isOverShare(counted: number, elapsedMs: number): boolean {
  return counted > FIRST_REQUESTS + (REQUESTS_PER_HOUR * elapsedMs) / HOUR_MS
}
