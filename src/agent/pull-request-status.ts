/** Describes the state of a pull request. Hides what prevents a merge, and what is most urgent. */
import { linked, type LinkedText, escapeSentence, quoteName, quoteNames } from '../text/markdown.ts'
import { formatCount, joinSentences } from '../text/format.ts'
import {
  type ChecksState,
  countCommitsOfUpdates,
  type Findings,
  getFindings,
  getOperation,
  getOwnTurn,
  getRoundStop,
  isInScope,
  isPullRequestInspected,
  listFailedChecks,
  listSentRounds,
  ROUND_STOP_REASONS,
  type Run,
  type Turn,
} from './record.ts'

export const isPullRequestClosed = ({ state }: Findings): boolean => state === 'merged' || state === 'closed'

/** Whether this step may have changed the pull request before it was closed. */
const mayHaveChanged = (run: Run): boolean =>
  getOperation(run) !== 'unchanged' && getOwnTurn(run)?.job?.status === 'completed'

/**
 * Returns for each gate of `fail-on` whether the pull request passes it, or `undefined` if that is unknown: the step is then
 * red, too. Pull requests that were closed or merged before this step could change them have no gates.
 */
export function checkGates(run: Run): readonly (boolean | undefined)[] {
  const { failOn } = run
  const found = getFindings(run)
  if (!isPullRequestInspected(run) || (isPullRequestClosed(found) && !mayHaveChanged(run))) return []
  return [
    ...(failOn?.has('out-of-scope') ? [isInScope(found)] : []),
    ...(failOn?.has('checks') ? [found.checks && found.checks === 'success'] : []),
  ]
}

const REVIEW_CHECKS = 'Look at the checks of the pull request.'
const REVIEW_FILES =
  'Look at these files in the pull request. Ask the agent to undo what it should not have changed, or add the files to the allowed paths of the workflow.'
const REVIEW_ALL_FILES = 'Look at the files of the pull request before you merge it.'
const RESOLVE_CONFLICT = 'Resolve the conflict, or ask the agent to resolve it.'
const UPDATE_BRANCH = 'Update its branch with the base branch, as the rules of the base branch require.'
const APPROVE_CHECKS =
  "Approve the workflow runs on the page of the pull request. They need an approval if the pull request was opened with a workflow's own token. With an app's token, they start immediately."
const REVIEW_DEPLOYMENT =
  'Review the deployment on the page of the run, or wait until the protection rules of the environment allow it.'
const NO_CHECKS =
  "Check which workflows run for the pull request. If it was opened with a workflow's own token, GitHub starts none, or only runs that wait for approval. With an app's token, they start."

/** Whether all waiting checks wait for an environment's protection rules, and none for the approval of its run. */
function waitsForEnvironment({ checkList = [] }: Findings): boolean {
  const waiting = checkList.filter(({ waitsForApproval }) => waitsForApproval === true)
  return waiting.length > 0 && waiting.every(({ isGuarded }) => isGuarded === true)
}

const MAX_FAILED = 5

/** What happened to checks that no commit fixes, by their conclusion. */
const UNFIXABLE_TEXTS: Readonly<Record<string, string>> = {
  action_required: 'requires action',
  cancelled: 'was cancelled',
  stale: 'is stale',
  startup_failure: 'could not start',
}

function listFailed({ checkList }: Findings): readonly string[] {
  const failed = listFailedChecks(checkList)
  const more = failed.length - MAX_FAILED
  return [
    ...failed.slice(0, MAX_FAILED).map(({ name, detailsUrl: url, conclusion = '' }) => {
      const happened = UNFIXABLE_TEXTS[conclusion] ?? 'failed'
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
export function listBlockers(run: Run): readonly Blocker[] {
  const { waitForChecks = false, allowedPaths = [], warnings } = run
  const pullRequest = getFindings(run)
  const { state, mergeable, isBehind, checks, waitsForApproval: isHeld = false, outside } = pullRequest
  const [isScopeRequired, isPending] = [allowedPaths.length > 0, checks === 'pending']
  const hint = warnings.findLast(({ error }) => error.hint)?.error.hint
  const approve = waitsForEnvironment(pullRequest) ? REVIEW_DEPLOYMENT : APPROVE_CHECKS
  const pathsOutside = escapeSentence(`It changes files outside of the allowed paths: ${quoteNames(outside ?? [])}.`)
  const rows: readonly BlockerRow[] = [
    [state === 'closed', '', 'Reopen it if you still want its changes.'],
    [
      isInScope(pullRequest) === false,
      ', and it changes files outside of the allowed paths',
      REVIEW_FILES,
      pathsOutside,
    ],
    [mergeable === false, ', and it conflicts with its base', RESOLVE_CONFLICT, 'It conflicts with its base branch.'],
    [
      isBehind === true,
      ', and it is behind its base',
      UPDATE_BRANCH,
      'It is behind its base branch, which requires an update.',
    ],
    [checks === 'failure', ', its checks failed', REVIEW_CHECKS, ...listFailed(pullRequest)],
    [
      isScopeRequired && !outside,
      ', and it is not known whether its files are in the allowed paths',
      hint ?? REVIEW_ALL_FILES,
      'It is not known whether its files are in the allowed paths.',
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

/** The new commits of the agent, with a page that compares the head before them with the head after them. */
export function linkCommits(turns: readonly Turn[], repositoryUrl: string): LinkedText | undefined {
  const updates = turns.flatMap(({ effect }) => (effect?.kind === 'updated' ? [effect] : []))
  const head = turns.findLast(({ pullRequest }) => pullRequest?.headSha !== undefined)?.pullRequest?.headSha
  if (updates[0] === undefined || head === undefined) return undefined
  return {
    text: formatCount(countCommitsOfUpdates({ turns }), 'new commit'),
    url: `${repositoryUrl}/compare/${updates[0].since}...${head}`,
  }
}

/** Describes what this step did to the pull request: a verb for the title, and a sentence. Matches the output `changed`. */
export function describeOperation(run: Run): readonly [verb: string, sentence: string] {
  const operation = getOperation(run)
  if (operation === 'created') return ['opened', 'The agent opened it.']
  if (operation === 'updated') return ['updated', 'It has new commits.']
  if (getOwnTurn(run)?.task.kind === 'follow-up')
    return [operation ?? 'may have changed', 'It is not known whether this follow-up changed it.']
  return [operation ?? 'opened', "The agent's changes are in it."]
}

const isBlockedAfterChecks = ({ isBlocked, checks }: Findings): boolean => isBlocked === true && checks === 'success'

/** Ready means: its checks were awaited and have passed, it is open, no draft, in scope, and known to have no conflict. */
export function formatPullRequestTitle(run: Run): string {
  const [operation, found] = [getOperation(run), getFindings(run)]
  const blockers = listBlockers(run)
  if (blockers.length === 0 && found.state === 'open') {
    if (run.waitForChecks !== true) return 'The pull request is open'
    if (found.mergeable === true) return `The pull request is ready${isBlockedAfterChecks(found) ? ' for review' : ''}`
  }
  const hasChanged = operation === 'created' || operation === 'updated'
  const closed = `${hasChanged ? '' : 'already '}${found.state ?? ''}`
  const happened = isPullRequestClosed(found) ? closed : describeOperation(run)[0]
  return `Pull request ${happened}${blockers.find(({ ending }) => ending !== '')?.ending ?? ''}`
}

/** Undefined if the pull request needs no attention. */
export function adviseOnPullRequest(run: Run): string | undefined {
  return isPullRequestInspected(run) ? listBlockers(run)[0]?.advice : undefined
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
function describePending(found: Findings): string {
  if (found.waitsForApproval === true)
    return waitsForEnvironment(found)
      ? 'A job is waiting for the protection rules of its environment.'
      : 'Its checks are waiting for approval.'
  return isPullRequestClosed(found)
    ? `Its checks had not finished when it was ${found.state ?? ''}.`
    : CHECKS_TEXTS.pending[1]
}

const MAX_OUTSIDE = 3

function formatOutside(outside: readonly string[]): string {
  const more = outside.length - MAX_OUTSIDE
  return [...outside.slice(0, MAX_OUTSIDE).map(quoteName), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Describes the rounds in full sentences. Empty without `fix-rounds`. */
function formatFixRounds(run: Run): string[] {
  const [rounds, stop] = [listSentRounds(run), getRoundStop(run)]
  const why = stop === undefined || stop === 'passed' ? [] : [ROUND_STOP_REASONS[stop]]
  if (rounds.length === 0) return why.length === 0 ? [] : ['Failing checks were not sent back to the agent.', ...why]
  const count = rounds.length === 1 ? 'once' : `${rounds.length} times`
  const isLastUnknown = rounds.at(-1)?.sent === 'maybe'
  const unknown = isLastUnknown ? ['It is unknown whether the service accepted the last of these prompts.'] : []
  return [`Failing checks were sent back to the agent ${count}.`, ...unknown, ...why]
}

/** Describes the known state of the pull request in full sentences. */
export function formatPullRequest(run: Run): string {
  const pullRequest = getFindings(run)
  const { state, mergeable, isBlocked, isBehind, checks, outside = [] } = pullRequest
  const [, checksText, blockedText] = checks === undefined ? [] : CHECKS_TEXTS[checks]
  return joinSentences([
    isPullRequestClosed(pullRequest) && `It is already ${state ?? ''}.`,
    mergeable === false && 'It conflicts with its base branch, so it cannot be merged.',
    isBehind === true && 'It is behind its base branch, which requires an update before a merge.',
    // Without awaited checks, GitHub is asked only once, just after a commit: it seldom knows yet.
    run.waitForChecks === true &&
      state === 'open' &&
      mergeable === undefined &&
      'GitHub has not computed yet whether it conflicts with its base branch.',
    checks === 'pending' ? describePending(pullRequest) : checksText,
    isBlocked === true && blockedText,
    isInScope(pullRequest) === true && 'All its files are in the allowed paths.',
    outside.length > 0 &&
      `It changes ${formatCount(outside.length, 'file')} outside of the allowed paths: ${formatOutside(outside)}.`,
    ...formatFixRounds(run),
  ])
}
