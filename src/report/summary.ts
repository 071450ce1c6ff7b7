/** Renders a report as the job summary: first what needs attention, then the numbers, with foreign text escaped. */
import type { Conclusion } from '../action/step.ts'
import { formatCount, joinWords } from '../text/format.ts'
import { escapeHtml, formatSentences, grid, heading, inlineCode, joinBlocks, linked, table } from '../text/markdown.ts'
import { oneLine } from '../text/untrusted.ts'
import { type AgentPullRequest, countDaysOpen } from './numbers.ts'
import { listWaiting, type Report } from './report.ts'

/** More would hide the rest of the page. */
const MAX_ROWS = 100
const MAX_TITLE_CHARS = 100

/** Links to a pull request of the agent. */
const linkPullRequest = (number: number, { prRepository, serverUrl }: Report): string =>
  linked({ text: `\`#${number}\``, url: `${serverUrl}/${prRepository}/pull/${number}` })

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
  const isIncomplete = report.numbers?.completeSince !== undefined
  return isIncomplete || listWaiting(report).length > 0 ? '⚠️' : '✅'
}

/** The job summary, as Markdown for GitHub. */
export function renderReportSummary(report: Report, { isGreen, title, text, advice }: Conclusion): string {
  const { prRepository, isRehearsal } = report
  const place = ['Docs report', prRepository && inlineCode(oneLine(prRepository, MAX_TITLE_CHARS))]
  return joinBlocks([
    heading(getIcon(report, isGreen), escapeHtml(title), place, isRehearsal),
    formatSentences(text),
    advice && `**What to do:** ${formatSentences(advice)}`,
    ...renderWaiting(report),
    ...renderNumbers(report),
  ])
}
