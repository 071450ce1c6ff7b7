import type { Conclusion } from '../../action/step-result.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { type Check, countChecks } from '../../github/checks.ts'
import { formatCount, formatDuration, formatUtc, readableTime } from '../../text/format.ts'
import {
  foldedText,
  formatSentences,
  grid,
  heading,
  inlineCode,
  joinBlocks,
  linked,
  escapeSentence,
  quoted,
  someQuoted,
  table,
} from '../../text/markdown.ts'
import { oneLine } from '../../text/untrusted.ts'
import { formatWarnings } from './warnings.ts'
import { adviseAttaching, OUTCOME_RULES } from './outcomes.ts'
import { adviseOnPullRequest, formatPullRequest } from './pull-request-status.ts'
import type { Changes, Report } from './report.ts'
import {
  getError,
  getJob,
  getJobId,
  getLastReadJob,
  getOutcome,
  getOwnLink,
  getPullRequest,
  getRounds,
  getStepFollowUpReason,
  getStepProgress,
  getTask,
  isPullRequestInspected,
} from './step-end.ts'
import { formatEnd } from './turn-texts.ts'
import type { Turn } from './turn.ts'

const MAX_PROMPT_BYTES = 32 * 1024
/** The prompt is what a dry run is for, so it gets most of the summary's room. */
const MAX_PREVIEW_BYTES = 192 * 1024

const TASK_NAMES = { create: 'new job', 'follow-up': 'follow-up', attach: 'attached' } as const

/** In the heading. */
const MAX_HEADING_NAME_CHARS = 40

/** What kind of step it was; undefined for one that had nothing to do. */
function getKind(report: Report): string | undefined {
  const { comment } = report
  const [task, continued] = [getTask(report), getStepFollowUpReason(report)]
  if (task === undefined || getOutcome(report) === 'skipped') return undefined
  const origin = comment !== undefined ? ' from a comment' : continued === undefined ? '' : ' on an open pull request'
  return `${TASK_NAMES[task.kind]}${origin}`
}

/** GitHub shows the workflow job above all of its summaries. */
function renderHeading(report: Report, { isGreen, title }: Conclusion): string {
  const { projectId, stepId } = report
  const [green, red] = OUTCOME_RULES[getOutcome(report)].icons
  const icon = isGreen ? (adviseOnPullRequest(report) === undefined ? green : '⚠️') : red
  const name = (text: string): string => inlineCode(oneLine(text, MAX_HEADING_NAME_CHARS))
  const place = [projectId && name(projectId), stepId ? `step ${name(stepId)}` : undefined]
  return heading(icon, ['Docs agent', ...place, getKind(report)], title)
}

/** One that is too long would leave no room for what comes behind it. */
const MAX_FACT = 300
const renderFact = (text: string): string => inlineCode(oneLine(text, MAX_FACT))

/** Of a push. The change says how many commits there are in its range. */
const COMMIT_COUNT = /: \d+ commits?$/

/** What the sections before have not told, what started the run, and the job. */
function renderFacts(report: Report, { text }: Conclusion): string {
  const { startedBy, change, warnings, durationMs } = report
  const { state, branch, outside = [] } = getPullRequest(report)
  const [id, job, lastRead] = [getJobId(report), getJob(report), getLastReadJob(report)]
  const trigger = startedBy && {
    ...startedBy,
    text: startedBy.text.replace(change === undefined ? '' : COMMIT_COUNT, ''),
  }
  const ref = job?.ref === undefined ? '' : ` at ${renderFact(job.ref)}`
  return table({
    'Triggered by': trigger && linked(trigger),
    Change: change && escapeSentence(change),
    'Pull request': state && branch && `${state}, ${renderFact(branch)}`,
    'Last seen of it': isPullRequestInspected(report) ? '' : escapeSentence(formatPullRequest(report)),
    'Outside of allowed-paths': limitRows(outside, (path) => [renderFact(path)]).join(', '),
    'Not done on GitHub': escapeSentence(formatWarnings(warnings, text) ?? ''),
    Job: id && inlineCode(id),
    Status: lastRead && renderFact(lastRead.unlistedStatus ?? lastRead.status),
    Repository: job?.repository && `${renderFact(job.repository)}${ref}`,
    Model: job?.model && renderFact(job.model),
    Created: job?.createdAt && renderFact(readableTime(job.createdAt)),
    'This step took': id && formatDuration(durationMs),
  })
}

/** The day stands at its first entry. */
function renderTimeline({ timeline }: Report): string[] {
  let today = ''
  const rows = timeline.map(({ at, elapsedMs, event }) => {
    const [day = '', time = ''] = formatUtc(at).split(' ')
    const shown = day === today ? time : `${day} ${time}`
    today = day
    return [shown, formatDuration(elapsedMs), escapeSentence(event)]
  })
  return rows.length === 0 ? [] : ['### Time line', grid(['UTC', 'After', 'What happened'], rows)]
}

function renderPrompt(report: Report): string {
  const task = getTask(report)
  if (task === undefined || task.kind === 'attach' || task.prompt === '') return ''
  const fold = (maxBytes: number): string => foldedText('The prompt', task.prompt, maxBytes)
  const whole = getOutcome(report) === 'previewed' ? fold(MAX_PREVIEW_BYTES) : undefined
  return whole !== undefined && Buffer.byteLength(whole) <= MAX_PREVIEW_BYTES ? whole : fold(MAX_PROMPT_BYTES)
}

/** Only ids that were checked get in here. */
function renderInputs(id: string | undefined, ...more: readonly string[]): string {
  return ['```yaml', 'with:', `  job-id: ${id ?? ''}`, ...more, '```'].join('\n')
}

/** Whether the job has ended and takes another prompt. */
function isReadyForPrompt({ status }: Job): boolean {
  switch (status) {
    case 'completed':
    case 'failed':
      return true
    case 'active':
    case 'archived':
      return false
  }
}

/** What the job could do next. Nobody is to send more before it is known what became of this. */
function renderNextSteps(report: Report, { advice }: Conclusion): string[] {
  const [job, error, outcome] = [getJob(report), getError(report), getOutcome(report)]
  const attaching = adviseAttaching(report)
  if (attaching !== undefined)
    return attaching === advice ? [] : ['### What next', attaching, renderInputs(getJobId(report))]
  if (
    job === undefined ||
    !isReadyForPrompt(job) ||
    error !== undefined ||
    getStepProgress(report) === 'accepted' ||
    outcome === 'cancelled'
  )
    return []
  const more = '  prompt: Now do this as well.'
  return ['### What next', 'To tell the agent more, send a follow-up to this job:', renderInputs(job.id, more)]
}

/** The job summary, as Markdown for GitHub: the verdict first, then the pull request, then what led to it. */
export function renderSummary(report: Report, conclusion: Conclusion): string {
  const { text, advice } = conclusion
  const quote = getError(report)?.quote
  return joinBlocks([
    renderHeading(report, conclusion),
    formatSentences(text),
    quote && `The service says: ${inlineCode(quote)}`,
    advice && `**What to do:** ${formatSentences(advice)}`,
    advice && advice === adviseAttaching(report) ? renderInputs(getJobId(report)) : '',
    ...renderPullRequest(report),
    renderFacts(report, conclusion),
    ...renderTimeline(report),
    renderPrompt(report),
    ...renderNextSteps(report, conclusion),
  ])
}

/** So many files, checks and paths are named. */
const MAX_ROWS = 20
const MAX_TITLE = 200
const MAX_ROUND_PROMPT_BYTES = 16 * 1024

const PAGE = /\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|html?|ipynb)$/i

/** The files as they are shown, documentation first. */
export function pagesFirst(files: Changes['files']): Changes['files'] {
  return [...files.filter(({ path }) => PAGE.test(path)), ...files.filter(({ path }) => !PAGE.test(path))]
}

/** The rows that are shown, and how many more there are. */
function limitRows<T>(
  items: readonly T[],
  toRow: (item: T) => readonly string[],
  count: (items: readonly T[]) => number = ({ length }) => length,
): (readonly string[])[] {
  const more = count(items.slice(MAX_ROWS))
  return [...items.slice(0, MAX_ROWS).map(toRow), ...(more > 0 ? [[`and ${more} more`]] : [])]
}

function renderPullRequestHeading(report: Report): string {
  const link = getOwnLink(report)
  if (link === undefined) return ''
  const { href, number, repository } = link
  const title = getPullRequest(report).title ?? ''
  const place = number === undefined || repository === undefined ? '' : `#${number} in ${repository}`
  const name = place === '' ? 'Open the pull request' : `Pull request ${place}`
  const text = title === '' ? name : `${inlineCode(oneLine(title, MAX_TITLE))} ${place}`
  return `### [${text.trim().replaceAll('_', '&#95;')}](${href})`
}

function renderFiles({ changes }: Report): string[] {
  if (changes === undefined || changes.files.length === 0) return []
  const { files, isComplete: isWhole } = changes
  const count = `${isWhole ? '' : 'at least '}${formatCount(files.length, 'file')}`
  const addUp = (what: 'additions' | 'deletions'): number => files.reduce((sum, file) => sum + file[what], 0)
  const total = `+${addUp('additions')} −${addUp('deletions')}`
  const rows = limitRows(pagesFirst(files), ({ path, additions, deletions }) => [
    escapeSentence(quoted(path)),
    `+${additions}`,
    `−${deletions}`,
  ])
  return [`**Changed by this step:** ${count}, ${total}`, grid([], rows)]
}

const RESULTS = { failure: '❌ failed', pending: '⏳ not finished', success: '✅ passed' } as const
const WORST_FIRST = ['failure', 'pending', 'success'] as const

function renderChecks(report: Report): string {
  const { checkList = [] } = getPullRequest(report)
  const sorted = WORST_FIRST.flatMap((wanted) => checkList.filter(({ state }) => state === wanted))
  const toRow = ({ name, state, waitsForApproval, tookMs, detailsUrl: url }: Check): string[] => [
    linked({ text: quoted(name), url }),
    waitsForApproval === true ? '⏳ waits for approval' : RESULTS[state],
    tookMs === undefined ? '' : formatDuration(tookMs),
  ]
  return grid(['Check', 'Result', 'Time'], limitRows(sorted, toRow, countChecks))
}

function renderRound(turn: Turn, index: number): string[] {
  const { failing = [], task } = turn
  const names = someQuoted(failing.map(({ name }) => name))
  const sent = `**Round ${index + 1}:** ${escapeSentence(`sent ${names}; ${formatEnd(turn)}`)}`
  return task.kind === 'attach' ? [sent] : [sent, foldedText('What was sent', task.prompt, MAX_ROUND_PROMPT_BYTES)]
}

/** The pull request by its title, what the step has changed in it, its checks, and each round; empty for what is not known. */
function renderPullRequest(report: Report): string[] {
  return [
    renderPullRequestHeading(report),
    ...renderFiles(report),
    renderChecks(report),
    ...getRounds(report).rounds.flatMap(renderRound),
  ]
}
