/** Renders a report as the job summary: the answer, who is needed, the prompts and the weeks, with foreign text escaped. */
import type { Conclusion } from '../action/step.ts'
import { capitalize, formatCount, joinWords } from '../text/format.ts'
import { escapeHtml, formatSentences, grid, heading, inlineCode, joinBlocks, linked } from '../text/markdown.ts'
import { oneLine } from '../text/untrusted.ts'
import type { AgentPullRequest, Counts, Numbers, PromptGroup } from './numbers.ts'
import { formatHours, type Report, STATES } from './report.ts'

/** The answer, what needs attention, and the prompts fit on the first screen. */
const MAX_WAITING = 10
const MAX_PROMPTS = 4
const MAX_TITLE_CHARS = 60
const MAX_NAME_CHARS = 50

const quote = (text: string, maxChars: number): string => inlineCode(oneLine(text, maxChars))

const formatMore = (count: number, what: string): string =>
  count > 0 ? `And ${formatCount(count, `more ${what}`)}, in the output \`result\`.` : ''

function renderWaiting({ waiting }: Numbers): readonly string[] {
  const rows = waiting
    .slice(0, MAX_WAITING)
    .map(({ pull: { number, url, title, asked }, why, to_do }) => [
      `${linked({ text: `\`#${number}\``, url })} ${quote(title, MAX_TITLE_CHARS)}`,
      capitalize(why),
      capitalize(to_do),
      joinWords(asked.map((name) => quote(name, MAX_NAME_CHARS))) || 'nobody',
    ])
  if (rows.length === 0) return []
  const table = grid(['Pull request', 'Why', 'What to do', 'Asked for a review'], rows)
  return ['### What needs attention', table, formatMore(waiting.length - rows.length, 'pull request')]
}

/** The cells of a table: each formats one fact. */
type Cells<T> = Readonly<Record<string, (of: T) => string>>

const COUNTS: Cells<Counts> = {
  Opened: ({ opened }) => String(opened),
  ...Object.fromEntries(STATES.map(([state, name]) => [capitalize(name), (counts) => String(counts[state])])),
}

const toDay = (iso: string): string => iso.slice(0, 'YYYY-MM-DD'.length)
const formatPercent = (share: number | undefined): string => (share === undefined ? '?' : `${Math.round(100 * share)}%`)

const ifComparable =
  (format: (group: PromptGroup) => string) =>
  (group: PromptGroup): string =>
    group.comparable ? format(group) : 'too few to compare'

const PROMPT_ROWS: Cells<PromptGroup> = {
  'In use': ({ first, last }) => [...new Set([first, last].map(toDay))].join(' to '),
  'Merged without edits, of all that ended': ifComparable(({ opened, open, merged_as_opened }) =>
    formatPercent(merged_as_opened / (opened - open)),
  ),
  "The agent's lines that were merged": ifComparable(({ kept_lines }) => formatPercent(kept_lines)),
  'Median time to merge': ifComparable(({ hours_to_merge: hours }) => (hours === undefined ? '?' : formatHours(hours))),
  ...COUNTS,
  'Follow-up prompts': ({ follow_ups = '?' }) => String(follow_ups),
  'Failed checks sent back': ({ rounds = '?' }) => String(rounds),
  'Of these two, without a change': ({ unchanged = '?' }) => String(unchanged),
}

function formatPrompt({ prompt, file }: PromptGroup): string {
  if (prompt === undefined) return 'Not known'
  const name = prompt === 'command' ? 'Comments with a command' : inlineCode(prompt)
  return file === undefined ? name : `${quote(file, MAX_TITLE_CHARS)} ${name}`
}

/** One column for each prompt, so that two of them stand beside each other. */
function renderPrompts({ prompts }: Numbers): readonly string[] {
  if (prompts.every(({ prompt }) => prompt === undefined)) return []
  const shown = prompts.slice(0, MAX_PROMPTS)
  const rows = Object.entries(PROMPT_ROWS).map(([name, format]) => [name, ...shown.map(format)])
  return [
    '### By prompt',
    'Each version of the prompt has a column, named by a hash of its text. The newest is first.',
    grid(['', ...shown.map(formatPrompt)], rows, { isOfNumbers: true }),
    formatMore(prompts.length - MAX_PROMPTS, 'prompt'),
  ]
}

function renderWeeks({ weeks }: Numbers): readonly string[] {
  const rows = weeks.map((week) => [week.week, ...Object.values(COUNTS).map((format) => format(week))])
  const table = grid(['From Monday', ...Object.keys(COUNTS)], rows, { isOfNumbers: true })
  return ['### By the week in which they were opened', table]
}

const NOT_COUNTED =
  'Not counted, because nothing on GitHub shows them: runs in which the agent opened no pull request, and pull requests whose label was removed or renamed. Where its history comment is missing, the prompt of a pull request is not known.'
const UNREAD_CHECKS =
  'Checks could not be read: they need `checks: read` and `statuses: read` under `permissions` of the job.'

function getIcon({ numbers, work }: Report, isGreen: boolean): string {
  if (!isGreen) return '❌'
  return work?.gap !== undefined || (numbers?.waiting.length ?? 0) > 0 ? '⚠️' : '✅'
}

/** The job summary, as Markdown for GitHub. */
export function renderReportSummary(report: Report, { isGreen, title, text, advice }: Conclusion): string {
  const { prRepository, isRehearsal, work, numbers } = report
  const parts = ['Docs report', prRepository && quote(prRepository, 100)]
  const isOpen = ({ endedAt }: AgentPullRequest): boolean => endedAt === undefined
  const hasUnreadChecks = work?.pullRequests.some((one) => isOpen(one) && one.hasFailedChecks === undefined)
  return joinBlocks([
    heading(getIcon(report, isGreen), escapeHtml(title), parts, isRehearsal),
    formatSentences(text),
    advice && `**What to do:** ${formatSentences(advice)}`,
    ...(numbers ? [...renderWaiting(numbers), ...renderPrompts(numbers), ...renderWeeks(numbers), NOT_COUNTED] : []),
    hasUnreadChecks === true ? UNREAD_CHECKS : '',
  ])
}
