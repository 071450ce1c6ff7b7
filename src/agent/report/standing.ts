import { formatCount, joinSentences } from '../../text/sentences.ts'
import { formatFixing } from './fixing.ts'
import { isInScope, isLookedAt, type ChecksState, type PullRequestFindings, type Report } from './report.ts'

export const isPullRequestOver = ({ state }: PullRequestFindings): boolean => state === 'merged' || state === 'closed'

/**
 * Whether the pull request passes each gate of `fail-on`; undefined for what is not known, which is no better than what is
 * bad. One that was over before this step could change it is let be.
 */
export function passesGates(report: Report): readonly (boolean | undefined)[] {
  const { outcome, failOn, pullRequest: found = {} } = report
  if (!isLookedAt(report) || (outcome !== 'pull-request' && isPullRequestOver(found))) return []
  return [
    ...(failOn?.has('out-of-scope') ? [isInScope(found)] : []),
    ...(failOn?.has('checks') ? [found.checks && found.checks === 'success'] : []),
  ]
}

const LOOK_AT_CHECKS = 'Look at the checks of the pull request.'
const LOOK_AT_FILES = 'Look at the files of the pull request, and merge it by hand if they are right.'
const RESOLVE = 'Resolve the conflict, or ask the agent to in a follow-up.'
const APPROVE_CHECKS =
  "Approve the runs on the page of the pull request. They wait for that if the pull request was opened with a workflow's own token. With an app's token they start at once."
const NO_CHECKS =
  "See which workflows the branch of the pull request starts: one that was opened with a workflow's own token starts none, or runs that wait for approval. An app's token starts them."

/** What is wrong with a pull request: whether it is, how the title then ends, and what a person has to do about it. */
type Fault = readonly [isSo: boolean, ending: string, advice: string]

/** The gravest that is known of the pull request, or not known although it was asked for. */
function faultOf({ asked = [], pullRequest = {}, shortfalls }: Report): Fault | undefined {
  const { state, mergeable, checks, waitsForApproval, scope } = pullRequest
  const [asksScope, asksChecks] = [asked.includes('out-of-scope'), asked.includes('checks')]
  const isPending = asksChecks && checks === 'pending'
  const hint = shortfalls.findLast(({ error }) => error.hint)?.error.hint
  const faults: readonly Fault[] = [
    [isInScope(pullRequest) === false, ', and it changes files outside of `allowed-paths`', LOOK_AT_FILES],
    [mergeable === false, ', and it conflicts with its base', RESOLVE],
    [checks === 'failure', ', its checks failed', LOOK_AT_CHECKS],
    [asksScope && !scope, ', and it is not known whether its files match `allowed-paths`', hint ?? LOOK_AT_FILES],
    [asksChecks && !checks, ', and it is not known whether its checks have passed', hint ?? LOOK_AT_CHECKS],
    [isPending && waitsForApproval === true, ', its checks wait for approval', APPROVE_CHECKS],
    [isPending, ', its checks have not finished', LOOK_AT_CHECKS],
    [asksChecks && checks === 'none', ', and no check is registered for it', NO_CHECKS],
    [state === 'draft', ', and it is a draft', 'Mark it as ready for review when it is.'],
    [state === 'closed', '', 'Open it again if its changes are still wanted.'],
  ]
  return faults.find(([isSo]) => isSo)
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
  const fault = faultOf(report)
  if (fault === undefined && report.pullRequest?.state === 'open') return 'The pull request is ready'
  return `Pull request ${formatHappened(report)}${fault?.[1] ?? ''}`
}

/** Undefined if nobody has to do anything about it. */
export function adviseOnPullRequest(report: Report): string | undefined {
  return isLookedAt(report) ? faultOf(report)?.[2] : undefined
}

/** What the checks say and, if GitHub does not let it be merged, why. Checks that are pending or failed say that as well. */
const CHECKS_TEXTS: Readonly<Record<ChecksState, readonly [checks: string, blocked?: string]>> = {
  success: [
    'All its checks have passed.',
    'GitHub does not let it be merged yet: a review is missing, or a required check that was never registered.',
  ],
  failure: ['At least one of its checks failed.'],
  pending: ['Its checks were not done in time.'],
  none: [
    'No check is registered for it.',
    'GitHub does not let it be merged yet: a review is missing, or a required check.',
  ],
}

/** What is known of the pull request, as full sentences. */
export function formatPullRequest(report: Report): string {
  const { pullRequest = {} } = report
  const { state, mergeable, isBlocked, checks, waitsForApproval, scope } = pullRequest
  const [checksText, blockedText] = checks === undefined ? [] : CHECKS_TEXTS[checks]
  const outside = scope?.outside.length ?? 0
  return joinSentences([
    isPullRequestOver(pullRequest) && `It is already ${state ?? ''}.`,
    mergeable === false && 'It conflicts with its base branch, so it cannot be merged.',
    checks && waitsForApproval === true ? 'Its checks wait until somebody approves them.' : checksText,
    isBlocked === true && blockedText,
    isInScope(pullRequest) === true && 'All its files match `allowed-paths`.',
    outside > 0 && `It changes ${formatCount(outside, 'path')} outside of \`allowed-paths\`.`,
    ...formatFixing(report),
  ])
}
