/**
 * Examines the change that started the run: whether it counts, what the prompt says about it, and who wrote and approved it.
 * Hides the order of the requests about its range, commits, files and pull requests.
 */
import { requireGitHub } from '../../action/step.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import { failsForAll } from '../../github/github-error.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { ActionError, orNotSent, asExpectedError } from '../../runtime/errors.ts'
import { formatCount, joinSentences, joinWords } from '../../text/format.ts'
import { quoteName, quoteNames } from '../../text/markdown.ts'
import { type AgentInputs, formatGrant, GITHUB_RETRY_HINT } from '../inputs.ts'
import type { Acts, Facts, Reads } from '../record.ts'
import { filterFiles, findFolderPatterns, warnOfFolders } from '../path-filter.ts'
import { isSkip, type Skip, skip } from '../skip.ts'
import {
  changeSection,
  eventSection,
  formatNumbers,
  isEmpty,
  MAX_CONTEXT_BYTES,
  pullRequestSection,
  renderSections,
} from '../prompt.ts'
import { type ChangeRange, findChangeRange } from './change-range.ts'
import {
  type Compared,
  compareWanted,
  compareWithFallback,
  type FoundChange,
  isChangeWanted,
  noticeMovedBase,
  assertRangeAllowed,
} from './compare-range.ts'
import { type EventOrigin, findEventOrigin } from './event-origin.ts'
import { checkPayload, findLoop, type LoopReason, needsRange } from './own-changes.ts'
import {
  type ChangeCommit,
  listEventCommits,
  mergeCommits,
  createPullRequestLookup,
  type PullRequestLookup,
  type SourcePullRequest,
} from './sources.ts'

/** What is known about the change that started the run. */
export interface ChangeFacts {
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

/** A person who comments or reviews requests the work, whatever the change is. */
const REQUEST_EVENT_KINDS: readonly string[] = ['comment', 'review', 'issue']

/** Whether the pull requests of the event are the change, instead of the commits of a range. */
const isOfEvent = ({ numbers }: EventOrigin, { context: { event }, inputs }: Facts): boolean =>
  inputs.changeRange.kind === 'event' && (numbers.length > 0 || event.kind === 'pull-request')

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
async function filterByPaths(found: FoundChange, step: Reads): Promise<Filtered> {
  const { paths } = step.inputs
  if ('reason' in found) return { description: `Nothing to compare: ${found.reason}.` }
  const { files, fileList, title, totalCommits, unlisted } = found
  const fileCount = `${fileList === 'complete' ? '' : 'at least '}${formatCount(files.length, 'file')}`
  const counts = isEmpty(found) ? 'No commits' : `${formatCount(totalCommits, 'commit')}, ${fileCount}`
  const compared = `${counts}: ${title}.`
  if (paths.length === 0) return { description: compared, change: found }

  const matching = await filterFiles(paths, files, step)
  const folders = await findFolderPatterns('paths', paths, files, step)
  const isSkipped = matching.length === 0 && unlisted === undefined
  // A mistake in a line that excludes files cannot be the reason why no file matches.
  const mistakes = folders.filter(({ effect }) => isSkipped && effect === 'include')
  warnOfFolders(mistakes.length > 0 ? [] : folders, step)
  const change = { ...found, files: matching, isFiltered: true }
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
    skipReason: isEmpty(found) ? NO_COMMITS : 'No changed file matches `paths`.',
    mistakes: mistakes.map(({ sentence }) => sentence),
  }
}

/** Explains why the event itself contains no change. The range may still look back to earlier changes. */
function explainNoChange(range: ChangeRange): string | undefined {
  const own = range.kind === 'since-last-success' ? range.fallback : range
  return own?.kind === 'nothing-changed' ? `Nothing changed: ${own.reason}.` : undefined
}

/** Skips events without a change and runs that the payload shows to be the agent's own work, before any request. */
function checkEvent(range: ChangeRange, step: Acts): Skip | undefined {
  const noChange = explainNoChange(range)
  if (noChange !== undefined && (range.kind === 'nothing-changed' || !isChangeWanted(step.inputs)))
    return skip(noChange)
  const loop = checkPayload(step)
  return loop && skipLoop(loop, step)
}

/**
 * Logs and records the compared change, and skips the step if it is empty or its files do not count.
 * @throws ActionError `invalid-input` if no file matches `paths` because of a mistake in it
 */
async function readFiltered(
  found: FoundChange | undefined,
  range: ChangeRange,
  step: Acts,
): Promise<Partial<Filtered> | Skip> {
  if (found === undefined) return {}
  const filtered = await filterByPaths(found, step)
  const { change, description, skipReason, mistakes = [] } = filtered
  step.runner.log(description)
  if (change !== undefined) step.record.add({ change: description })
  if (mistakes.length > 0)
    throw new ActionError('invalid-input', joinSentences(mistakes), {
      hint: 'Nothing was sent. Correct the `with:` block of this step.',
    })
  const isNothing = change === undefined || change.relation === 'identical'
  const reason = (isNothing ? explainNoChange(range) : undefined) ?? skipReason
  return reason === undefined ? filtered : skip(reason)
}

const UNKNOWN_LABELS = 'Could not determine which pull requests `skip-labels` exempts'

const isExempt = ({ labels }: Pick<SourcePullRequest, 'labels'>, { inputs }: Facts): boolean =>
  inputs.skipLabels.some((label) => hasLabel(label, labels))

function explainExempt(numbers: readonly number[], repository: string, { context }: Facts): string {
  const isHere = isSameRepository(repository, context.repository)
  const list = isHere
    ? formatNumbers(numbers)
    : formatNumbers(numbers, (number) => quoteName(`${repository}#${number}`))
  return `Every pull request of the change has a label from \`skip-labels\`: ${list}.`
}

/** Returns the commits of a change, newest first. */
function listChangeCommits(compared: Compared | undefined, { context }: Facts): readonly ChangeCommit[] {
  const ofEvent = listEventCommits(context)
  return compared === undefined ? ofEvent : mergeCommits(compared.commits, ofEvent)
}

/** What `skip-labels` exempts. */
interface Exemption {
  readonly numbers: readonly number[]
  /** Whether it exempts the whole change. */
  readonly isComplete: boolean
}

const NOT_EXEMPT: Exemption = { numbers: [], isComplete: false }

/**
 * Finds the pull requests of the change that have a label from `skip-labels`. A pull request that `change-range` names is sent
 * regardless of its labels, and so is the change of a comment.
 * @throws ActionError if a request to GitHub fails
 */
async function findExemption(
  compared: Compared | undefined,
  sources: PullRequestLookup,
  step: Reads,
): Promise<Exemption> {
  const { context, inputs } = step
  const { event, repository } = context
  const origin = findEventOrigin(context)
  if (inputs.skipLabels.length === 0 || inputs.changeRange.kind === 'pull-request') return NOT_EXEMPT
  if (REQUEST_EVENT_KINDS.includes(event.kind)) return NOT_EXEMPT
  if (event.kind === 'pull-request' && isOfEvent(origin, step))
    return isExempt(event.subject, step) ? { numbers: [event.subject.number], isComplete: true } : NOT_EXEMPT
  const found: SourcePullRequest[] = []
  let isComplete = true
  if (isOfEvent(origin, step)) {
    const github = requireGitHub(step)
    found.push(...(await Promise.all(origin.numbers.map((number) => github.readPullRequest({ repository, number })))))
  } else {
    const commits = listChangeCommits(compared, step)
    for (const commit of commits) {
      const merged = (await sources.find(commit, commits)).filter(({ state }) => state === 'merged')
      found.push(...merged)
      isComplete &&= merged.length > 0
    }
    // A commit that GitHub does not list may come from any pull request.
    isComplete &&=
      compared !== undefined && compared.commits.length === compared.totalCommits && compared.unlisted === undefined
  }
  const exempt = new Set(found.filter((pullRequest) => isExempt(pullRequest, step)).map(({ number }) => number))
  const numbers = [...exempt].toSorted((a, b) => a - b)
  return { numbers, isComplete: isComplete && found.length > 0 && found.every(({ number }) => exempt.has(number)) }
}

/** Records why the loop guard skips the step, and returns the reason. */
function skipLoop({ title, text }: LoopReason, { record }: Acts): Skip {
  record.notice(title, text)
  return skip(text)
}

/**
 * Examines the change that started the run: skips the agent's own work and changes that do not count, and renders the rest for
 * the prompt.
 * @param startLookUp called when the step will probably send a prompt: work for it can run beside the look-ups. With `paths` that
 *   is after the comparison, because most changes may not match
 * @throws ActionError `cancelled`, `not-sent`, `invalid-input`
 */
export async function resolveChange(step: Acts, startLookUp = (): void => undefined): Promise<ChangeFacts | Skip> {
  const { context, inputs } = step
  const { command, task, changeRange, paths } = inputs
  // Attaching to a job sends no prompt, so it does not depend on a change.
  if (command === '' && task.kind === 'attach') return { promptContext: '' }
  const range = findChangeRange(context, changeRange)
  const ofEvent = checkEvent(range, step)
  if (ofEvent !== undefined) return ofEvent
  assertRangeAllowed(range, step)
  noticeMovedBase(range, step)
  if (paths.length === 0) startLookUp()

  const compare = isChangeWanted(inputs) || needsRange(step) ? compareWanted(range, step) : undefined
  const sources = createPullRequestLookup(context.repository, step)
  // The event has all commits of a push, so that the look-up need not wait for the comparison, unless `paths` may skip the step.
  const isEarly = paths.length === 0 && context.event.kind === 'push' && changeRange.kind === 'event'
  const early = isEarly ? findLoop(undefined, sources, step) : undefined
  early?.catch(() => undefined)
  const filtered = await readFiltered(await compare, range, step)
  if (isSkip(filtered)) return filtered
  startLookUp()
  const loop = await (early ?? findLoop(await compare, sources, step))
  return loop === undefined ? applyExemption(filtered, sources, step) : skipLoop(loop, step)
}

/** Skips a change that `skip-labels` exempts, and renders any other one for the prompt. */
async function applyExemption(
  { change, description }: Partial<Filtered>,
  ofRun: PullRequestLookup,
  step: Acts,
): Promise<ChangeFacts | Skip> {
  const { repository } = step.context
  const isHere = change === undefined || isSameRepository(change.repository, repository)
  const sources = isHere ? ofRun : createPullRequestLookup(change.repository, step)
  const find = () => findExemption(change, sources, step)
  const { numbers, isComplete } = await orNotSent(
    UNKNOWN_LABELS,
    find,
    GITHUB_RETRY_HINT,
    isHere ? formatGrant(step.inputs) : undefined,
  )
  if (isComplete) return skip(explainExempt(numbers, change?.repository ?? repository, step))
  if (description !== undefined) step.record.add({ change: description })
  return { ...renderChange(change, numbers, step), sources, exempt: numbers }
}

function renderChange(change: Compared | undefined, exempt: readonly number[], step: Facts): ChangeFacts {
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

/** Logs what is added to the prompt, once it is known that a prompt is sent. */
export function recordAdded({ added }: ChangeFacts, { record, runner }: Acts): void {
  if (added === undefined) return
  runner.log(added)
  record.add({ change: joinSentences([record.read().change, added]) })
}

// Finds out who wrote and approved a change, and which pull requests it came from. Only `compareForPeople` is called before the
// prompt is sent. The other functions are called after the first turn has ended.

const UNKNOWN_PEOPLE =
  'Could not determine who wrote or approved the change, so no review was requested from these people'

/**
 * Compares the range if the inputs request reviews from its authors or approvers, and the range was not compared before.
 * @throws ActionError `cancelled`
 */
export async function compareForPeople(change: ChangeFacts, step: Acts): Promise<ChangeFacts> {
  const { context, inputs, record } = step
  const { hasAuthors, hasApprovers } = inputs.reviewers
  const isNeeded = hasAuthors || (hasApprovers && !isOfEvent(findEventOrigin(context), step))
  if (change.compared !== undefined || !isNeeded) return change
  const range = findChangeRange(context, inputs.changeRange)
  const found = await record.orWarn(UNKNOWN_PEOPLE, () => compareWithFallback(range, step))
  return found === undefined || 'reason' in found ? change : { ...change, compared: found }
}

/** At the same time, so that a long list does not delay the end of the step. */
const MAX_PARALLEL_LOOK_UPS = 8

/** Says what follows if not every source of a change is known. */
function describeUnknownSources({ label, reviewers }: AgentInputs): string {
  const effects = [
    ...(label === '' ? [] : ['the history may not name all of them']),
    ...(reviewers.hasApprovers
      ? ['some people who approved these pull requests may not have been asked for a review']
      : []),
  ]
  return `Could not determine all pull requests that the change came from, so ${joinWords(effects)}`
}

/**
 * Lists the merged pull requests that a change came from, newest first. If GitHub fails, or there are too many look-ups, that is
 * reported, and the others are listed.
 * @throws ActionError `cancelled`
 */
export async function listSources(change: ChangeFacts, step: Acts): Promise<readonly PullRequestAddress[]> {
  const { context } = step
  const { repository, event } = context
  const { compared, sources } = change
  const origin = findEventOrigin(context)
  if (compared?.pullRequest !== undefined) return [compared.pullRequest]
  if (isOfEvent(origin, step))
    return origin.numbers.map((number) => ({ repository, number, visibility: event.visibility }))
  if (sources === undefined || REQUEST_EVENT_KINDS.includes(event.kind)) return []
  const name = compared?.repository ?? repository
  const place = { repository: name, visibility: isSameRepository(name, repository) ? event.visibility : undefined }
  const commits = listChangeCommits(compared, step)
  let problem: ActionError | undefined
  const find = (commit: ChangeCommit): Promise<readonly SourcePullRequest[]> =>
    sources.find(commit, commits).catch((error: unknown) => {
      problem ??= asExpectedError(error)
      return []
    })
  /** A pull request of the agent is no reason for its next one. */
  const isOwn = ({ author, labels }: SourcePullRequest): boolean =>
    author.type === 'Bot' && hasLabel(step.inputs.label, labels)
  const numbers = new Set<number>()
  for (let at = 0; at < commits.length; at += MAX_PARALLEL_LOOK_UPS) {
    const batch = commits.slice(at, at + MAX_PARALLEL_LOOK_UPS)
    for (const source of (await Promise.all(batch.map(find))).flat())
      if (source.state === 'merged' && !isOwn(source)) numbers.add(source.number)
  }
  if (problem !== undefined) step.record.warn(describeUnknownSources(step.inputs), problem)
  return [...numbers].map((number) => ({ ...place, number }))
}

/** Each pull request costs one or two requests, to find out who approved or merged it. */
const MAX_APPROVED = 10

/** Returns the logins of the people who wrote the commits, most commits first. In a tie, the author of the newest commit wins. */
export function rankAuthors(commits: readonly ComparedCommit[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { account } of commits.toReversed())
    if (account?.type === 'User' && account.login !== '')
      counts.set(account.login, (counts.get(account.login) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

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
async function findApprovers(sources: readonly PullRequestAddress[], step: Acts): Promise<readonly string[]> {
  const { record } = step
  const counts = new Map<string, number>()
  await record.orWarn(UNKNOWN_APPROVERS, async () => {
    const github = requireGitHub(step)
    for (const source of sources.slice(0, MAX_APPROVED)) {
      try {
        for (const login of await readApprovers(source, github)) counts.set(login, (counts.get(login) ?? 0) + 1)
      } catch (caught) {
        const error = asExpectedError(caught)
        if (failsForAll(error)) throw error
        record.warn(`Could not determine who approved pull request #${source.number}, to request a review`, error)
      }
    }
  })
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

/**
 * Returns the logins of the people whose reviews the inputs request because they approved or wrote the change: approvers first.
 * @throws ActionError `cancelled`
 */
export async function findPeople(
  change: ChangeFacts,
  sources: readonly PullRequestAddress[],
  step: Acts,
): Promise<readonly string[]> {
  const { hasAuthors, hasApprovers } = step.inputs.reviewers
  const approvers = hasApprovers ? await findApprovers(sources, step) : []
  return [...approvers, ...(hasAuthors ? rankAuthors(change.compared?.commits ?? []) : [])]
}
