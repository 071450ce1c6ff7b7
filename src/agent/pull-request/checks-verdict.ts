import type { Check } from '../../github/checks.ts'
import { oneLine } from '../../shared/untrusted-text.ts'
import type { ChecksState } from '../report/report.ts'

export interface ChecksVerdict {
  readonly state: ChecksState
  /** Whether waiting longer could change it. */
  readonly isFinal: boolean
}

/** How long a commit's first check may take to be registered. */
const DISCOVERY_MS = 60_000
/** How long the others may take when the first ones have passed already. */
const SETTLE_MS = 15_000

/** How long the others may take after the first failure, if all that failed is to be told to the agent. */
export const OTHERS_MS = 300_000

/**
 * @param watchedMs how long this commit has been looked at, in milliseconds
 * @param othersMs how much longer to wait for the others when one has failed, in milliseconds
 */
export function decideChecks(checks: readonly Check[], watchedMs: number, othersMs = 0): ChecksVerdict {
  const isPending = checks.some(({ state }) => state === 'pending')
  if (checks.some(({ state }) => state === 'failure')) return { state: 'failure', isFinal: !isPending || othersMs <= 0 }
  if (isPending) return { state: 'pending', isFinal: false }
  const patienceMs = checks.length === 0 ? DISCOVERY_MS : SETTLE_MS
  if (watchedMs < patienceMs) return { state: 'pending', isFinal: false }
  return { state: checks.length === 0 ? 'none' : 'success', isFinal: true }
}

const MOST_NAMES = 3
const LONGEST_NAME = 100

function tellSome(checks: readonly Check[], wanted: Check['state'], happens: string): string[] {
  const names = checks.filter(({ state }) => state === wanted).map(({ name }) => oneLine(name, LONGEST_NAME))
  const shown = [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ')
  return names.length === 0 ? [] : [`${names.length} of ${checks.length} ${happens} (${shown})`]
}

/** What is known of a commit's checks, in one line for the log. */
export function tellChecks(state: ChecksState, checks: readonly Check[], sha: string): string {
  const commit = sha.slice(0, 7)
  if (checks.length === 0) return `Commit ${commit} has no checks${state === 'none' ? '' : ' yet'}.`
  const parts = [...tellSome(checks, 'failure', 'failed'), ...tellSome(checks, 'pending', 'not over yet')]
  if (parts.length === 0) parts.push(`all ${checks.length} passed${state === 'success' ? '' : ' so far'}`)
  return `Checks of commit ${commit}: ${parts.join(', ')}.`
}

const SHORTEST_MS = 10_000
const LONGEST_MS = 30_000
const SHARE_OF_ELAPSED = 0.1

/** The time to the next read, in milliseconds: a workflow's token has 1000 requests an hour, and this takes three. */
export function nextChecksReadMs(watchedMs: number): number {
  return Math.min(Math.max(watchedMs * SHARE_OF_ELAPSED, SHORTEST_MS), LONGEST_MS)
}
