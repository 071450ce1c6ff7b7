/**
 * Examines the change that started the run: whether it counts, what the prompt says about it, and who wrote and approved it.
 * Hides the order of the requests about its range, commits, files and pull requests.
 */
import { within, endingAt, openGitHub } from '../../action/step.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import type { EventCommit } from '../../github/event.ts'
import { failsForAll } from '../../github/github-error.ts'
import type { GitHub } from '../../github/github.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import { orNotSent, rethrowFatal } from '../../runtime/errors.ts'
import { formatCount, joinSentences } from '../../text/format.ts'
import { quoteNames } from '../../text/markdown.ts'
import type { AgentStep } from '../journal.ts'
import { countFiles, type PathRule } from '../path-filter.ts'
import { isSkip, type Skip, skip } from '../plan.ts'
import {
  changeSection,
  eventSection,
  isEmpty,
  MAX_CONTEXT_BYTES,
  pullRequestSection,
  renderSections,
} from '../prompt.ts'
import { type ChangeRange, findChangeRange } from './change-range.ts'
import {
  type Compared,
  compareWanted,
  type FoundChange,
  isChangeWanted,
  needsFiles,
  refuseToLookBack,
  compareWithFallback,
} from './compare-range.ts'
import { findEventOrigin } from './event-origin.ts'
import { openLoopGuard } from './own-work.ts'
import {
  REQUEST_EVENT_KINDS,
  checkEventLabels,
  formatPullRequests,
  leaveOutExempt,
  openSourceLookUp,
  type SourceLookUp,
  findSources,
  isOfEvent,
  namesPullRequest,
} from './source-pull-requests.ts'

/** What is known about the change that started the run. */
export interface ChangeFindings {
  /** Added after the prompt; may be empty. */
  readonly promptContext: string
  /** Undefined if no range was compared. */
  readonly compared?: Compared | undefined
  /** The look-ups of source pull requests for commits of the run's repository. */
  readonly lookedUp?: SourceLookUp['found']
}

interface Counted {
  /** One line that is safe to print, with untrusted names between back-ticks. */
  readonly description: string
  /** Why the step is skipped, as a full sentence. Rendered as Markdown, so it contains no untrusted text. */
  readonly skipReason?: string
  /** Why the step is not skipped although no listed file counts, as full sentences. */
  readonly doubt?: string
}

const NO_COMMITS = 'There are no commits in the range.'

/**
 * Whether the step has no reason to run without a change: a prompt that sends only an empty change wastes a job. A schedule, a
 * manual run without `change-range` and a comment by a person may request more than a review of the change.
 */
function isForChangeAlone({ context, inputs: { changeContext, changeRange } }: AgentStep): boolean {
  if (changeContext === 'none' || REQUEST_EVENT_KINDS.includes(context.event.kind)) return false
  return changeRange.kind !== 'event' || findEventOrigin(context).kind !== 'people'
}

/**
 * Decides by `paths` whether the change counts. A file that GitHub does not list may count, so an incomplete
 * list never skips the step.
 * @throws ActionError `cancelled`
 */
async function countByPaths(found: FoundChange, paths: readonly PathRule[], step: AgentStep): Promise<Counted> {
  if ('reason' in found) return { description: `Nothing to compare: ${found.reason}.` }
  const { exempt, files, fileList, repository, titleWithNames, totalCommits, unlisted } = found
  const fileCount = `${fileList === 'complete' ? '' : 'at least '}${formatCount(files.length, 'file')}`
  const leftOut =
    exempt === undefined ? '' : ` Left out by \`skip-labels\`: ${formatPullRequests(exempt.numbers, repository, step)}.`
  const counts = isEmpty(found) ? 'No commits' : `${formatCount(totalCommits, 'commit')}, ${fileCount}`
  const compared = `${counts}: ${titleWithNames}.${leftOut}`
  const isNothing = isEmpty(found) && unlisted === undefined
  if (paths.length === 0)
    return { description: compared, ...(isNothing && isForChangeAlone(step) && { skipReason: NO_COMMITS }) }

  const counted = await countFiles(paths, files, step)
  if (counted > 0) {
    const verb = counted === 1 ? 'matches' : 'match'
    return { description: `${compared} Of these files, ${counted} ${verb} \`paths\`.` }
  }
  const patterns = quoteNames(paths.map(({ line }) => line))
  const shown = quoteNames(files.map(({ path }) => path))
  const names = files.length === 0 ? '' : ` No file matches \`paths\` (${patterns}): ${shown}.`
  const description = `${compared}${names}`
  const doubt = 'No listed file counts, but a file that is not listed may, so the step is not skipped.'
  if (unlisted !== undefined) return { description, doubt: `${unlisted}. ${doubt}` }
  if (isNothing) return { description, skipReason: NO_COMMITS }
  return { description, skipReason: 'No changed file matches `paths`.' }
}

/** Explains why the event itself contains no change. The range may still look back to earlier changes. */
function explainNoChange(range: ChangeRange): string | undefined {
  const own = range.kind === 'since-last-success' ? range.fallback : range
  return own?.kind === 'nothing-changed' ? `Nothing changed: ${own.reason}.` : undefined
}

const UNKNOWN_LABELS = 'Could not determine which pull requests `skip-labels` exempts'
const RETRY_HINT = 'Run the step again when GitHub responds.'

/**
 * Examines the change that started the run: skips the agent's own work and changes that do not count, and renders the rest for
 * the prompt.
 * @throws ActionError `cancelled`, `not-sent`, `invalid-input`
 */
export async function resolveChange(fullStep: AgentStep): Promise<ChangeFindings | Skip> {
  const { context, core, inputs, journal } = fullStep
  const { command, task, changeRange, paths } = inputs
  // Attaching to a job sends no prompt, so it does not depend on a change.
  if (command === '' && task.kind === 'attach') return { promptContext: '' }
  const step = within(fullStep, fullStep.planningBudget)
  const range = findChangeRange(context, changeRange)
  const isWanted = isChangeWanted(inputs)
  const noChange = explainNoChange(range)
  if (noChange !== undefined && (range.kind === 'nothing-changed' || !isWanted)) return skip(noChange)

  const origin = findEventOrigin(context)
  const sources = openSourceLookUp(context.repository, origin, step)
  const guard = openLoopGuard(origin, sources, step)
  const own = await guard.checkEvent()
  if (own !== undefined) return skip(own)
  const exempt = await orNotSent(UNKNOWN_LABELS, () => checkEventLabels(origin, step), RETRY_HINT)
  if (exempt !== undefined) return skip(exempt)
  refuseToLookBack(range, step)

  // Compare first: right after a push, GitHub may need a minute until it knows which pull requests the commits came from.
  const unfiltered = isWanted || guard.needsRange ? await compareWanted(range, step) : undefined
  const leaveOut = async <Change extends Compared>(change: Change) =>
    leaveOutExempt(change, needsFiles(inputs), origin, sources, step)
  const found =
    unfiltered === undefined || 'reason' in unfiltered
      ? unfiltered
      : await orNotSent(UNKNOWN_LABELS, () => leaveOut(unfiltered), RETRY_HINT)
  if (found !== undefined && isSkip(found)) return found
  const { description, skipReason, doubt } = found === undefined ? {} : await countByPaths(found, paths, step)
  if (description !== undefined) core.log(description)
  const compared = found === undefined || 'reason' in found ? undefined : found
  if (compared !== undefined) journal.recordChange(description)
  const isNothing = found !== undefined && (compared === undefined || compared.relation === 'identical')
  const reason = (isNothing ? noChange : undefined) ?? skipReason ?? (await guard.checkChange(found))
  if (reason !== undefined) return skip(reason)
  if (doubt !== undefined) core.log(doubt)
  return { ...renderChange(compared, description, step), lookedUp: sources.found }
}

/** @param description of the range, as full sentences */
function renderChange(change: Compared | undefined, description: string | undefined, step: AgentStep): ChangeFindings {
  const { context, core, inputs, journal } = step
  const { changeContext: level } = inputs
  const event = eventSection(context.event, context.repository)
  const source = change?.pullRequest && pullRequestSection(change.pullRequest, context.serverUrl)
  const wanted = level === 'none' ? [] : [event, source, change && changeSection(change, level)]
  const sections = wanted.filter((section) => section !== undefined)
  const rendered = sections.length === 0 ? undefined : renderSections(sections, MAX_CONTEXT_BYTES)
  if (rendered !== undefined) core.log(rendered.description)
  journal.recordChange(joinSentences([description, rendered?.description]) || undefined)
  return { promptContext: rendered?.text ?? '', compared: change }
}

// Finds out who wrote and approved a change, and which pull requests it came from. Only `compareForPeople` is called before the
// prompt is sent. The other functions are called after the first turn has ended.

const UNKNOWN_PEOPLE =
  'Could not determine who wrote or approved the change, so no review was requested from these people'

/**
 * Compares the range if the inputs request reviews from its authors or approvers, and the range was not compared before.
 * @throws ActionError `cancelled`
 */
export async function compareForPeople(change: ChangeFindings, step: AgentStep): Promise<ChangeFindings> {
  const { context, inputs, journal } = step
  const { hasAuthors, hasApprovers } = inputs.reviewers
  const isNeeded = hasAuthors || (hasApprovers && !isOfEvent(findEventOrigin(context), step))
  if (change.compared !== undefined || !isNeeded) return change
  const range = findChangeRange(context, inputs.changeRange)
  const compare = () => compareWithFallback(range, within(step, step.planningBudget))
  const found = await journal.orWarn(UNKNOWN_PEOPLE, compare)
  return found === undefined || 'reason' in found ? change : { ...change, compared: found }
}

/** Each pull request costs one or two requests, to find out who approved or merged it. */
const MAX_SOURCES = 10
const SOURCES_TIMEOUT_MS = 60_000
/** Shorter, because named sources are only shown. */
const NAMED_SOURCES_TIMEOUT_MS = 10_000
/** Each pull request may cost more than one request. */
const MAX_NAMED = 5

/** What is known without a request about the sources of a change. */
interface KnownSources {
  /** Newest first. */
  readonly commits: readonly EventCommit[]
  /** The repository of the commits. */
  readonly repository: string
  /** The look-ups of that repository so far. */
  readonly lookedUp: SourceLookUp['found'] | undefined
  /** The pull requests of the complete change; undefined if they must be looked up by commit. */
  readonly pullRequests: readonly PullRequestAddress[] | undefined
}

function listKnownSources({ compared, lookedUp }: ChangeFindings, step: AgentStep): KnownSources {
  const { repository, event } = step.context
  const origin = findEventOrigin(step.context)
  const source = compared?.repository ?? repository
  const newestFirst = compared?.commits.toReversed() ?? origin.commits
  const listEventSources = () => origin.numbers.map((number) => ({ repository, number, visibility: event.visibility }))
  return {
    // After a turn GitHub has recorded the source of every commit, so the look-up need not wait for it.
    commits: newestFirst.map((commit) => ({ ...commit, isByPusher: true })),
    repository: source,
    lookedUp: source === repository ? lookedUp : undefined,
    pullRequests:
      compared?.pullRequest !== undefined
        ? [compared.pullRequest]
        : isOfEvent(origin, step)
          ? listEventSources()
          : undefined,
  }
}

function openLookUp({ repository, lookedUp }: KnownSources, timeoutMs: number, step: AgentStep): SourceLookUp {
  const { clock, context, deadlineAt } = step
  const limited = endingAt(step, Math.min(clock.now() + timeoutMs, deadlineAt))
  return openSourceLookUp(repository, findEventOrigin(context), limited, lookedUp)
}

/** @param exempt the pull requests that `skip-labels` takes out of the change */
function toAddresses(
  numbers: Iterable<number>,
  { repository }: KnownSources,
  exempt: readonly number[] = [],
  { context }: AgentStep,
): readonly PullRequestAddress[] {
  const visibility = repository === context.repository ? context.event.visibility : undefined
  return [...numbers].filter((number) => !exempt.includes(number)).map((number) => ({ repository, number, visibility }))
}

/**
 * Lists the newest merged pull requests that a change came from, at most ten.
 * @throws ActionError if a request to GitHub fails
 */
export async function listSources(change: ChangeFindings, step: AgentStep): Promise<readonly PullRequestAddress[]> {
  const known = listKnownSources(change, step)
  if (known.pullRequests !== undefined) return known.pullRequests
  const { pullRequests } = await findSources(known.commits, openLookUp(known, SOURCES_TIMEOUT_MS, step), MAX_SOURCES)
  return toAddresses(pullRequests.keys(), known, change.compared?.exempt?.numbers, step).slice(0, MAX_SOURCES)
}

/**
 * Lists the newest merged pull requests that a change came from and that are already known or named in a commit message, at most
 * five.
 * @throws ActionError if a request to GitHub fails
 */
export async function listNamedSources(
  change: ChangeFindings,
  step: AgentStep,
): Promise<readonly PullRequestAddress[]> {
  const known = listKnownSources(change, step)
  if (known.pullRequests !== undefined) return known.pullRequests.slice(0, MAX_NAMED)
  const numbers = new Set<number>()
  let lookUp: SourceLookUp | undefined
  let lookUps = 0
  for (const commit of known.commits) {
    if (numbers.size >= MAX_NAMED) break
    const found = known.lookedUp?.get(commit.sha)
    if (found === undefined && (!namesPullRequest(commit) || ++lookUps > MAX_NAMED)) continue
    const sources = await (found ?? (lookUp ??= openLookUp(known, NAMED_SOURCES_TIMEOUT_MS, step)).find(commit))
    for (const { number, state } of sources) if (state === 'merged') numbers.add(number)
  }
  return toAddresses(numbers, known, change.compared?.exempt?.numbers, step).slice(0, MAX_NAMED)
}

/** Returns the logins of the people who wrote the commits, most commits first. In a tie, the author of the newest commit wins. */
export function rankAuthors(commits: readonly ComparedCommit[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { account } of commits.toReversed())
    if (account?.type === 'User' && account.login !== '')
      counts.set(account.login, (counts.get(account.login) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

const APPROVERS_TIMEOUT_MS = 60_000
const UNKNOWN_APPROVERS = 'Could not determine everybody who approved the change to request their reviews'

async function readApprovers(source: PullRequestAddress, github: GitHub): Promise<readonly string[]> {
  const approvers = await github.listApprovers(source)
  if (approvers.length > 0) return approvers
  const { mergedBy } = await github.readPullRequest(source)
  return mergedBy.type === 'User' && mergedBy.login !== '' ? [mergedBy.login] : []
}

/**
 * Returns the logins of the people who approved the pull requests that a change came from, most pull requests first. For a pull
 * request without an approval, it is the person who merged it. A pull request that cannot be read is reported and skipped.
 * @throws ActionError `cancelled`
 */
async function findApprovers(change: ChangeFindings, step: AgentStep): Promise<readonly string[]> {
  const { journal } = step
  const counts = new Map<string, number>()
  await journal.orWarn(UNKNOWN_APPROVERS, async () => {
    const github = openGitHub(step, APPROVERS_TIMEOUT_MS)
    for (const source of await listSources(change, step)) {
      try {
        for (const login of await readApprovers(source, github)) counts.set(login, (counts.get(login) ?? 0) + 1)
      } catch (caught) {
        const error = rethrowFatal(caught)
        if (failsForAll(error)) throw error
        journal.warn(`Could not determine who approved pull request #${source.number}, to request a review`, error)
      }
    }
  })
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

/**
 * Returns the logins of the people whose reviews the inputs request because they approved or wrote the change: approvers first.
 * @throws ActionError `cancelled`
 */
export async function findPeople(change: ChangeFindings, step: AgentStep): Promise<readonly string[]> {
  const { hasAuthors, hasApprovers } = step.inputs.reviewers
  const approvers = hasApprovers ? await findApprovers(change, step) : []
  return [...approvers, ...(hasAuthors ? rankAuthors(change.compared?.commits ?? []) : [])]
}
