import { within } from '../../action/step.ts'
import { orNotSent } from '../../runtime/errors.ts'
import { formatCount, joinSentences } from '../../text/format.ts'
import { quoteNames } from '../../text/markdown.ts'
import { countFiles, type PathFilter } from '../path-filter.ts'
import { isSkip, type Skip, skip } from '../plan.ts'
import { changeSection, eventSection, isEmpty, pullRequestSection, renderSections } from '../prompt.ts'
import type { AgentStep } from '../journal.ts'
import { type ChangeRange, findChangeRange } from './change-range.ts'
import {
  type Compared,
  compareWanted,
  type FoundChange,
  isChangeWanted,
  needsFiles,
  refuseToLookBack,
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
} from './source-pull-requests.ts'

/** What is known about the change that started the run. */
export interface ChangeFindings {
  /** Added after the prompt; may be empty. */
  readonly promptContext: string
  /** Undefined if no range was compared. */
  readonly compared?: Compared | undefined
  /** The source pull requests of the commits of the run's repository that were looked up. */
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
 * Decides by `paths` or `paths-ignore` whether the change counts. A file that GitHub does not list may count, so an incomplete
 * list never skips the step.
 * @throws ActionError `cancelled`
 */
async function countByPaths(found: FoundChange, filter: PathFilter | undefined, step: AgentStep): Promise<Counted> {
  if ('reason' in found) return { description: `Nothing to compare: ${found.reason}.` }
  const { exempt, files, fileList, repository, titleWithNames, totalCommits, unlisted } = found
  const fileCount = `${fileList === 'complete' ? '' : 'at least '}${formatCount(files.length, 'file')}`
  const leftOut =
    exempt === undefined ? '' : ` Left out by \`skip-labels\`: ${formatPullRequests(exempt.numbers, repository, step)}.`
  const counts = isEmpty(found) ? 'No commits' : `${formatCount(totalCommits, 'commit')}, ${fileCount}`
  const compared = `${counts}: ${titleWithNames}.${leftOut}`
  const isNothing = isEmpty(found) && unlisted === undefined
  if (filter === undefined)
    return { description: compared, ...(isNothing && isForChangeAlone(step) && { skipReason: NO_COMMITS }) }

  const counted = await countFiles(filter, files, step)
  const isIgnoring = filter.kind === 'paths-ignore'
  if (counted > 0) {
    const how = isIgnoring ? `${counted === 1 ? 'does' : 'do'} not match` : counted === 1 ? 'matches' : 'match'
    return { description: `${compared} Of these files, ${counted} ${how} \`${filter.kind}\`.` }
  }
  const none = isIgnoring ? 'All files match `paths-ignore`' : 'No file matches `paths`'
  const patterns = quoteNames(filter.rules.map(({ line }) => line))
  const names = files.length === 0 ? '' : ` ${none} (${patterns}): ${quoteNames(files.map(({ path }) => path))}.`
  const description = `${compared}${names}`
  const doubt = 'No listed file counts, but a file that is not listed may, so the step is not skipped.'
  if (unlisted !== undefined) return { description, doubt: `${unlisted}. ${doubt}` }
  if (isNothing) return { description, skipReason: NO_COMMITS }
  const skipReason = isIgnoring ? 'All changed files match `paths-ignore`.' : 'No changed file matches `paths`.'
  return { description, skipReason }
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
  const { command, task, changeRange, pathFilter } = inputs
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
  const { description, skipReason, doubt } = found === undefined ? {} : await countByPaths(found, pathFilter, step)
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
  const { changeContext: level, changeContextBytes: maxBytes } = inputs
  const event = eventSection(context.event, context.repository)
  const source = change?.pullRequest && pullRequestSection(change.pullRequest, context.serverUrl)
  const wanted = level === 'none' ? [] : [event, source, change && changeSection(change, level)]
  const sections = wanted.filter((section) => section !== undefined)
  const rendered = sections.length === 0 ? undefined : renderSections(sections, maxBytes)
  if (rendered !== undefined) core.log(rendered.description)
  journal.recordChange(joinSentences([description, rendered?.description]) || undefined)
  return { promptContext: rendered?.text ?? '', compared: change }
}
