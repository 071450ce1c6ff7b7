import type { Check } from '../../github/commit-checks.ts'
import { ActionError } from '../../runtime/errors.ts'
import { formatDuration } from '../../text/duration.ts'
import { oneLine } from '../../text/untrusted.ts'
import { failedOf, type ChecksState } from '../report/pull-request-findings.ts'

/** How long a commit's first check may take to be registered. */
const DISCOVERY_MS = 60_000
/** How long others may take to be registered when those that are known have passed. */
const SETTLE_MS = 15_000
/** How long somebody may take to approve what waits for it, if nothing else is expected. */
const APPROVAL_MS = 300_000
/** How long the others may take after the first failure, if all that failed is to be told to the agent. */
const OTHERS_MS = 300_000

/**
 * The checks that failed because of what a pull request changes.
 * @param before those of the commit that its branch came from: what failed there under the same name does not count
 */
export function failedByChange(failed: readonly Check[], before: readonly Check[]): readonly Check[] {
  const wasRed = new Set(failedOf(before).map(({ name }) => name))
  return failed.filter(({ name }) => !wasRed.has(name))
}

const isPending = ({ state }: Check): boolean => state === 'pending'
const isRunning = (check: Check): boolean => isPending(check) && check.waitsForApproval !== true

/** Whether nothing is expected but somebody's approval. */
function waitForApproval(checks: readonly Check[]): boolean {
  return checks.some(isPending) && !checks.some(isRunning)
}

/**
 * What the checks come to if all stays as it is, and how much longer it has to.
 * @param stoodMs for how long all that is known has stood as it is
 * @param othersMs how much longer to wait for the others when one has failed
 */
function foresee(checks: readonly Check[], stoodMs: number, othersMs: number): [end: ChecksState, endsInMs: number] {
  if (failedOf(checks).length > 0) return ['failure', checks.some(isPending) ? othersMs : 0]
  if (checks.some(isPending)) return ['pending', waitForApproval(checks) ? APPROVAL_MS - stoodMs : Infinity]
  if (checks.length === 0) return ['none', stoodMs < DISCOVERY_MS ? Infinity : 0]
  return ['success', SETTLE_MS - stoodMs]
}

/** All that a verdict rests on: what has the same fingerprint has not changed. */
function fingerprintOf(checks: readonly Check[]): string {
  const parts = checks.map(({ name, state, id, app, waitsForApproval }) =>
    JSON.stringify([name, state, id, app, waitsForApproval]),
  )
  return parts.sort().join()
}

/** What the looks at the checks of one commit have shown. Without `checks` and `state` they never were read. */
export interface Looks {
  readonly checks?: readonly Check[]
  readonly state?: ChecksState
  /** Whether nothing is expected but somebody's approval. */
  readonly waitsForApproval?: boolean
  /** Whether that, or the state, has changed. */
  readonly isNews?: boolean
  /** After how much longer without a change waiting is of no use, in milliseconds; 0 or less if it is of none now. */
  readonly endsInMs: number
  /** That all have passed, so that no look before that end is of use. */
  readonly isSettling?: boolean
  readonly hasChanged: boolean
  /** On the clock's scale, as all times here. */
  readonly changedAt: number
  readonly failedSince?: number | undefined
  /** Why the last look has shown nothing. */
  readonly problem?: ActionError
}

/** What may be over at the next look. */
const PASSING = new Set(['unreachable', 'service-error', 'rate-limited', 'bad-answer'])

/**
 * @param look the checks, or why they could not be read, which changes nothing of what is known
 * @param isAll whether all that fails is to be told, so that the others are waited for
 * @param isOver whether the pull request is merged or closed
 */
export function nextLook(
  before: Looks | undefined,
  look: readonly Check[] | ActionError,
  now: number,
  { isAll, isOver }: { readonly isAll: boolean; readonly isOver: boolean },
): Looks {
  if (look instanceof ActionError) {
    const endsInMs = isOver || !PASSING.has(look.code) ? 0 : Infinity
    return { changedAt: now, ...before, problem: look, isNews: false, hasChanged: false, endsInMs, isSettling: false }
  }
  const isSame = before?.checks !== undefined && fingerprintOf(before.checks) === fingerprintOf(look)
  const changedAt = isSame ? before.changedAt : now
  const failedSince = failedOf(look).length === 0 ? undefined : (before?.failedSince ?? now)
  const othersMs = isAll ? (failedSince ?? now) + OTHERS_MS - now : 0
  const [end, leftMs] = foresee(look, now - changedAt, othersMs)
  // No more are expected then.
  const endsInMs = isOver && end !== 'success' ? 0 : leftMs
  const state = end === 'failure' || endsInMs <= 0 ? end : 'pending'
  const waitsForApproval = waitForApproval(look)
  const isNews = state !== before?.state || waitsForApproval !== before.waitsForApproval
  const shown = { checks: look, state, waitsForApproval, isNews, hasChanged: !isSame }
  return { ...shown, endsInMs, isSettling: end === 'success', changedAt, failedSince }
}

const MOST_NAMES = 3
const LONGEST_NAME = 100

function formatSome(checks: readonly Check[], isWanted: (check: Check) => boolean, happens: string): string[] {
  const names = checks.filter(isWanted).map(({ name }) => oneLine(name, LONGEST_NAME))
  const shown = [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ')
  return names.length === 0 ? [] : [`${names.length} of ${checks.length} ${happens} (${shown})`]
}

/** What is known of a commit's checks, in one line for the log. */
export function formatChecks({ checks = [], state }: Pick<Looks, 'checks' | 'state'>, sha: string): string {
  const commit = sha.slice(0, 7)
  if (checks.length === 0) return `Commit ${commit} has no checks${state === 'none' ? '' : ' yet'}.`
  const parts = [
    ...formatSome(checks, (check) => check.state === 'failure', 'failed'),
    ...formatSome(checks, (check) => check.waitsForApproval === true, 'waiting for approval'),
    ...formatSome(checks, isRunning, 'still running'),
  ]
  if (parts.length === 0) parts.push(`all ${checks.length} passed${state === 'success' ? '' : ' so far'}`)
  return `Checks of commit ${commit}: ${parts.join(', ')}.`
}

/** How long the slowest check that still runs took on an earlier commit, as a sentence with a space before it; '' if unknown. */
export function formatUsualTime(checks: readonly Check[], earlier: readonly Check[]): string {
  const times = checks.filter(isRunning).flatMap(({ name, app }) => {
    const { tookMs } = earlier.find((check) => check.name === name && check.app === app) ?? {}
    return tookMs === undefined ? [] : [{ name, tookMs }]
  })
  const [slowest] = times.sort((a, b) => b.tookMs - a.tookMs)
  if (slowest === undefined) return ''
  return ` On the commit before, ${oneLine(slowest.name, LONGEST_NAME)} took ${formatDuration(slowest.tookMs)}.`
}
