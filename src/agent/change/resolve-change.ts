import { within } from '../../action/step.ts'
import { orNotSent } from '../../runtime/errors.ts'
import { formatCount, joinSentences } from '../../text/format.ts'
import { someQuoted } from '../../text/markdown.ts'
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
import { openLoopGuard } from './loop-guard.ts'
import {
  ASKED_BY_PEOPLE,
  checkEventLabels,
  formatPullRequests,
  leaveOutExempt,
  openSourceLookUp,
  type SourceLookUp,
} from './source-pull-requests.ts'

/** What was found out about the change that started the run. */
export interface ChangeFindings {
  /** To put behind the prompt; empty if nothing is. */
  readonly promptContext: string
  /** The range, if one was compared. */
  readonly compared?: Compared | undefined
  /** Which pull requests brought commits of the run's repository, as far as that was looked up. */
  readonly lookedUp?: SourceLookUp['found']
}

interface Counted {
  /** What was counted, in one line that is safe to print, with strangers' names between back-ticks. */
  readonly description: string
  /** Why nothing is to be asked of the service, as a full sentence. It is shown as Markdown, so no stranger's text is in it. */
  readonly skipReason?: string
  /** Why the gate stays open though nothing that is listed counts, as a full sentence. */
  readonly doubt?: string
}

const NO_COMMITS = 'There are no commits in the range that it looks at.'

/**
 * Whether the step has no reason to run without a change: a prompt that sends nothing but an empty change wastes a job. A
 * schedule or a manual run that names no range may ask for more than what changed, and so may people who write a comment.
 */
function isForChangeAlone({ context, inputs: { changeContext, changeRange } }: AgentStep): boolean {
  if (changeContext === 'none' || ASKED_BY_PEOPLE.includes(context.event.kind)) return false
  return changeRange.kind !== 'event' || findEventOrigin(context).kind !== 'people'
}

/**
 * If none of the files that are listed counts, one that is not listed still may.
 * @throws ActionError `cancelled`
 */
async function countByPaths(found: FoundChange, filter: PathFilter | undefined, step: AgentStep): Promise<Counted> {
  if ('reason' in found) return { description: `Nothing to compare: ${found.reason}.` }
  const { exempt, files, fileList, repository, story, totalCommits, unlisted } = found
  const fileCount = `${fileList === 'whole' ? '' : 'at least '}${formatCount(files.length, 'file')}`
  const leftOut =
    exempt === undefined ? '' : ` Left out by \`skip-labels\`: ${formatPullRequests(exempt.numbers, repository, step)}.`
  const counts = isEmpty(found) ? 'No commits' : `${formatCount(totalCommits, 'commit')}, ${fileCount}`
  const compared = `${counts}: ${story}.${leftOut}`
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
  const patterns = someQuoted(filter.rules.map(({ line }) => line))
  const names = files.length === 0 ? '' : ` ${none} (${patterns}): ${someQuoted(files.map(({ path }) => path))}.`
  const description = `${compared}${names}`
  const doubt = 'No listed file matches, but one that is not listed may, so the step is not skipped.'
  if (unlisted !== undefined) return { description, doubt: `${unlisted}. ${doubt}` }
  if (isNothing) return { description, skipReason: NO_COMMITS }
  const skipReason = isIgnoring ? 'All changed files match `paths-ignore`.' : 'No changed file matches `paths`.'
  return { description, skipReason }
}

/** Why the event itself has nothing for the agent, whose range may still look back. */
function whyIdle(range: ChangeRange): string | undefined {
  const own = range.kind === 'since-last-success' ? range.fallback : range
  return own?.kind === 'nothing-changed' ? `Nothing changed: ${own.reason}.` : undefined
}

const UNKNOWN_LABELS = 'Could not determine which pull requests `skip-labels` exempts'
const ASK_AGAIN = 'Run the step again when GitHub responds.'

/**
 * Examines what started the run: whether it is the agent's own work, whether it is a change for the agent, and what of it
 * goes into the prompt.
 * @throws ActionError `cancelled`, `not-sent`, `invalid-input`
 */
export async function resolveChange(wholeStep: AgentStep): Promise<ChangeFindings | Skip> {
  const { context, core, inputs, journal } = wholeStep
  const { command, task, changeRange, pathFilter } = inputs
  // Attaching spends nothing and sends nothing, so it needs no reason.
  if (command === '' && task.kind === 'attach') return { promptContext: '' }
  const step = within(wholeStep, wholeStep.questions)
  const range = findChangeRange(context, changeRange)
  const isWanted = isChangeWanted(inputs)
  const idle = whyIdle(range)
  if (idle !== undefined && (range.kind === 'nothing-changed' || !isWanted)) return skip(idle)

  const origin = findEventOrigin(context)
  const sources = openSourceLookUp(context.repository, origin, step)
  const guard = openLoopGuard(origin, sources, step)
  const own = await guard.checkEvent()
  if (own !== undefined) return skip(own)
  const exempt = await orNotSent(UNKNOWN_LABELS, () => checkEventLabels(origin, step), ASK_AGAIN)
  if (exempt !== undefined) return skip(exempt)
  refuseToLookBack(range, step)

  // Files first: right after a push it may take a minute until GitHub knows where the commits came from.
  const whole = isWanted || guard.needsRange ? await compareWanted(range, step) : undefined
  const leaveOut = async <Change extends Compared>(change: Change) =>
    leaveOutExempt(change, needsFiles(inputs), origin, sources, step)
  const found =
    whole === undefined || 'reason' in whole ? whole : await orNotSent(UNKNOWN_LABELS, () => leaveOut(whole), ASK_AGAIN)
  if (found !== undefined && isSkip(found)) return found
  const { description, skipReason, doubt } = found === undefined ? {} : await countByPaths(found, pathFilter, step)
  if (description !== undefined) core.log(description)
  const compared = found === undefined || 'reason' in found ? undefined : found
  if (compared !== undefined) journal.recordChange(description)
  const isNothing = found !== undefined && (compared === undefined || compared.relation === 'identical')
  const reason = (isNothing ? idle : undefined) ?? skipReason ?? (await guard.checkChange(found))
  if (reason !== undefined) return skip(reason)
  if (doubt !== undefined) core.log(doubt)
  return { ...tellChange(compared, description, step), lookedUp: sources.found }
}

/**
 * What the event is about has up to half of the bytes, if a change goes with it.
 * @param found what was found out about the range, as full sentences
 */
function tellChange(change: Compared | undefined, found: string | undefined, step: AgentStep): ChangeFindings {
  const { context, core, inputs, journal } = step
  const { changeContext: level, changeContextBytes: maxBytes } = inputs
  const event = eventSection(context.event, context.repository)
  const source = change?.pullRequest && pullRequestSection(change.pullRequest, context.serverUrl)
  const wanted = level === 'none' ? [] : [event, source, change && changeSection(change, level)]
  const sections = wanted.filter((section) => section !== undefined)
  const told = sections.length === 0 ? undefined : renderSections(sections, maxBytes)
  if (told !== undefined) core.log(told.description)
  journal.recordChange(joinSentences([found, told?.description]) || undefined)
  return { promptContext: told?.text ?? '', compared: change }
}
