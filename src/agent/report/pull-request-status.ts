import { linked, escapeSentence, quoted, someQuoted } from '../../text/markdown.ts'
import { formatCount, joinSentences } from '../../text/format.ts'
import { type ChecksState, listFailedChecks, formatFixRounds, isInScope, type PullRequestFindings } from './turn.ts'
import type { Report } from './report.ts'
import { getOperation, getOutcome, getPullRequest, getRounds, getTask, isPullRequestInspected } from './step-end.ts'

export const isPullRequestClosed = ({ state }: PullRequestFindings): boolean => state === 'merged' || state === 'closed'

/**
 * Whether the pull request passes each gate of `fail-on`; undefined for what is not known, which is no better than what is
 * bad. One that was over before this step could change it is let be.
 */
export function checkGates(report: Report): readonly (boolean | undefined)[] {
  const { failOn } = report
  const found = getPullRequest(report)
  if (!isPullRequestInspected(report) || (getOutcome(report) !== 'pull-request' && isPullRequestClosed(found)))
    return []
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
const REVIEW_DEPLOYMENT =
  'Review the deployment on the page of the run, or wait until the rules of the environment allow it.'
const NO_CHECKS =
  "See which workflows the branch of the pull request starts: one that was opened with a workflow's own token starts none, or runs that wait for approval. An app's token starts them."

/** Whether all that waits for approval waits for an environment, and not for the approval of a run. */
function waitsForEnvironment({ checkList = [] }: PullRequestFindings): boolean {
  const waiting = checkList.filter(({ waitsForApproval }) => waitsForApproval === true)
  return waiting.length > 0 && waiting.every(({ isGuarded }) => isGuarded === true)
}

const MAX_FAILED = 5

function listFailed({ checkList }: PullRequestFindings): readonly string[] {
  const failed = listFailedChecks(checkList)
  const more = failed.length - MAX_FAILED
  return [
    ...failed.slice(0, MAX_FAILED).map(({ name, detailsUrl: url, needsPerson }) => {
      const happened = needsPerson === true ? 'needs somebody to act' : 'failed'
      return linked({ text: `${quoted(name)} ${happened}`, url })
    }),
    ...(more > 0 ? [`${formatCount(more, 'more check')} failed.`] : []),
  ]
}

/** What is wrong with a pull request: how the title then ends, what to do, and what is left to do as Markdown. */
interface Blocker {
  readonly ending: string
  readonly advice: string
  readonly left: readonly string[]
}

type BlockerRow = readonly [isSo: boolean, ending: string, advice: string, ...left: readonly string[]]

/** All that is wrong with the pull request, or not known although it was asked for: first what has to be done first. */
export function listBlockers(report: Report): readonly Blocker[] {
  const { waitForChecks = false, allowedPaths = [], warnings } = report
  const pullRequest = getPullRequest(report)
  const { state, mergeable, checks, waitsForApproval: isHeld = false, outside } = pullRequest
  const [asksScope, isPending] = [allowedPaths.length > 0, checks === 'pending']
  const hint = warnings.findLast(({ error }) => error.hint)?.error.hint
  const approve = waitsForEnvironment(pullRequest) ? REVIEW_DEPLOYMENT : APPROVE_CHECKS
  const outsideOf = escapeSentence(`It changes paths outside of \`allowed-paths\`: ${someQuoted(outside ?? [])}.`)
  const rows: readonly BlockerRow[] = [
    [state === 'closed', '', 'Open it again if its changes are still wanted.'],
    [isInScope(pullRequest) === false, ', and it changes files outside of `allowed-paths`', LOOK_AT_FILES, outsideOf],
    [mergeable === false, ', and it conflicts with its base', RESOLVE, 'It conflicts with its base branch.'],
    [checks === 'failure', ', its checks failed', LOOK_AT_CHECKS, ...listFailed(pullRequest)],
    [asksScope && !outside, ', and it is not known whether its files match `allowed-paths`', hint ?? LOOK_AT_FILES],
    [waitForChecks && !checks, ', and it is not known whether its checks have passed', hint ?? LOOK_AT_CHECKS],
    [isPending && isHeld, ', its checks wait for approval', approve, 'Its checks wait for approval.'],
    [isPending && !isHeld, ', its checks have not finished', LOOK_AT_CHECKS, 'Its checks have not finished.'],
    [checks === 'none', ', and no check is registered for it', NO_CHECKS],
    [state === 'draft', ', and it is a draft', 'Mark it as ready for review when it is.', 'It is a draft.'],
  ]
  return rows.flatMap(([isSo, ending, advice, ...left]) => (isSo ? [{ ending, advice, left }] : []))
}

/** What this step has done to the pull request, in a title and as a sentence. The output `changed` is made of the same. */
export function describeOperation(report: Report): readonly [happened: string, sentence: string] {
  const operation = getOperation(report)
  if (operation === 'created') return ['opened', 'The agent opened it.']
  if (operation === 'updated') return ['updated', 'It has new commits.']
  if (getTask(report)?.kind === 'follow-up')
    return [operation ?? 'may have changed', 'It is not known whether this follow-up changed it.']
  return [operation ?? 'opened', "The agent's changes are in it."]
}

const isBlockedAfterChecks = ({ isBlocked, checks }: PullRequestFindings): boolean =>
  isBlocked === true && checks === 'success'

/** Only what is open, no draft, known to have no conflict, and good in all that was asked for is ready. */
export function formatPullRequestTitle(report: Report): string {
  const [operation, found] = [getOperation(report), getPullRequest(report)]
  const faults = listBlockers(report)
  if (faults.length === 0 && found.state === 'open' && found.mergeable === true)
    return `The pull request is ready${isBlockedAfterChecks(found) ? ' for review' : ''}`
  const when = operation === 'created' || operation === 'updated' ? 'meanwhile' : 'already'
  const happened = isPullRequestClosed(found) ? `${found.state ?? ''} ${when}` : describeOperation(report)[0]
  return `Pull request ${happened}${faults.find(({ ending }) => ending !== '')?.ending ?? ''}`
}

/** Undefined if nobody has to do anything about it. */
export function adviseOnPullRequest(report: Report): string | undefined {
  return isPullRequestInspected(report) ? listBlockers(report)[0]?.advice : undefined
}

/**
 * What the checks say, for the log and as a sentence; and, if GitHub does not let it be merged, why. Checks that are pending or
 * failed say that as well.
 */
export const CHECKS_TEXTS: Readonly<Record<ChecksState, readonly [short: string, checks: string, blocked?: string]>> = {
  success: [
    'its checks have passed',
    'All its checks have passed.',
    'GitHub does not let it be merged yet: a review is missing, or a required check that was never registered.',
  ],
  failure: ['its checks failed', 'At least one of its checks failed.'],
  pending: ['its checks have not finished', 'Its checks were not done in time.'],
  none: [
    'it has no checks',
    'No check is registered for it.',
    'GitHub does not let it be merged yet: a review is missing, or a required check.',
  ],
}

/** Why its pending checks have not finished. */
function describePending(found: PullRequestFindings): string {
  if (found.waitsForApproval === true)
    return waitsForEnvironment(found)
      ? 'A job waits for the protection rules of its environment.'
      : 'Its checks wait until somebody approves them.'
  return isPullRequestClosed(found)
    ? `Its checks had not finished when it was ${found.state ?? ''}.`
    : CHECKS_TEXTS.pending[1]
}

/** What is known of the pull request, as full sentences. */
export function formatPullRequest(report: Report): string {
  const pullRequest = getPullRequest(report)
  const { state, mergeable, isBlocked, checks, outside = [] } = pullRequest
  const [, checksText, blockedText] = checks === undefined ? [] : CHECKS_TEXTS[checks]
  return joinSentences([
    isPullRequestClosed(pullRequest) && `It is already ${state ?? ''}.`,
    mergeable === false && 'It conflicts with its base branch, so it cannot be merged.',
    state === 'open' && mergeable === undefined && 'GitHub has not told yet whether it conflicts with its base branch.',
    checks === 'pending' ? describePending(pullRequest) : checksText,
    isBlocked === true && blockedText,
    isInScope(pullRequest) === true && 'All its files match `allowed-paths`.',
    outside.length > 0 && `It changes ${formatCount(outside.length, 'path')} outside of \`allowed-paths\`.`,
    ...formatFixRounds(getRounds(report)),
  ])
}
