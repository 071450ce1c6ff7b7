/** Sentences about pull requests and turns. Hides what prevents a merge, and what is most urgent. */
import { type LinkedText, quoteName, quoteNames } from '../text/markdown.ts'
import { DEFAULT_LABEL } from './facts.ts'
import { formatCount, joinSentences } from '../text/format.ts'
import {
  countCommitsOfUpdates,
  getPullRequestFacts,
  getOperation,
  getOwnTurn,
  getRoundStop,
  isInScope,
  isPullRequestRead,
  listFailedChecks,
  listSentRounds,
} from './selectors.ts'
import { type ChecksState, explainRoundStop, type PullRequestFacts, type Run, type Turn } from './record.ts'

export const isPullRequestClosed = ({ state }: PullRequestFacts): boolean => state === 'merged' || state === 'closed'

const REVIEW_CHECKS = 'Look at the checks of the pull request.'
const REVIEW_FILES =
  'Look at these files in the pull request. Ask the agent to undo what it should not have changed, or add the files to the allowed paths of the workflow.'
const REVIEW_ALL_FILES = 'Look at the files of the pull request before you merge it.'
const RESOLVE_CONFLICT = 'Resolve the conflict, or ask the agent to resolve it.'
const UPDATE_BRANCH = 'Update its branch with the base branch, as the rules of the base branch require.'
const APPROVE = 'Approve the workflow runs, or review the deployment, on the page of the pull request.'
const ALL_IGNORED = 'Ignore fewer checks in the workflow, so that at least one of them counts.'
const NO_CHECKS =
  "Check which workflows run for the pull request. If it was opened with a workflow's own token, GitHub starts none, or only runs that wait for approval. With an app's token, they start."

const CONFLICT_STARTS_NONE = ', because GitHub starts no checks while a pull request has a conflict'

/** The state of the checks, in lower case for the title and the log. */
const CHECKS_TEXTS: Readonly<Record<ChecksState, string>> = {
  success: 'all its checks have passed',
  failure: 'its checks failed',
  pending: 'its checks have not finished',
  none: 'no check is registered for it',
}

/** Describes the state of the checks in lower case. Undefined if it is unknown. */
export function describeChecks({ checks, waitsForApproval, ignoredChecks }: PullRequestFacts): string | undefined {
  if (checks === 'none' && ignoredChecks !== undefined) return 'all its checks are ignored'
  if (checks === 'pending' && waitsForApproval === true) return 'its checks wait for approval'
  return checks && CHECKS_TEXTS[checks]
}

const toSentence = (short: string, details = ''): string =>
  `${short.charAt(0).toUpperCase()}${short.slice(1)}${details}.`

/** A reason not to merge a pull request. */
interface Blocker {
  /** What is wrong, in lower case, for the title. */
  readonly short: string
  /** The same as a sentence, with details. */
  readonly sentence: string
  readonly advice: string
}

/** Lists the reasons not to merge the pull request, the most urgent first. An unknown state that an input asks for is a reason. */
export function listBlockers(run: Run): readonly Blocker[] {
  const { waitForChecks = false, allowedPaths = [], warnings } = run
  const facts = getPullRequestFacts(run)
  const { state, mergeable, isBehind, checks, waitsForApproval, outside, checkList = [], ignoredChecks } = facts
  const hint = warnings.findLast(({ error }) => error.hint)?.error.hint
  const checksSentence = describeChecks(facts) ?? ''
  const failed = listFailedChecks(checkList).map(({ name, conclusion = 'failure' }) =>
    // GitHub's conclusion, if it says more than that.
    conclusion === 'failure' ? name : `${name}: ${conclusion.replaceAll('_', ' ')}`,
  )
  const outsideNames = `: ${quoteNames(outside ?? [])}`
  const pending = checkList.filter((check) => check.state === 'pending').map(({ name }) => name)
  const formatDetails = (names: readonly string[]): string => (names.length === 0 ? '' : `: ${quoteNames(names)}`)
  const rows: readonly (readonly [applies: boolean, short: string, advice: string, details?: string])[] = [
    [isInScope(facts) === false, 'it changes files outside of the allowed paths', REVIEW_FILES, outsideNames],
    [mergeable === false, 'it conflicts with its base branch', RESOLVE_CONFLICT],
    [isBehind === true, 'it is behind its base branch', UPDATE_BRANCH, ', which requires an update before a merge'],
    [checks === 'failure', checksSentence, REVIEW_CHECKS, formatDetails(failed)],
    [
      allowedPaths.length > 0 && !outside,
      'it is not known whether its files are in the allowed paths',
      hint ?? REVIEW_ALL_FILES,
    ],
    [waitForChecks && !checks, 'it is not known whether its checks have passed', hint ?? REVIEW_CHECKS],
    [checks === 'pending', checksSentence, waitsForApproval === true ? APPROVE : REVIEW_CHECKS, formatDetails(pending)],
    [
      checks === 'none',
      checksSentence,
      ignoredChecks === undefined ? NO_CHECKS : ALL_IGNORED,
      mergeable === false ? CONFLICT_STARTS_NONE : '',
    ],
    [state === 'draft', 'it is a draft', 'Mark it as ready for review when it is.'],
  ]
  return rows.flatMap(([applies, short, advice, details]) =>
    applies ? [{ short, sentence: toSentence(short, details), advice }] : [],
  )
}

/** The new commits of the agent, with a page that compares the head before them with the head after them. */
export function linkCommits(turns: readonly Turn[], repositoryUrl: string): LinkedText | undefined {
  const before = turns.find(({ effect }) => effect?.kind === 'updated')?.headBefore
  const head = turns.findLast(({ pullRequest }) => pullRequest?.headSha !== undefined)?.pullRequest?.headSha
  if (before === undefined || head === undefined) return undefined
  return {
    text: formatCount(countCommitsOfUpdates({ turns }), 'new commit'),
    url: `${repositoryUrl}/compare/${before}...${head}`,
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

/** The beginning of a title that names the state of a pull request. */
const PULL_REQUEST = 'Pull request'

/** Ready means: its checks were awaited and have passed, it is open, no draft, in scope, and known to have no conflict. */
export function formatPullRequestTitle(run: Run): string {
  const [operation, facts] = [getOperation(run), getPullRequestFacts(run)]
  const blockers = listBlockers(run)
  if (blockers.length === 0 && facts.state === 'open') {
    if (run.waitForChecks !== true) return 'The pull request is open'
    const needsReview = facts.isBlocked === true && facts.checks === 'success'
    if (facts.mergeable === true) return `The pull request is ready${needsReview ? ' for review' : ''}`
  }
  const hasChanged = operation === 'created' || operation === 'updated'
  const closed = `${hasChanged ? '' : 'already '}${facts.state ?? ''}`
  const happened = isPullRequestClosed(facts) ? closed : describeOperation(run)[0]
  return `${PULL_REQUEST} ${happened}${blockers[0] === undefined ? '' : `, but ${blockers[0].short}`}`
}

/** Undefined if the pull request needs no attention. */
export function adviseOnPullRequest(run: Run): string | undefined {
  if (!isPullRequestRead(run)) return undefined
  if (getPullRequestFacts(run).state === 'closed') return 'Reopen it if you still want its changes.'
  return listBlockers(run)[0]?.advice
}

/** Describes the rounds in full sentences. Empty without `fix-rounds`. */
function formatFixRounds(run: Run): string[] {
  const rounds = listSentRounds(run)
  const why = explainRoundStop(getRoundStop(run))
  if (rounds.length === 0) return why === undefined ? [] : ['Failing checks were not sent back to the agent.', why]
  const count = rounds.length === 1 ? 'once' : `${rounds.length} times`
  const isLastUnknown = rounds.at(-1)?.sent === 'maybe'
  const unknown = isLastUnknown ? ['It is unknown whether the service accepted the last of these prompts.'] : []
  return [`Failing checks were sent back to the agent ${count}.`, ...unknown, ...(why === undefined ? [] : [why])]
}

/**
 * Describes the known state of the pull request in full sentences.
 * @param title what it says already is left out
 */
export function formatPullRequest(run: Run, title = ''): string {
  const facts = getPullRequestFacts(run)
  const { state, mergeable, isBlocked, checks } = facts
  const blockers = Object.keys(facts).length > 0 ? listBlockers(run) : []
  const isSaid = ({ short, sentence }: Blocker): boolean => title.endsWith(short) && sentence === toSentence(short)
  return joinSentences([
    isPullRequestClosed(facts) && !title.startsWith(PULL_REQUEST) && `It is already ${state ?? ''}.`,
    ...blockers.filter((blocker) => !isSaid(blocker)).map(({ sentence }) => sentence),
    // Without awaited checks, GitHub is asked only once, just after a commit: it seldom knows yet.
    (run.waitForChecks === true || run.turns.some(({ hadConflict }) => hadConflict)) &&
      state === 'open' &&
      mergeable === undefined &&
      'GitHub has not computed yet whether it conflicts with its base branch.',
    checks === 'success' && toSentence(CHECKS_TEXTS.success),
    // Pending and failed checks explain a blocked merge by themselves.
    isBlocked === true &&
      (checks === 'success' || checks === 'none') &&
      'GitHub blocks the merge: a review is missing, or a required check was never registered.',
    isInScope(facts) === true && 'All its files are in the allowed paths.',
    ...formatFixRounds(run),
  ])
}

/** Formats how to wait for a job, and how to mark its pull request with the label of this step. */
export function formatAttaching(id: string, run: Pick<Run, 'label' | 'otherRepository'>): string {
  const { label = '', otherRepository } = run
  const isDefault = label === '' || label === DEFAULT_LABEL
  const inputs = `\`job-id: ${id}\`${isDefault ? '' : ` and ${quoteName(`label: ${label}`)}`}`
  const name = otherRepository?.split('/')[1] ?? ''
  const there =
    otherRepository === undefined ? '' : `, and outside of \`${otherRepository}\` also \`repository: ${name}\``
  return `run the workflow of the recipe \`attach.yml\` with ${inputs}${there}`
}

/** Returns the name of the newest turn in the log. */
export function nameTurn(turns: readonly Turn[], maxRounds: number): string {
  const turn = turns.at(-1)
  if (turn === undefined) return ''
  const { task, failing } = turn
  if (failing !== undefined) return `Round ${turns.length - 1} of ${maxRounds}`
  if (task.kind === 'create') return 'New job'
  return `${task.kind === 'attach' ? 'Attach' : 'Follow-up'} to ${task.jobId}`
}
