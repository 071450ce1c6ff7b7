/** Renders a report as the job summary: the answer, who is needed, the prompts and the weeks, with foreign text escaped. */
import type { Conclusion } from '../action/step.ts'
import { formatCount, joinWords } from '../text/format.ts'
import { escapeHtml, formatSentences, grid, heading, inlineCode, joinBlocks, linked } from '../text/markdown.ts'
import { oneLine } from '../text/untrusted.ts'
import type { Counts, PromptGroup } from './numbers.ts'
import { formatHours, listWaiting, type Report } from './report.ts'

/** The answer, what needs somebody, and the prompts fit on the first screen. */
const MAX_WAITING = 10
const MAX_PROMPTS = 4
const MAX_TITLE_CHARS = 60
const MAX_NAME_CHARS = 50

const quote = (text: string, maxChars: number): string => inlineCode(oneLine(text, maxChars))

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const formatMore = (count: number, what: string): string =>
  count > 0 ? `And ${formatCount(count, `more ${what}`)}, in the output \`result\`.` : ''

function renderWaiting(report: Report): readonly string[] {
  const waiting = listWaiting(report)
  const titles = new Map(report.work?.pullRequests.map(({ number, title }) => [number, title]))
  const rows = waiting
    .slice(0, MAX_WAITING)
    .map(({ number, url, why, toDo, asked }) => [
      `${linked({ text: `\`#${number}\``, url })} ${quote(titles.get(number) ?? '', MAX_TITLE_CHARS)}`,
      capitalize(why),
      capitalize(toDo),
      joinWords(asked.map((name) => quote(name, MAX_NAME_CHARS))) || 'nobody',
    ])
  if (rows.length === 0) return []
  const table = grid(['Pull request', 'Why', 'What to do', 'Asked for a review'], rows)
  return ['### What needs somebody', table, formatMore(waiting.length - rows.length, 'pull request')]
}

const COUNTS_HEAD = ['Opened', 'Merged as opened', 'Merged after edits', 'Closed', 'Open']

const listCounts = ({ opened, mergedAsOpened, mergedAfterEdits, closed, open }: Counts): readonly string[] =>
  [opened, mergedAsOpened, mergedAfterEdits, closed, open].map(String)

const toDay = (iso: string): string => iso.slice(0, 'YYYY-MM-DD'.length)
const formatPercent = (share: number | undefined): string => (share === undefined ? '?' : `${Math.round(100 * share)}%`)

function formatPrompt({ prompt, file }: PromptGroup): string {
  const name =
    prompt === undefined ? 'Not known' : prompt === 'command' ? 'Comments with a command' : inlineCode(prompt)
  return `${name}${file === undefined ? '' : `<br>${quote(file, MAX_TITLE_CHARS)}`}`
}

/** Lists the cells of a prompt, in the order of `PROMPT_ROWS`. */
function listCells(group: PromptGroup): readonly string[] {
  const { first, last, opened, open, mergedAsOpened, followUps, rounds, unchanged, keptLines, hoursToMerge } = group
  const rates = [
    formatPercent(mergedAsOpened / (opened - open)),
    formatPercent(keptLines),
    hoursToMerge === undefined ? '?' : formatHours(hoursToMerge),
  ]
  return [
    [...new Set([toDay(first), toDay(last)])].join(' to '),
    ...(group.comparable ? rates : rates.map(() => 'too few to compare')),
    ...listCounts(group),
    ...[followUps, rounds, unchanged].map((count) => String(count ?? '?')),
  ]
}

const RATES = [
  'Merged as opened, of those that have ended',
  'Lines of the agent kept in the merge',
  'Median time to merge',
]
const PROMPT_ROWS = ['Used', ...RATES, ...COUNTS_HEAD, 'Follow-ups', 'Fix rounds', 'Prompts that changed nothing']

/** One column for each prompt, so that two of them stand beside each other. */
function renderPrompts({ numbers }: Report): readonly string[] {
  const prompts = numbers?.prompts ?? []
  if (prompts.every(({ prompt }) => prompt === undefined)) return []
  const listed = prompts.slice(0, MAX_PROMPTS)
  const cells = listed.map(listCells)
  const rows = PROMPT_ROWS.map((name, row) => [name, ...cells.map((ofPrompt) => ofPrompt[row] ?? '')])
  const table = grid(['Prompt', ...listed.map(formatPrompt)], rows, { isOfNumbers: true })
  return ['### By prompt', table, formatMore(prompts.length - MAX_PROMPTS, 'prompt')]
}

function renderWeeks({ numbers }: Report): readonly string[] {
  const weeks = numbers?.weeks ?? []
  if (weeks.length < 2) return []
  const rows = weeks.map((week) => [week.week, ...listCounts(week)])
  const table = grid(['From Monday', ...COUNTS_HEAD], rows, { isOfNumbers: true })
  return ['### By the week in which they were opened', table]
}

/** What readers may miss. */
function renderUnknown({ work }: Report): string {
  if (work === undefined) return ''
  const isUnread = work.pullRequests.some(
    ({ endedAt, hasFailedChecks }) => endedAt === undefined && hasFailedChecks === undefined,
  )
  const grant =
    ' Checks could not be read: they need `checks: read` and `statuses: read` under `permissions` of the job.'
  return `Not counted, because GitHub does not show it: jobs that changed nothing and opened no pull request, and pull requests whose label was removed or renamed. Without its history comment, the prompt of a pull request is not known.${isUnread ? grant : ''}`
}

function getIcon(report: Report, isGreen: boolean): string {
  if (!isGreen) return '❌'
  return report.work?.gap !== undefined || listWaiting(report).length > 0 ? '⚠️' : '✅'
}

/** The job summary, as Markdown for GitHub. */
export function renderReportSummary(report: Report, { isGreen, title, text, advice }: Conclusion): string {
  const { prRepository, isRehearsal } = report
  const parts = ['Docs report', prRepository && quote(prRepository, 100)]
  return joinBlocks([
    heading(getIcon(report, isGreen), escapeHtml(title), parts, isRehearsal),
    formatSentences(text),
    advice && `**What to do:** ${formatSentences(advice)}`,
    ...renderWaiting(report),
    ...renderPrompts(report),
    ...renderWeeks(report),
    renderUnknown(report),
  ])
}
