/**
 * Examines the change that started the run: whether it counts, and what the prompt says about it. Hides the order of the requests
 * about its range, commits, files and pull requests.
 */
import { choiceInput, field, linesField } from '../../action/inputs.ts'
import { ActionError } from '../../runtime/errors.ts'
import { formatCount, joinSentences } from '../../text/format.ts'
import { quoteNames } from '../../text/markdown.ts'
import { CHANGE_CONTEXTS, type Facts } from '../facts.ts'
import type { Run } from '../record.ts'
import type { Acts, Reads } from '../step.ts'
import { parsePathRules, filterFiles, findFolderPatterns, warnOfFolders } from '../path-filter.ts'
import { isSkip, type Skip, skip } from '../skip.ts'
import {
  type Change,
  changeSection,
  eventSection,
  isEmpty,
  MAX_CONTEXT_BYTES,
  pullRequestSection,
  renderSections,
} from '../prompt.ts'
import { type ChangeRange, findChangeRange, RANGE_FIELDS } from './range.ts'
import { type Compared, compareWanted, type FoundChange, isChangeWanted, checkLookBack } from './compare.ts'
import { checkPayload, findLoop, type LoopReason, needsRange } from './loop.ts'
import { createPullRequestLookup, type PullRequestLookup } from './origin.ts'

export const CHANGE_FIELDS = {
  changeContext: field('change-context', 'none', choiceInput(CHANGE_CONTEXTS)),
  ...RANGE_FIELDS,
  paths: linesField('paths', parsePathRules),
}

/** What is known about the change that started the run. */
export interface ChangeFacts {
  /** What was compared, or why nothing was. Undefined if the step only attaches. */
  readonly description?: string | undefined
  /** Added after the prompt; may be empty. */
  readonly promptContext: string
  /** What is added to the prompt, for the log and the summary. Undefined if nothing is. */
  readonly added?: string | undefined
  /** Undefined if no range was compared. */
  readonly compared?: Compared | undefined
  /** Undefined if the step only attaches. */
  readonly sources?: PullRequestLookup
  /** The numbers of the pull requests that `skip-labels` exempts. */
  readonly exempt?: readonly number[]
}

/** The change after `paths` was applied to its files. */
interface Filtered {
  /** One line that is safe to print, with untrusted names between back-ticks. */
  readonly description: string
  /** What to send. Undefined if nothing was compared. */
  readonly change?: Compared | undefined
  /** Why the step is skipped, as a full sentence. Rendered as Markdown, so it contains no untrusted text. */
  readonly skipReason?: string
  /** What must be corrected in `paths`, as full sentences. */
  readonly mistakes?: readonly string[]
}

const NO_COMMITS = 'Nothing changed: there are no commits in the range.'

/**
 * Keeps the files that match `paths`, and decides whether the change counts. A file that GitHub does not list may count, so an
 * incomplete list never skips the step.
 * @throws ActionError `cancelled`
 */
async function filterByPaths(comparison: FoundChange, step: Reads): Promise<Filtered> {
  const { paths } = step.inputs
  if ('reason' in comparison && comparison.kind === 'nothing-changed') {
    const description = `Nothing changed: ${comparison.reason}.`
    return { description, skipReason: description }
  }
  if ('reason' in comparison) return { description: `Nothing to compare: ${comparison.reason}.` }
  const { files, fileList, title, totalCommits, unlisted } = comparison
  const fileCount = `${fileList === 'complete' ? '' : 'at least '}${formatCount(files.length, 'file')}`
  const commitCount = formatCount(totalCommits, 'commit')
  const known = fileList === 'unavailable' ? commitCount : `${commitCount}, ${fileCount}`
  const counts = isEmpty(comparison) ? 'No commits' : known
  const compared = `${counts}: ${title}.`
  if (paths.length === 0) return { description: compared, change: comparison }

  const matching = await filterFiles(paths, files, step)
  const folders = await findFolderPatterns('paths', paths, files, step)
  const isSkipped = matching.length === 0 && unlisted === undefined
  // A mistake in a line that excludes files cannot be the reason why no file matches.
  const mistakes = folders.filter(({ effect }) => isSkipped && effect === 'include')
  warnOfFolders(mistakes.length > 0 ? [] : folders, step)
  const change = { ...comparison, files: matching, isFiltered: true }
  if (matching.length > 0) {
    const how = matching.length === 1 ? 'matches' : 'match'
    return { description: `${compared} Of these files, ${matching.length} ${how} \`paths\`.`, change }
  }
  const patterns = quoteNames(paths.map(({ line }) => line))
  const names =
    files.length === 0 ? '' : ` No file matches \`paths\` (${patterns}): ${quoteNames(files.map(({ path }) => path))}.`
  const description = `${compared}${names}`
  if (unlisted !== undefined) {
    step.runner.log(
      `${unlisted}. No listed file matches \`paths\`, but a file that is not listed may, so the step is not skipped.`,
    )
    return { description, change }
  }
  return {
    description,
    change,
    skipReason: isEmpty(comparison) ? NO_COMMITS : 'No changed file matches `paths`.',
    mistakes: mistakes.map(({ sentence }) => sentence),
  }
}

/** Explains why the event itself contains no change. The range may still look back to earlier changes. */
function explainNoChange(range: ChangeRange): string | undefined {
  const eventRange = range.kind === 'since-last-success' ? range.fallback : range
  return eventRange?.kind === 'nothing-changed' ? `Nothing changed: ${eventRange.reason}.` : undefined
}

/**
 * Logs and reports the compared change, and skips the step if it is empty or its files do not count.
 * @throws ActionError `invalid-input` if no file matches `paths` because of a mistake in it
 */
async function readFiltered(
  comparison: FoundChange | undefined,
  range: ChangeRange,
  step: Reads,
  report: ReportChange,
): Promise<Partial<Filtered> | Skip> {
  if (comparison === undefined) return {}
  const filtered = await filterByPaths(comparison, step)
  const { change, description, skipReason, mistakes = [] } = filtered
  step.runner.log(description)
  if (change !== undefined) report({ change: description })
  if (mistakes.length > 0)
    throw new ActionError('invalid-input', joinSentences(mistakes), {
      hint: 'Nothing was sent. Correct the `with:` block of this step.',
    })
  const isNothing = change === undefined || change.relation === 'identical'
  const reason = (isNothing ? explainNoChange(range) : undefined) ?? skipReason
  return reason === undefined ? filtered : skip(reason)
}

/** Says why the loop guard skips the step, and returns the reason. */
function skipLoop({ title, text }: LoopReason, { journal }: Acts): Skip {
  journal.notice(title, text)
  return skip(text)
}

/** Receives the description of the change once it is known: an error or a skip may follow. */
type ReportChange = (facts: Pick<Run, 'change'>) => void

/** A change that counts, unless its labels exempt it. */
export interface ResolvedChange extends Partial<Pick<Filtered, 'change' | 'description'>> {
  /** Undefined if the step only attaches. */
  readonly sources?: PullRequestLookup
}

/**
 * Examines the change that started the run: skips the agent's own work and changes that do not count.
 * @param startLookUp called when the step will probably send a prompt: work for it can run beside the look-ups. With `paths` that
 *   is after the comparison, because most changes may not match
 * @throws ActionError `cancelled`, `not-sent`, `invalid-input`
 */
export async function resolveChange(
  step: Acts,
  report: ReportChange,
  startLookUp = (): void => undefined,
): Promise<ResolvedChange | Skip> {
  const { context, inputs } = step
  const { command, task, changeRange, paths } = inputs
  // Attaching to a job sends no prompt, so it does not depend on a change.
  if (command === '' && task.kind === 'attach') return {}
  const range = findChangeRange(context, changeRange)
  // What the payload alone decides comes before any request.
  const noChange = explainNoChange(range)
  if (noChange !== undefined && (range.kind === 'nothing-changed' || !isChangeWanted(inputs))) return skip(noChange)
  const ownWork = checkPayload(step)
  if (ownWork !== undefined) return skipLoop(ownWork, step)
  checkLookBack(range, step)
  if (paths.length === 0) startLookUp()

  const compare = isChangeWanted(inputs) || needsRange(step) ? compareWanted(range, step) : undefined
  const sources = createPullRequestLookup(context.repository, step)
  // The event has all commits of a push, so that the look-up need not wait for the comparison, unless `paths` may skip the step.
  const isEarly = paths.length === 0 && context.event.kind === 'push' && changeRange.kind === 'event'
  const early = isEarly ? findLoop(undefined, sources, step) : undefined
  early?.catch(() => undefined)
  const filtered = await readFiltered(await compare, range, step, report)
  if (isSkip(filtered)) return filtered
  startLookUp()
  const loop = await (early ?? findLoop(await compare, sources, step))
  return loop === undefined ? { ...filtered, sources } : skipLoop(loop, step)
}

export function renderChange(change: Compared | undefined, exempt: Change['exempt'], step: Facts): ChangeFacts {
  const { context, inputs } = step
  const { changeContext: level } = inputs
  // The prompt of a command already quotes the comment and what it is about.
  const event = inputs.command === '' ? eventSection(context.event, context.repository) : undefined
  const source = change?.pullRequest && pullRequestSection(change.pullRequest, context.serverUrl)
  const wanted = level === 'none' ? [] : [event, source, change && changeSection({ ...change, exempt }, level)]
  const sections = wanted.filter((section) => section !== undefined)
  const rendered = sections.length === 0 ? undefined : renderSections(sections, MAX_CONTEXT_BYTES)
  return { promptContext: rendered?.text ?? '', added: rendered?.description, compared: change }
}
