/** Describes the state of a pull request. Hides what prevents a merge, and what is most urgent. */
import { linked, escapeSentence, quoteName, quoteNames } from '../../text/markdown.ts'
import { formatCount, joinSentences } from '../../text/format.ts'
import { type ChecksState, listFailedChecks, formatFixRounds, isInScope, type PullRequestFindings } from './turn.ts'
import type { Report } from './report.ts'
import { getOperation, getOutcome, getPullRequest, getRounds, getTask, isPullRequestInspected } from './turns.ts'

export const isPullRequestClosed = ({ state }: PullRequestFindings): boolean => state === 'merged' || state === 'closed'

/**
 * Returns for each gate of `fail-on` whether the pull request passes it, or `undefined` if that is unknown: the step is then
 * red, too. Pull requests that were closed or merged before this step could change them have no gates.
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

const REVIEW_CHECKS = 'Look at the checks of the pull request.'
const REVIEW_FILES = 'Review the files of the pull request. If they are correct, merge it manually.'
const RESOLVE_CONFLICT = 'Resolve the conflict, or send a follow-up that asks the agent to resolve it.'
const APPROVE_CHECKS =
  "Approve the workflow runs on the page of the pull request. They need an approval if the pull request was opened with a workflow's own token. With an app's token, they start immediately."
const REVIEW_DEPLOYMENT =
  'Review the deployment on the page of the run, or wait until the protection rules of the environment allow it.'
const NO_CHECKS =
  "Check which workflows run for the pull request. If it was opened with a workflow's own token, GitHub starts none, or only runs that wait for approval. With an app's token, they start."

/** Whether all waiting checks wait for an environment's protection rules, and none for the approval of its run. */
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
      const happened = needsPerson === true ? 'requires action' : 'failed'
      return linked({ text: `${quoteName(name)} ${happened}`, url })
    }),
    ...(more > 0 ? [`${formatCount(more, 'more check')} failed.`] : []),
  ]
}

/** A reason not to merge a pull request. */
interface Blocker {
  /** The end of the step's title. */
  readonly ending: string
  readonly advice: string
  /** Items of the list “What is left” in the pull request, as Markdown. */
  readonly left: readonly string[]
}

type BlockerRow = readonly [applies: boolean, ending: string, advice: string, ...left: readonly string[]]

/** Lists the reasons not to merge the pull request, the most urgent first. An unknown state that an input asks for is a reason. */
export function listBlockers(report: Report): readonly Blocker[] {
  const { waitForChecks = false, allowedPaths = [], warnings } = report
  const pullRequest = getPullRequest(report)
  const { state, mergeable, checks, waitsForApproval: isHeld = false, outside } = pullRequest
  const [isScopeRequired, isPending] = [allowedPaths.length > 0, checks === 'pending']
  const hint = warnings.findLast(({ error }) => error.hint)?.error.hint
  const approve = waitsForEnvironment(pullRequest) ? REVIEW_DEPLOYMENT : APPROVE_CHECKS
  const pathsOutside = escapeSentence(`It changes paths outside of \`allowed-paths\`: ${quoteNames(outside ?? [])}.`)
  const rows: readonly BlockerRow[] = [
    [state === 'closed', '', 'Reopen it if you still want its changes.'],
    [isInScope(pullRequest) === false, ', and it changes files outside of `allowed-paths`', REVIEW_FILES, pathsOutside],
    [mergeable === false, ', and it conflicts with its base', RESOLVE_CONFLICT, 'It conflicts with its base branch.'],
    [checks === 'failure', ', its checks failed', REVIEW_CHECKS, ...listFailed(pullRequest)],
    [
      isScopeRequired && !outside,
      ', and it is not known whether its files match `allowed-paths`',
      hint ?? REVIEW_FILES,
      escapeSentence('It is not known whether its files match `allowed-paths`.'),
    ],
    [
      waitForChecks && !checks,
      ', and it is not known whether its checks have passed',
      hint ?? REVIEW_CHECKS,
      'It is not known whether its checks have passed.',
    ],
    [isPending && isHeld, ', its checks wait for approval', approve, 'Its checks wait for approval.'],
    [isPending && !isHeld, ', its checks have not finished', REVIEW_CHECKS, 'Its checks have not finished.'],
    [checks === 'none', ', and no check is registered for it', NO_CHECKS, CHECKS_TEXTS.none[1]],
    [state === 'draft', ', and it is a draft', 'Mark it as ready for review when it is.', 'It is a draft.'],
  ]
  return rows.flatMap(([applies, ending, advice, ...left]) => (applies ? [{ ending, advice, left }] : []))
}

/** Describes what this step did to the pull request: a verb for the title, and a sentence. Matches the output `changed`. */
export function describeOperation(report: Report): readonly [verb: string, sentence: string] {
  const operation = getOperation(report)
  if (operation === 'created') return ['opened', 'The agent opened it.']
  if (operation === 'updated') return ['updated', 'It has new commits.']
  if (getTask(report)?.kind === 'follow-up')
    return [operation ?? 'may have changed', 'It is not known whether this follow-up changed it.']
  return [operation ?? 'opened', "The agent's changes are in it."]
}

const isBlockedAfterChecks = ({ isBlocked, checks }: PullRequestFindings): boolean =>
  isBlocked === true && checks === 'success'

/** Ready means: open, no draft, known to have no conflict, and all required checks and paths are good. */
export function formatPullRequestTitle(report: Report): string {
  const [operation, found] = [getOperation(report), getPullRequest(report)]
  const blockers = listBlockers(report)
  if (blockers.length === 0 && found.state === 'open' && found.mergeable === true)
    return `The pull request is ready${isBlockedAfterChecks(found) ? ' for review' : ''}`
  const hasChanged = operation === 'created' || operation === 'updated'
  const closed = `${hasChanged ? '' : 'already '}${found.state ?? ''}`
  const happened = isPullRequestClosed(found) ? closed : describeOperation(report)[0]
  return `Pull request ${happened}${blockers.find(({ ending }) => ending !== '')?.ending ?? ''}`
}

/** Undefined if the pull request needs no attention. */
export function adviseOnPullRequest(report: Report): string | undefined {
  return isPullRequestInspected(report) ? listBlockers(report)[0]?.advice : undefined
}

/**
 * The state of the checks, for the log and as a sentence, and why GitHub blocks a merge. Pending and failed checks explain a
 * blocked merge by themselves.
 */
export const CHECKS_TEXTS: Readonly<Record<ChecksState, readonly [short: string, checks: string, blocked?: string]>> = {
  success: [
    'its checks have passed',
    'All its checks have passed.',
    'GitHub blocks the merge: a review is missing, or a required check was never registered.',
  ],
  failure: ['its checks failed', 'At least one of its checks failed.'],
  pending: ['its checks have not finished', 'Its checks did not finish in time.'],
  none: [
    'it has no checks',
    'No check is registered for it.',
    'GitHub blocks the merge: a review or a required check is missing.',
  ],
}

/** Explains why the pending checks have not finished. */
function describePending(found: PullRequestFindings): string {
  if (found.waitsForApproval === true)
    return waitsForEnvironment(found)
      ? 'A job is waiting for the protection rules of its environment.'
      : 'Its checks are waiting for approval.'
  return isPullRequestClosed(found)
    ? `Its checks had not finished when it was ${found.state ?? ''}.`
    : CHECKS_TEXTS.pending[1]
}

/** Describes the known state of the pull request in full sentences. */
export function formatPullRequest(report: Report): string {
  const pullRequest = getPullRequest(report)
  const { state, mergeable, isBlocked, checks, outside = [] } = pullRequest
  const [, checksText, blockedText] = checks === undefined ? [] : CHECKS_TEXTS[checks]
  return joinSentences([
    isPullRequestClosed(pullRequest) && `It is already ${state ?? ''}.`,
    mergeable === false && 'It conflicts with its base branch, so it cannot be merged.',
    state === 'open' &&
      mergeable === undefined &&
      'GitHub has not computed yet whether it conflicts with its base branch.',
    checks === 'pending' ? describePending(pullRequest) : checksText,
    isBlocked === true && blockedText,
    isInScope(pullRequest) === true && 'All its files match `allowed-paths`.',
    outside.length > 0 && `It changes ${formatCount(outside.length, 'path')} outside of \`allowed-paths\`.`,
    ...formatFixRounds(getRounds(report)),
  ])
}
