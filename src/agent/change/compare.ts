/**
 * Reads the commits and files of a range. Hides how its base is found, and what replaces a base that no longer exists.
 */
import type { Context, Step } from '../../action/step.ts'
import { type ComparedCommit, type Comparison, MAX_TAGS } from '../../github/commits.ts'
import type { GitHub } from '../../github/github.ts'
import { isSameRepository } from '../../github/schemas.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { BRANCH_EVENTS, MOVE_BASE_HINT } from '../../github/workflow-runs.ts'
import { ActionError, catchExpected, orNotSent, orUndefined, orUndefinedIfNotFound } from '../../runtime/errors.ts'
import { joinWords } from '../../text/format.ts'
import { quoteName } from '../../text/markdown.ts'
import { oneLine } from '../../text/untrusted.ts'
import { type AgentInputs, isExplicitRange } from '../facts.ts'
import { formatGrant, GITHUB_RETRY_HINT } from '../permissions.ts'
import type { Acts } from '../step.ts'
import { type ChangeRange, explainMissingRange } from './range.ts'
import { findPrecedingTag } from './preceding-tag.ts'

type CompareRange = Extract<ChangeRange, { kind: 'compare' }>
const isSha = (ref: string): boolean => /^[0-9a-f]{40,}$/.test(ref)
const formatRef = (ref: string): string => quoteName(isSha(ref) ? ref.slice(0, 7) : oneLine(ref, 100))

type NoComparison = Extract<ChangeRange, { reason: string }>

const NO_WORKFLOW = {
  kind: 'nothing-to-compare',
  reason: 'the workflow file of this run is in another repository or unknown, so GitHub lists no earlier runs of it',
} as const

const FIRST_RUN = {
  kind: 'nothing-changed',
  reason:
    'no run of this workflow was successful yet, and there is no commit after the one that changed its file last. To try the workflow with a pull request that is merged already, use the recipe `try.yml`',
} as const

/** The first run on the default branch: what was there before the workflow is no change that it should document. */
async function findRangeOfFirstRun(
  head: string,
  workflow: string,
  github: GitHub,
  { repository }: Context,
): Promise<ChangeRange | undefined> {
  const base = await github.findLastChange(repository, `.github/workflows/${workflow}`, head)
  if (base === undefined) return undefined
  if (base === head) return FIRST_RUN
  return { kind: 'compare', base, head, label: 'everything since the workflow file was changed last' }
}

async function findRangeSinceLastSuccess(
  { head, otherRun, fallback, isRequested }: Extract<ChangeRange, { kind: 'since-last-success' }>,
  github: GitHub,
  context: Context,
): Promise<ChangeRange> {
  const { repository, refName: branch, runId, runAttempt, event, eventName, serverUrl } = context
  const workflow = otherRun?.workflow ?? context.workflow
  if (workflow === undefined) return fallback ?? NO_WORKFLOW
  const isOther = otherRun !== undefined
  const { before: base, coveredBy } = await github.findSuccesses({
    ...{ repository, branch, runId, ...otherRun },
    ...{ workflow, isOther },
    // The event's own range covers a new branch completely. On the default branch, it is only the newest push.
    mayBeNew: fallback !== undefined && ![undefined, branch].includes(event.defaultBranch),
  })
  if (isRequested === true && runAttempt > 1 && coveredBy !== undefined)
    return {
      kind: 'nothing-changed',
      reason: `the later run ${serverUrl}/${repository}/actions/runs/${coveredBy} has succeeded, so the commits of this re-run are covered`,
    }
  const isOnDefault = event.kind === 'schedule' || branch === event.defaultBranch
  // The runs of other events are never a base, so each of them would be a first run.
  if (base === undefined && !isOther && isOnDefault && BRANCH_EVENTS.includes(eventName)) {
    const first = await findRangeOfFirstRun(head, workflow, github, context)
    if (first !== undefined) return first
  }
  const which = isOther ? 'the workflow that started this one' : 'this workflow'
  const reason =
    base === undefined
      ? `no earlier run of ${which} on this branch was successful`
      : `the commit of the last successful run of ${which} no longer exists`
  const otherwise = fallback ?? ({ kind: 'nothing-to-compare', reason } as const)
  if (base === undefined) return otherwise
  const label = `everything since the last successful run${isOther ? ` of ${which}` : ''}`
  return { kind: 'compare', base, head, label, isReplacement: true, fallback: otherwise }
}

/** The two ends of a comparison. */
export interface ComparedEnds extends Pick<CompareRange, 'base' | 'head' | 'number'> {
  readonly repository: string
  /** Whether the event has just announced the head, so that GitHub may not know it yet. */
  readonly mayBeNew?: boolean
}

/** A comparison, or only its commits, if GitHub cannot compare. */
export type FoundComparison = Comparison & {
  /** Why GitHub cannot compare. */
  readonly problem?: ActionError
}

/**
 * Compares two ends. If GitHub says for good that it cannot compare them, returns the commits without files.
 * @throws ActionError if the request fails, and if the commits cannot be listed either
 */
export async function compareOrList(ends: ComparedEnds, github: GitHub): Promise<FoundComparison> {
  const { repository, base, head, number, mayBeNew } = ends
  try {
    return await github.compare(repository, base, head, { mayBeNew })
  } catch (caught) {
    const problem = catchExpected(caught)
    const { status, message } = problem
    // Whether GitHub cannot make the comparison, however often it is asked, rather than for a moment.
    const isImpossible = status === 422 || status === 500 || (status === 404 && /\bno common ancestor\b/i.test(message))
    if (!isImpossible) throw problem
    let commits: readonly ComparedCommit[] | undefined
    if (number !== undefined) commits = await orUndefined(github.listPullRequestCommits({ repository, number }))
    else {
      const listed = await orUndefined(github.listCommitsDownTo(repository, base, head))
      // Without a common ancestor, the whole history is new. Otherwise the list would have commits that the base has as well.
      if (listed?.hasBase === true || status === 404) commits = listed?.commits
    }
    if (commits === undefined) throw problem
    const known = { relation: 'ahead', mergeBase: base, fileList: 'unavailable' } as const
    return { ...known, files: [], commits, totalCommits: commits.length, problem }
  }
}

/** Reads from GitHub which commits to compare. */
async function findCompareRange(
  range: Exclude<ChangeRange, CompareRange | NoComparison>,
  github: GitHub,
  context: Context,
): Promise<ChangeRange> {
  const { repository } = context
  switch (range.kind) {
    case 'since-last-success':
      return findRangeSinceLastSuccess(range, github, context)
    case 'since-tag': {
      const tags = await github.listTags(repository)
      const base = findPrecedingTag(range.tag, tags)
      if (base === undefined) {
        const none = 'no lower version with the same prefix (such as `v1.2.3` or `cli@1.2.3`) precedes this tag'
        const reason = tags.length < MAX_TAGS ? none : `${none} among the ${tags.length} tags that were read`
        return { kind: 'nothing-to-compare', reason }
      }
      // GitHub can take some seconds until it knows a new tag by its name.
      const head = isSha(context.sha) ? context.sha : range.tag
      return { kind: 'compare', base, head, label: `the tag ${formatRef(range.tag)} since the tag before it` }
    }
    case 'pull-request': {
      const { number, repository: requested = repository, isRequested } = range
      const pullRequest = await github.readPullRequest(
        { repository: requested, number },
        { mayBeNew: isRequested === undefined },
      )
      const ends = { kind: 'compare', base: pullRequest.baseSha, head: pullRequest.headSha } as const
      if (isRequested === undefined) return { ...ends, number, label: 'the pull request' }
      // The input may contain an older name of the repository, or another letter case.
      const { repository: currentName } = pullRequest
      const name = `pull request ${isSameRepository(currentName, repository) ? '' : currentName}#${number}`
      const label = pullRequest.state === 'closed' ? `${name}, which was closed without a merge` : name
      return { ...ends, number, repository: currentName, label, pullRequest }
    }
  }
}

export interface Compared extends FoundComparison {
  /** `owner/name`. The repository of the run has the same letter case as in the run's context. */
  readonly repository: string
  /** Names the change for the prompt, the log and the summary, with the names of branches and tags between back-ticks. */
  readonly title: string
  /** Why more may have changed than GitHub lists, as a sentence without its period; undefined if the list is complete. */
  readonly unlisted: string | undefined
  /** The pull request that `change-range` names, if it names one. */
  readonly pullRequest?: PullRequest | undefined
  /** Whether `files` are only those that match `paths`. */
  readonly isFiltered?: boolean
}

/** @property isBaseMissing whether the base no longer exists, so that the fallback of the range was compared */
export type FoundChange = (Compared | NoComparison) & { readonly isBaseMissing?: true }

const REMOVED_UNLISTED = 'History was rewritten, and GitHub does not list the removed commits'

async function compareEnds(range: CompareRange, github: GitHub, ownRepository: string): Promise<Compared> {
  const { repository: requested = ownRepository, base, head, number, label, pullRequest } = range
  // `change-range` names commits, branches and tags that exist already.
  const mayBeNew = requested === ownRepository && pullRequest === undefined && isSha(head)
  const comparison = await compareOrList({ repository: requested, base, head, number, mayBeNew }, github)
  const { repositoryName = requested } = comparison
  const repository = isSameRepository(repositoryName, ownRepository) ? ownRepository : repositoryName
  // A rewritten history is compared from the merge base. The comparison does not list the commits that a forced push removed.
  const isRewritten = comparison.relation === 'diverged' || comparison.relation === 'behind'
  const removed = isRewritten && range.isReplacement === true ? REMOVED_UNLISTED : undefined
  const ends = isRewritten
    ? `from the merge base ${formatRef(comparison.mergeBase)} to ${formatRef(head)}, because ${formatRef(base)} is not in its history`
    : `from ${formatRef(base)} to ${formatRef(head)}`
  return {
    ...comparison,
    repository,
    pullRequest,
    title: `${label}, ${ends}`,
    unlisted: comparison.fileList === 'complete' ? removed : 'GitHub does not list all changed files',
  }
}

/** The permissions that finding a range needs in addition to `contents: read`. */
const PERMISSIONS: Readonly<Partial<Record<ChangeRange['kind'], string>>> = {
  'since-last-success': ' and `actions: read`',
  'pull-request': ' and `pull-requests: read`',
}

/**
 * Reads from GitHub what changed. GitHub may have deleted a commit that a forced push removed from the history. If the base is
 * missing, the fallback of the range is compared.
 * @throws ActionError if a request to GitHub fails, or there is no token
 */
export async function compareWithFallback(
  range: ChangeRange,
  step: Pick<Step, 'context' | 'github'>,
): Promise<FoundChange> {
  const { context, github } = step
  if ('reason' in range) return range
  if (github === undefined)
    throw new ActionError('unauthorized', 'there is no `github-token`.', {
      hint: `Leave \`github-token\` at its default and grant the workflow's job \`contents: read\`${PERMISSIONS[range.kind] ?? ''}, or set a token that has this permission.`,
    })
  if (range.kind !== 'compare') return compareWithFallback(await findCompareRange(range, github, context), step)
  const compare = () => compareEnds(range, github, context.repository)
  if (range.fallback === undefined) return compare()
  const comparison = await orUndefinedIfNotFound(compare)
  if (comparison !== undefined) return comparison
  const replacement = await compareWithFallback(range.fallback, step)
  if ('reason' in replacement) return { ...replacement, isBaseMissing: true }
  return { ...replacement, isBaseMissing: true, unlisted: replacement.unlisted ?? REMOVED_UNLISTED }
}

/** The inputs in use that need the change. */
const listDependents = ({ paths, changeContext, changeRange, skipLabels }: AgentInputs): readonly string[] => [
  ...(paths.length === 0 ? [] : ['`paths`']),
  ...(changeContext === 'none' ? [] : ['`change-context`']),
  ...(changeRange.kind === 'event' ? [] : ['`change-range`']),
  ...(skipLabels.length === 0 ? [] : ['`skip-labels`']),
]

export const isChangeWanted = (inputs: AgentInputs): boolean => listDependents(inputs).length > 0

/**
 * Rejects a range that looks back if looking back could miss changes: a run that is skipped because of an open pull request
 * succeeds, so it would move the base past changes that were never sent. A run without a real prompt does so too, and is only
 * warned.
 * @throws ActionError `invalid-input`
 */
export function checkLookBack(range: ChangeRange, { context, inputs, journal }: Acts): void {
  const { changeRange, command, dryRun, onOpenPr, task } = inputs
  const { eventName, isRehearsal } = context
  if (!isChangeWanted(inputs)) return
  const isBase = BRANCH_EVENTS.includes(eventName)
  if (changeRange.kind === 'since-last-success' && !isBase)
    throw new ActionError(
      'invalid-input',
      `\`change-range\` is \`since-last-success\`, which cannot be used on \`${eventName}\`: such a run is never the base of a later range.`,
      {
        hint: 'Nothing was sent. Remove `change-range` to use the range of the event, or start the workflow by a push, a schedule or by hand.',
      },
    )
  if (range.kind !== 'since-last-success') return
  if (onOpenPr === 'skip' && command === '' && task.kind === 'create')
    throw new ActionError(
      'invalid-input',
      '`on-open-pr` is `skip`, which cannot be used if the change is everything since the last successful run: a skipped run succeeds, so the changes before it would be missed.',
      { hint: `Nothing was sent. Use \`on-open-pr: follow-up\`, or remove ${joinWords(listDependents(inputs))}.` },
    )
  if (isBase && (dryRun || isRehearsal))
    journal.notice(
      'The base of the next range moves',
      'If this run succeeds, the next range of this workflow since its last successful run begins after it, and earlier changes are not sent. Keep dry runs and rehearsals in a separate workflow.',
    )
}

const NO_FILES_HINT =
  'Remove `paths`: the prompt then has the commits without their files. Or send the change in parts, with `change-range: BASE...HEAD`.'

/** Says which other change is sent than the requested one. */
function noticeOtherChange(range: ChangeRange, change: FoundChange, { inputs, context, journal }: Acts): void {
  const isSinceLast = range.kind === 'since-last-success'
  if (isSinceLast && range.isRequested && context.workflow === undefined)
    journal.notice(
      'No earlier runs to look back to',
      `\`change-range\` is \`since-last-success\`, but ${NO_WORKFLOW.reason}. A push sends its own change instead, and any other event sends none.`,
    )
  if (isSinceLast && change.isBaseMissing) {
    const compared = 'reason' in change ? 'Nothing was compared.' : `Compared instead: ${change.title}.`
    journal.notice(
      'A base commit no longer exists',
      `The commit of the last successful run is no longer in the repository, for example because of a forced push. ${compared}`,
    )
  }
  if (!('reason' in change) && change.problem !== undefined && inputs.changeContext !== 'none')
    journal.notice(
      'The changed files are not known',
      `GitHub cannot compare the two ends of the change, so the prompt has its commits without their files. ${change.problem.message}`,
    )
}

export const OWN_WORK_UNKNOWN = "Could not determine whether the change is the agent's own work"

/**
 * Compares the range that an input or the loop guard needs.
 * @throws ActionError `not-sent` if GitHub does not provide the change: a prompt without its change wastes a job, and a
 *   successful run moves the base of the next range past commits that were never sent
 */
export async function compareWanted(range: ChangeRange, step: Acts): Promise<FoundChange> {
  const { context, inputs } = step
  const { paths, changeContext } = inputs
  const missing = inputs.changeRange.kind === 'event' ? explainMissingRange(range, context) : undefined
  const compare = async (): Promise<FoundChange> => {
    if (missing !== undefined)
      throw new ActionError('rejected', `${missing}.`, {
        hint: "The runner has to pass on GitHub's event. Without it, set `change-range` to `since-last-success` or `BASE...HEAD`.",
      })
    const comparison = await compareWithFallback(range, step)
    const needsFiles = paths.length > 0 || changeContext === 'files' || changeContext === 'diff'
    if (needsFiles && 'fileList' in comparison && comparison.fileList === 'unreadable')
      throw new ActionError('invalid-response', 'GitHub returned a malformed list of changed files.', {
        hint: 'Run the step again later, or use `change-context: commits` without `paths`.',
      })
    const { problem } = 'reason' in comparison ? {} : comparison
    if (problem !== undefined && paths.length > 0)
      throw new ActionError('rejected', problem.message, {
        hint: range.kind === 'since-last-success' ? MOVE_BASE_HINT : NO_FILES_HINT,
      })
    noticeOtherChange(range, comparison, step)
    return comparison
  }
  const dependents = listDependents(inputs)
  // This reason is in the reply to a command, whose readers may not know the inputs.
  const need = inputs.command === '' ? `, which is needed for ${joinWords(dependents)}` : ''
  const unknown = dependents.length === 0 ? OWN_WORK_UNKNOWN : `Could not determine what changed${need}`
  const source = isExplicitRange(inputs.changeRange) ? inputs.changeRange.repository : undefined
  const isHere = source === undefined || isSameRepository(source, context.repository)
  return orNotSent(unknown, compare, GITHUB_RETRY_HINT, isHere ? formatGrant(inputs) : undefined)
}
