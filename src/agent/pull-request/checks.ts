import type { Check } from '../../github/commit-checks.ts'
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
const LONGEST_MS = 30_000
const SHARE_OF_ELAPSED = 0.1

/** The time to the next read, in milliseconds: a workflow's token has 1000 requests an hour, and this takes five. */
export function nextChecksReadMs(watchedMs: number): number {
  return Math.min(Math.max(watchedMs * SHARE_OF_ELAPSED, SHORTEST_MS), LONGEST_MS)
}
