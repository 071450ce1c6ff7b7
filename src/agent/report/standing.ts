import { formatCount } from '../../text/sentences.ts'
import type { FailOn, Gate } from '../inputs/fail-on.ts'
import { formatFixing } from './fixing.ts'
import { isInScope, isLookedAt, type ChecksState, type PullRequestFindings, type Report } from './report.ts'
import { formatLosses } from './journal.ts'

export const isPullRequestOver = ({ state }: PullRequestFindings): boolean => state === 'merged' || state === 'closed'

/** Whether a gate is passed; undefined if that is not known. */
const IS_PASSED: Readonly<Record<Gate, (found: PullRequestFindings) => boolean | undefined>> = {
  'out-of-scope': isInScope,
  checks: ({ checks }) => (checks === undefined ? undefined : checks === 'success'),
}
const GATES: readonly Gate[] = ['out-of-scope', 'checks']

/**
 * What `fail-on` finds wrong with the pull request, where what is not known is no better than what is bad. One that was over
 * before this step could change it is let be.
 */
export function findBlocks(report: Report, failOn: ReadonlySet<FailOn>): readonly Gate[] {
  const { outcome, pullRequest: found = {} } = report
  if (!isLookedAt(report) || (outcome !== 'pull-request' && isPullRequestOver(found))) return []
  return GATES.filter((gate) => failOn.has(gate) && IS_PASSED[gate](found) !== true)
}

/** Why a gate is red that could not be asked: the cause is no detail then. */
export function formatCause(blocks: readonly Gate[], { pullRequest = {}, shortfalls }: Report): string[] {
  return blocks.some((gate) => IS_PASSED[gate](pullRequest) === undefined) ? formatLosses(shortfalls) : []
}

/** The gravest that is known of the pull request, or not known although it was asked for. */
function standingOf({ asked = [], pullRequest = {} }: Report) {
  const { state, mergeable, checks, waitsForApproval, scope } = pullRequest
  if (scope !== undefined && scope.outside.length > 0) return 'out-of-scope'
  if (mergeable === false) return 'conflict'
  if (checks === 'failure') return 'checks-failure'
  if (asked.includes('out-of-scope') && scope === undefined) return 'scope-unknown'
  if (asked.includes('checks') && checks === 'pending' && waitsForApproval === true) return 'checks-held'
  if (asked.includes('checks') && checks !== 'success') return `checks-${checks ?? 'unknown'}` as const
  return state === 'open' ? 'ready' : (state ?? 'unread')
}
type Standing = ReturnType<typeof standingOf>

const LOOK_AT_CHECKS = 'Look at the checks of the pull request.'
const LOOK_AT_FILES = 'Look at the files of the pull request, and merge it by hand if they are right.'
const APPROVE_CHECKS =
  "Approve the runs on the page of the pull request. They wait for that if the pull request was opened with a workflow's own token. With an app's token they start at once."
const NO_CHECKS =
  "See which workflows the branch of the pull request starts: one that was opened with a workflow's own token starts none, or runs that wait for approval. An app's token starts them."

/** How the title ends, and what a person has to do about it. */
const STANDINGS: Readonly<Record<Standing, readonly [ending: string, advice: string | undefined]>> = {
  'out-of-scope': [', and it changes files outside of `allowed-paths`', LOOK_AT_FILES],
  conflict: [', and it conflicts with its base', 'Resolve the conflict, or ask the agent to in a follow-up.'],
  'checks-failure': [', its checks failed', LOOK_AT_CHECKS],
  'scope-unknown': [', and it is not known whether its files match `allowed-paths`', LOOK_AT_FILES],
  'checks-unknown': [', and it is not known whether its checks have passed', LOOK_AT_CHECKS],
  'checks-pending': [', its checks have not finished', LOOK_AT_CHECKS],
  'checks-held': [', its checks wait for approval', APPROVE_CHECKS],
  'checks-none': [', and no check is registered for it', NO_CHECKS],
  draft: [', and it is a draft', 'Mark it as ready for review when it is.'],
  closed: ['', 'Open it again if its changes are still wanted.'],
  merged: ['', undefined],
  unread: ['', undefined],
  ready: ['', undefined],
}

/** What became of the pull request, as far as it is known. */
function formatHappened({ operation, task, pullRequest = {} }: Report): string {
  if (isPullRequestOver(pullRequest))
    return `${pullRequest.state ?? ''} ${operation === 'created' || operation === 'updated' ? 'meanwhile' : 'already'}`
  if (operation === undefined && task?.kind === 'follow-up') return 'may have changed'
  return operation === undefined || operation === 'created' ? 'opened' : operation
}

/** Only what is open, no draft, without a conflict, and good in all that was asked for is ready. */
export function titleOfPullRequest(report: Report): string {
  const standing = standingOf(report)
  return standing === 'ready'
    ? 'The pull request is ready'
    : `Pull request ${formatHappened(report)}${STANDINGS[standing][0]}`
}

/** Undefined if nobody has to do anything about it. */
export function adviseOnPullRequest(report: Report): string | undefined {
  if (!isLookedAt(report)) return undefined
  const standing = standingOf(report)
  const hint = standing.endsWith('unknown')
    ? report.shortfalls.findLast(({ error }) => error.hint)?.error.hint
    : undefined
  return hint ?? STANDINGS[standing][1]
}

const CHECKS_TEXTS: Readonly<Record<ChecksState, string>> = {
  success: 'All its checks have passed.',
  failure: 'At least one of its checks failed.',
  pending: 'Its checks were not done in time.',
  none: 'No check is registered for it.',
}

const HELD_TEXT = 'Its checks wait until somebody approves them.'

/** Checks that are pending or failed block a merge as well, and were told. */
const BLOCKED_TEXTS: Readonly<Partial<Record<ChecksState, string>>> = {
  success: 'GitHub does not let it be merged yet: a review is missing, or a required check that was never registered.',
  none: 'GitHub does not let it be merged yet: a review is missing, or a required check.',
}

/** What is known of the pull request, as full sentences. */
export function formatPullRequest(report: Report): string[] {
  const { pullRequest = {} } = report
  const { state, mergeable, isBlocked, checks, waitsForApproval, scope } = pullRequest
  const outside = scope?.outside.length
  const told = [
    isPullRequestOver(pullRequest) && `It is already ${state ?? ''}.`,
    mergeable === false && 'It conflicts with its base branch, so it cannot be merged.',
    checks && (waitsForApproval === true ? HELD_TEXT : CHECKS_TEXTS[checks]),
    isBlocked === true && checks && BLOCKED_TEXTS[checks],
    outside === 0 && 'All its files match `allowed-paths`.',
    outside && `It changes ${formatCount(outside, 'path')} outside of \`allowed-paths\`.`,
    ...formatFixing(report),
  ]
  return told.filter((sentence) => typeof sentence === 'string')
}
