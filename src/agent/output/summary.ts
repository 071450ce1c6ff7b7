/** Renders the summary of a step. Hides its layout. */
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
  quoteName,
  quoteNames,
  table,
} from '../../text/markdown.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { AgentConclusion } from '../conclude.ts'
import { formatPullRequest } from '../words.ts'
import {
  getPullRequestFacts,
  getJob,
  getJobId,
  getLastReadJob,
  getOwnLink,
  getOwnTurn,
  isPullRequestRead,
  mayBeSent,
} from '../selectors.ts'
import { formatWarnings } from '../journal.ts'
import type { ChangedFiles, Run } from '../record.ts'

const MAX_PROMPT_BYTES = 32 * 1024

/** The prompt is the purpose of a dry run, so it may take up most of the summary. */
const MAX_PREVIEW_BYTES = 192 * 1024

const TASK_NAMES = { create: 'new job', 'follow-up': 'follow-up', attach: 'attached' } as const

const MAX_HEADING_NAME_CHARS = 40

/** Does not name the workflow job, because GitHub shows it above the summaries. */
function renderHeading(run: Run, conclusion: AgentConclusion): string {
  const { projectId, stepId, comment, isRehearsal } = run
  const { icon, title, outcome } = conclusion
  const name = (text: string): string => inlineCode(oneLine(text, MAX_HEADING_NAME_CHARS))
  const names = [projectId && name(projectId), stepId ? `step ${name(stepId)}` : undefined]
  const turn = getOwnTurn(run)
  // A step that was skipped, or ended before it chose a target, has no kind.
  const hasKind =
    turn !== undefined && outcome !== 'skipped' && (turn.task.kind !== 'create' || turn.startedAt !== undefined)
  if (!hasKind) return heading(icon, title, ['Docs agent', ...names], isRehearsal)
  const isContinued = turn.followUpReason !== undefined && (mayBeSent(turn) || turn.end === 'previewed')
  const origin = comment !== undefined ? ' from a comment' : isContinued ? ' on an open pull request' : ''
  return heading(icon, title, ['Docs agent', ...names, `${TASK_NAMES[turn.task.kind]}${origin}`], isRehearsal)
}

/** A long fact must leave room for the rest of the table. */
const MAX_FACT_CHARS = 300
const renderFact = (text: string): string => inlineCode(oneLine(text, MAX_FACT_CHARS))

/** Renders what started the run, the job, and facts that the sections above do not show. */
function renderFacts(run: Run, { text }: AgentConclusion): string {
  const { startedBy, change, warnings, durationMs } = run
  const { state, branch, outside = [] } = getPullRequestFacts(run)
  const [id, lastRead] = [getJobId(run), getLastReadJob(run)]
  const { repository, ref, model, createdAt } = getJob(run) ?? {}
  const at = ref === undefined ? '' : ` at ${renderFact(ref)}`
  return table({
    'Triggered by': startedBy && linked(startedBy),
    Change: change && escapeSentence(change),
    'Pull request': state && branch && `${state}, ${renderFact(branch)}`,
    'Last known state': isPullRequestRead(run) ? '' : escapeSentence(formatPullRequest(run)),
    'Outside of allowed-paths': limitRows(outside, (path) => [renderFact(path)]).join(', '),
    'Not done on GitHub': escapeSentence(formatWarnings(warnings, text) ?? ''),
    Job: id && inlineCode(id),
    Status: lastRead && renderFact(lastRead.unlistedStatus ?? lastRead.status),
    Repository: repository && `${renderFact(repository)}${at}`,
    Model: model && renderFact(model),
    Created: createdAt && renderFact(readableTime(createdAt)),
    'This step took': id && formatDuration(durationMs),
  })
}

/** Shows the date only in the first entry of a day. */
function renderTimeline({ timeline }: Run): string[] {
  let today = ''
  const rows = timeline.map(({ at, elapsedMs, event }) => {
    const [day = '', time = ''] = formatUtc(at).split(' ')
    const start = day === today ? time : `${day} ${time}`
    today = day
    return [start, formatDuration(elapsedMs), escapeSentence(event)]
  })
  return rows.length === 0 ? [] : ['### Timeline', grid(['UTC', 'After', 'What happened'], rows)]
}

function renderPrompt(run: Run, { outcome }: AgentConclusion): string {
  const task = getOwnTurn(run)?.task
  if (task === undefined || task.kind === 'attach' || task.prompt === '') return ''
  const fold = (maxBytes: number): string => foldedText('The prompt', task.prompt, maxBytes)
  const preview = outcome === 'previewed' ? fold(MAX_PREVIEW_BYTES) : undefined
  return preview !== undefined && Buffer.byteLength(preview) <= MAX_PREVIEW_BYTES ? preview : fold(MAX_PROMPT_BYTES)
}

/** Renders the job summary as GitHub Markdown: the result first, then the pull request, then the details. */
export function renderSummary(run: Run, conclusion: AgentConclusion): string {
  const { text, advice, quote, rounds } = conclusion
  return joinBlocks([
    renderHeading(run, conclusion),
    formatSentences(text),
    quote && `The service says: ${inlineCode(quote)}`,
    advice && `**What to do:** ${formatSentences(advice)}`,
    renderPullRequestHeading(run),
    ...renderFiles(run),
    renderChecks(run),
    ...rounds.flatMap(renderRound),
    renderFacts(run, conclusion),
    ...renderTimeline(run),
    renderPrompt(run, conclusion),
  ])
}

/** The maximum number of files, checks and paths. */
const MAX_ROWS = 20
const MAX_TITLE_CHARS = 200
const MAX_ROUND_PROMPT_BYTES = 16 * 1024

const PAGE = /\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|html?|ipynb)$/i

/** Sorts documentation before other files. */
export function sortPagesFirst(files: ChangedFiles['files']): ChangedFiles['files'] {
  return [...files.filter(({ path }) => PAGE.test(path)), ...files.filter(({ path }) => !PAGE.test(path))]
}

/** Returns the rows to show, and a row with the number of further ones. */
function limitRows<T>(
  items: readonly T[],
  toRow: (item: T) => readonly string[],
  count: (items: readonly T[]) => number = ({ length }) => length,
): (readonly string[])[] {
  const more = count(items.slice(MAX_ROWS))
  return [...items.slice(0, MAX_ROWS).map(toRow), ...(more > 0 ? [[`and ${more} more`]] : [])]
}

function renderPullRequestHeading(run: Run): string {
  const link = getOwnLink(run)
  if (link === undefined) return ''
  const { href, number, repository } = link
  const title = getPullRequestFacts(run).title ?? ''
  const reference = number === undefined || repository === undefined ? '' : `#${number} in ${repository}`
  const name = reference === '' ? 'Open the pull request' : `Pull request ${reference}`
  const text = title === '' ? name : `${inlineCode(oneLine(title, MAX_TITLE_CHARS))} ${reference}`
  return `### [${text.trim().replaceAll('_', '&#95;')}](${href})`
}

function renderFiles({ files: changed }: Run): string[] {
  if (changed === undefined || changed.files.length === 0) return []
  const { files, isComplete } = changed
  const count = `${isComplete ? '' : 'at least '}${formatCount(files.length, 'file')}`
  const addUp = (kind: 'additions' | 'deletions'): number => files.reduce((sum, file) => sum + file[kind], 0)
  const total = `+${addUp('additions')} −${addUp('deletions')}`
  const rows = limitRows(sortPagesFirst(files), ({ path, additions, deletions }) => [
    escapeSentence(quoteName(path)),
    `+${additions}`,
    `−${deletions}`,
  ])
  return [`**Changed by this step:** ${count}, ${total}`, grid([], rows)]
}

const RESULTS = { failure: '❌ failed', pending: '⏳ not finished', success: '✅ passed' } as const
const WORST_FIRST = ['failure', 'pending', 'success'] as const

function renderChecks(run: Run): string {
  const { checkList = [], ignoredChecks = [] } = getPullRequestFacts(run)
  const sorted = WORST_FIRST.flatMap((result) => checkList.filter(({ state }) => state === result))
  const getResult = (check: Check): string => {
    if (ignoredChecks.includes(check)) return '➖ ignored'
    return check.waitsForApproval === true ? '⏳ waits for approval' : RESULTS[check.state]
  }
  const toRow = (check: Check): string[] => [
    linked({ text: quoteName(check.name), url: check.detailsUrl }),
    getResult(check),
    check.tookMs === undefined ? '' : formatDuration(check.tookMs),
  ]
  return grid(['Check', 'Result', 'Time'], limitRows([...sorted, ...ignoredChecks], toRow, countChecks))
}

function renderRound({ failing = [], task, words }: AgentConclusion['rounds'][number], index: number): string[] {
  const names = quoteNames(failing.map(({ name }) => name))
  const sent = `**Round ${index + 1}:** ${escapeSentence(`sent ${names}; ${words}`)}`
  return task.kind === 'attach' ? [sent] : [sent, foldedText('What was sent', task.prompt, MAX_ROUND_PROMPT_BYTES)]
}
