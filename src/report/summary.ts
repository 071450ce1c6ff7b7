/** Renders a report as the job summary: first what needs attention, then the rest, with foreign text escaped. */
import type { Conclusion } from '../action/step.ts'
import { formatCount, joinWords } from '../text/format.ts'
import {
  escapeHtml,
  escapeSentence,
  formatSentences,
  grid,
  heading,
  inlineCode,
  joinBlocks,
  linked,
  table,
} from '../text/markdown.ts'
import { oneLine } from '../text/untrusted.ts'
import { type AgentPullRequest, countDaysOpen } from './numbers.ts'
import {
  describeVerdict,
  getTodo,
  type JudgedChange,
  listTodos,
  listWaiting,
  nameChange,
  nameRef,
  type Report,
} from './report.ts'

/** More would hide the rest of the page. */
const MAX_ROWS = 100
const MAX_TITLE_CHARS = 100

type Place = Pick<Report, 'repository' | 'prRepository' | 'serverUrl'>

/** Links to a pull request of the agent. */
const linkPullRequest = (number: number, { prRepository, serverUrl }: Place): string =>
  linked({ text: `\`#${number}\``, url: `${serverUrl}/${prRepository}/pull/${number}` })

function linkChange(change: JudgedChange, { repository, serverUrl }: Place): string {
  const { number, shas, title } = change
  const name = nameChange(change)
  const page = number === undefined ? `commit/${shas[0]}` : `pull/${number}`
  const link = name === '' ? '' : linked({ text: `\`${name}\``, url: `${serverUrl}/${repository}/${page}` })
  return `${link} ${inlineCode(oneLine(title, MAX_TITLE_CHARS))}`.trim()
}

/** Formats what happened to a change, with the reason. */
function formatVerdict({ verdict }: JudgedChange, place: Place): string {
  const { pullRequest, reason } = verdict
  const text = describeVerdict(verdict, pullRequest === undefined ? '' : linkPullRequest(pullRequest, place))
  return reason ? `${text}: ${escapeSentence(reason)}` : text
}

function renderRows(changes: readonly JudgedChange[], report: Report, hasTodo: boolean): string {
  const head = ['Change', 'What happened to it', ...(hasTodo ? ['Next step'] : [])]
  const rows = changes.slice(0, MAX_ROWS).map((change) => {
    const todo = hasTodo ? [escapeSentence(getTodo(change) ?? '')] : []
    return [linkChange(change, report), formatVerdict(change, report), ...todo]
  })
  const more = changes.length - MAX_ROWS
  return `${grid(head, rows)}${more > 0 ? `\n\n${formatCount(more, 'more change is', 'more changes are')} not shown.` : ''}`
}

function renderChanges(report: Report): readonly (string | undefined)[] {
  const { changes = [] } = report
  const todos = listTodos(report)
  const others = changes.filter((change) => !todos.includes(change))
  const name = formatCount(others.length, todos.length === 0 ? 'change' : 'other change')
  const isGuess = changes.some(({ verdict }) => verdict.kind === 'no-trace')
  return [
    ...(todos.length === 0 ? [] : ['### Needs attention', renderRows(todos, report, true)]),
    isGuess
      ? 'Only rows of history comments count. A run that was skipped, or a new job that changed nothing, leaves no trace.'
      : undefined,
    others.length === 0
      ? undefined
      : `<details><summary>${name}</summary>\n\n${renderRows(others, report, false)}\n\n</details>`,
  ]
}

function formatAsked({ asked }: AgentPullRequest): string {
  if (asked.length === 0) return 'nobody was asked'
  return `asked: ${joinWords(asked.map((name) => inlineCode(oneLine(name, 50))))}`
}

function renderWaiting(report: Report): readonly string[] {
  const waiting = listWaiting(report)
  if (waiting.length === 0) return []
  const { at = new Date(0) } = report
  const rows = waiting.slice(0, MAX_ROWS).map((pullRequest) => {
    const { number, title, state } = pullRequest
    const name = `${linkPullRequest(number, report)} ${inlineCode(oneLine(title, MAX_TITLE_CHARS))}`
    const days = `${formatCount(countDaysOpen(pullRequest, at), 'day')}${state === 'draft' ? ', a draft' : ''}`
    return [name, days, formatAsked(pullRequest)]
  })
  return ['### Waiting for a merge', grid(['Pull request', 'Open for', 'Review'], rows)]
}

/** `1 day 4 h`, `3 h` */
function formatHours(given: number): string {
  const hours = Math.round(given)
  const [days, rest] = [Math.floor(hours / 24), hours % 24]
  const parts = [days === 0 ? '' : formatCount(days, 'day'), rest === 0 ? '' : `${rest} h`]
  return parts.filter(Boolean).join(' ') || 'less than an hour'
}

const formatShare = (share: number | undefined): string => (share === undefined ? '' : ` (${Math.round(100 * share)}%)`)

function renderNumbers({ numbers, days = 0 }: Report): readonly string[] {
  if (numbers === undefined) return []
  const { opened, merged, mergedUnedited, mergedEdited, closed, open, waiting, turns, fixRounds } = numbers
  const failed = (count: number): string => (count === 0 ? '' : `, ${count} failed`)
  const unknown = merged - mergedUnedited - mergedEdited
  return [
    `### The agent's pull requests, last ${days === 1 ? 'day' : `${days} days`}`,
    table({
      Opened: String(opened),
      Merged: `${merged}${closed + merged === 0 ? '' : ` of ${closed + merged} that have ended${formatShare(numbers.mergedShare)}`}`,
      'Merged without edits': merged === 0 ? undefined : `${mergedUnedited}${formatShare(numbers.uneditedShare)}`,
      'Merged with later commits': merged === 0 ? undefined : String(mergedEdited),
      'Merged, commits not known': unknown === 0 ? undefined : String(unknown),
      'Closed without a merge': String(closed),
      Open: `${open}${waiting === 0 ? '' : `, ${waiting} for more than three days`}`,
      'Median time to merge':
        numbers.medianHoursToMerge === undefined ? undefined : formatHours(numbers.medianHoursToMerge),
      Turns: `${turns}${failed(numbers.failedTurns)}`,
      'Fix rounds': fixRounds === 0 ? undefined : `${fixRounds}${failed(numbers.failedFixRounds)}`,
    }),
  ]
}

function getIcon(report: Report, isGreen: boolean): string {
  if (!isGreen) return '❌'
  const isIncomplete = report.range === undefined || report.numbers?.completeSince !== undefined
  return isIncomplete || listTodos(report).length + listWaiting(report).length > 0 ? '⚠️' : '✅'
}

/** The job summary, as Markdown for GitHub. */
export function renderReportSummary(report: Report, { isGreen, title, text, advice }: Conclusion): string {
  const { repository, range, isRehearsal } = report
  const place = [
    'Docs report',
    repository && inlineCode(oneLine(repository, MAX_TITLE_CHARS)),
    range && escapeSentence(`${nameRef(range.base)} to ${nameRef(range.head)}`),
  ]
  return joinBlocks([
    heading(getIcon(report, isGreen), escapeHtml(title), place, isRehearsal),
    formatSentences(text),
    advice && `**What to do:** ${formatSentences(advice)}`,
    ...renderChanges(report),
    ...renderWaiting(report),
    ...renderNumbers(report),
  ])
}
