/** The result of an export, from which log, outputs, summary and exit code derive. */
import { type Conclusion, MISSING_KEY } from '../action/step.ts'
import { type ActionError, ERROR_TITLES } from '../runtime/errors.ts'
import { capitalize, formatCount, formatDuration, joinSentences } from '../text/format.ts'
import { escapeHtml, grid, heading, inlineCode, joinBlocks, table } from '../text/markdown.ts'
import { oneLine, takeFitting, toOutputJson } from '../text/untrusted.ts'
import type { PeriodComparison } from './comparison.ts'
import { describeRange } from './date-range.ts'
import type { VisitorRow, VisitorsInputs, VisitorTotals } from './inputs.ts'
import { SHOWN_PATH_LENGTH } from './visitor-list.ts'

/** The endings of a step. Only the first two leave a file. */
export const ENDINGS = ['complete', 'uncertain', 'cancelled', 'skipped', 'error'] as const
export type Ending = (typeof ENDINGS)[number]

/**
 * Everything that the step knows at its end. Log, outputs, summary and exit code are derived from it alone. Has no inputs if
 * they are invalid.
 */
export interface ExportReport extends Partial<Pick<VisitorsInputs, 'projectId' | 'range'>> {
  readonly ending: Ending
  readonly totals: VisitorTotals | undefined
  /** How many rows were read. */
  readonly rows: number
  readonly topPages: readonly VisitorRow[]
  /** Why the file may be incomplete, as full sentences. */
  readonly doubts: string
  /** The file's path in the workspace; undefined if there is no file. */
  readonly file?: string
  /** Undefined if none was requested, or there is no file. */
  readonly comparison?: PeriodComparison | undefined
  readonly durationMs: number
  readonly isRehearsal?: boolean | undefined
  /** The cause of the ending `error`. The error of a file has no code and no quote. */
  readonly error?: (Pick<ActionError, 'message' | 'hint'> & Partial<Pick<ActionError, 'code' | 'quote'>>) | undefined
}

/** Separates thousands. `toLocaleString` would load the locale data of Node.js, which takes 6 MiB of memory. */
export const formatNumber = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** Such as `12%` and, below ten, `1.2%`. */
function formatPercent(now: number, before: number): string {
  const percent = (100 * Math.abs(now - before)) / before
  return `${formatNumber(percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent))}%`
}

/**
 * Describes how a number differs from the number before, such as `That is 12% more than the 30 days before.`
 * @param name of the preceding period, for the middle of a sentence
 */
export function describeChange(now: number, before: number, name: string): string {
  if (now === before) return `That is as many as ${name}.`
  if (before === 0) return `${capitalize(name)} had none.`
  return `That is ${formatPercent(now, before)} ${now > before ? 'more' : 'fewer'} than ${name}.`
}

/** The file name may come from an event, and this text is rendered as Markdown. */
function describeFile({ rows, file = '' }: ExportReport): string {
  const name = /^[\w./ -]+$/.test(file) ? `\`${file}\`` : 'the file of `output-file`'
  return `${formatCount(rows, 'row')} ${rows === 1 ? 'was' : 'were'} written to ${name}.`
}

/** `1,545 visitors (791 people, 767 AI agents)` */
function describeTotals({ totals }: ExportReport): string {
  if (totals === undefined) return 'The visitors were exported'
  const count = (many: number, one: string, more?: string): string =>
    formatCount(many, one, more).replace(/^\d+/, formatNumber(many))
  const parts = [count(totals.human, 'person', 'people'), count(totals.ai, 'AI agent')]
  return `${count(totals.total, 'visitor')} (${parts.join(', ')})`
}

interface EndingWords {
  readonly icon: string
  /** An error with a code has its own title. */
  readonly title: string | ((report: ExportReport) => string)
  readonly text: (report: ExportReport) => string
  /** An error brings its own. */
  readonly advice?: string
}

const ENDING_WORDS: Readonly<Record<Ending, EndingWords>> = {
  complete: { icon: '✅', title: describeTotals, text: describeFile },
  uncertain: {
    icon: '⚠️',
    title: (report) => `${describeTotals(report)}, but the numbers changed during the export`,
    text: (report) => `${describeFile(report)} ${report.doubts}`,
    advice:
      'If all days of the range are over, export them again. Otherwise set `days`, or a `date-to` that is not in the future.',
  },
  cancelled: { icon: '🛑', title: 'Cancelled', text: () => 'The run was cancelled, so no file was written.' },
  skipped: { icon: '⏭️', title: MISSING_KEY.title, text: () => MISSING_KEY.text },
  error: {
    icon: '❌',
    title: 'The export failed',
    text: ({ error, rows }) =>
      joinSentences([
        error?.message,
        rows > 0 ? `${formatCount(rows, 'row')} had been read. No file was written.` : undefined,
      ]),
  },
}

/** A step is green if it left a file with all rows of the service, or the inputs allow it to skip. */
export function concludeExport(report: ExportReport): Conclusion {
  const { ending, file, error, totals, comparison } = report
  const { title, text, advice } = ENDING_WORDS[ending]
  return {
    isGreen: file !== undefined || ending === 'skipped',
    title: error?.code === undefined ? (typeof title === 'string' ? title : title(report)) : ERROR_TITLES[error.code],
    text: joinSentences([
      totals && comparison?.totals && describeChange(totals.total, comparison.totals.total, comparison.name),
      text(report),
      comparison?.error && `There is no comparison with ${comparison.name}: ${comparison.error.message}`,
    ]),
    advice: error?.hint ?? advice ?? comparison?.error?.hint,
  }
}

/**
 * Linux limits an environment variable to 128 KiB, and scripts receive this output in one. The runner would accept 1 MiB for
 * all outputs of a job.
 */
const MAX_TOP_PAGES_BYTES = 120_000

function listTotals(prefix: string, totals: VisitorTotals | undefined): Readonly<Record<string, string>> {
  const names = ['human', 'ai', 'total'] as const
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, String(totals?.[name] ?? '')]))
}

/** Every output; an empty text means that there is no value. */
export function toExportOutputs(report: ExportReport): Readonly<Record<string, string>> {
  const { ending, totals, comparison, rows, file, topPages } = report
  const listed = file === undefined ? [] : topPages
  const { texts } = takeFitting(listed, (page) => `${toOutputJson(page)},`, MAX_TOP_PAGES_BYTES)
  return {
    ...listTotals('', totals),
    ...listTotals('previous-', comparison?.totals),
    rows: String(file === undefined ? 0 : rows),
    file: file ?? '',
    complete: String(ending === 'complete'),
    'top-pages': `[${texts.join('').slice(0, -1)}]`,
  }
}

// Renders a report as the job summary: tables, and the service's texts, escaped.

const MAX_TABLE_BYTES = 192 * 1024

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)}%`

/** Formats a change in percent; `new` if there is nothing to compare with. */
function formatRelativeChange(now: number, before: number): string {
  if (now === before) return '0%'
  return before === 0 ? 'new' : `${now > before ? '+' : '−'}${formatPercent(now, before)}`
}

/** A table whose first column has names. */
const numberGrid = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  grid(head, rows, { isOfNumbers: true })

/** Explains how the service's three totals relate: `total` counts visitors that were seen as both only once. */
function explainTotals({ human, ai, total }: VisitorTotals): string | undefined {
  const both = human + ai - total
  if (both < 0 || Math.max(human, ai) > total)
    return 'The numbers are shown as the service sent them, although they do not add up.'
  if (both === 0) return undefined
  return `${formatCount(both, 'visitor')} ${both === 1 ? 'was' : 'were'} seen as both, and “All” counts each of them once.`
}

function renderTotals({ totals, comparison }: ExportReport): readonly (string | undefined)[] {
  if (totals === undefined) return []
  const before = comparison?.totals
  const names = { People: 'human', 'AI agents': 'ai', All: 'total' } as const
  const rows = Object.entries(names).map(([label, key]) => [
    `<b>${label}</b>`,
    formatNumber(totals[key]),
    key === 'total' ? '' : formatShare(totals[key], totals.total),
    ...(before ? [formatRelativeChange(totals[key], before[key]), formatNumber(before[key])] : []),
  ])
  const heads = ['', 'Visitors', 'Share', ...(before ? ['Change', capitalize(comparison.name)] : [])]
  return ['### Unique visitors', numberGrid(heads, rows), explainTotals(totals)]
}

function renderTopPages({ file, rows, topPages, totals }: ExportReport): readonly string[] {
  if (file === undefined || topPages.length === 0) return []
  const siteTotal = totals?.total ?? 0
  const lines = topPages.map(({ path, human, ai, total }) => [
    inlineCode(oneLine(path, SHOWN_PATH_LENGTH)),
    ...[total, human, ai].map(formatNumber),
    formatShare(total, siteTotal),
  ])
  const { length } = takeFitting(lines, (line) => numberGrid([], [line]), MAX_TABLE_BYTES).texts
  const remaining = rows - length
  const rest =
    remaining === 0
      ? ''
      : `\n\n${formatNumber(remaining)} more ${remaining === 1 ? 'page is' : 'pages are'} in the file.`
  const heads = ['Page', 'Visitors', 'People', 'AI agents', 'Of all visitors']
  return ['### Most visited pages', numberGrid(heads, lines.slice(0, length)) + rest]
}

function renderFacts({ range, file, rows, doubts, durationMs }: ExportReport): readonly string[] {
  if (range === undefined) return []
  const isWritten = file !== undefined
  const completeness = doubts === '' ? 'yes' : `not certain: ${doubts}`
  return [
    '### The export',
    table({
      Dates: escapeHtml(describeRange(range)),
      File: isWritten ? inlineCode(file) : 'none',
      [isWritten ? 'Rows' : 'Rows read']: formatNumber(rows),
      Complete: isWritten ? escapeHtml(completeness) : 'there is no file',
      'This step took': formatDuration(durationMs),
    }),
  ]
}

const MAX_NAME_LENGTH = 40

/** The job summary, as Markdown for GitHub: the verdict first, then the numbers, then the file. */
export function renderExportSummary(report: ExportReport, { title, text, advice }: Conclusion): string {
  const { ending, projectId, range, isRehearsal, error = report.comparison?.error } = report
  const project = projectId && inlineCode(oneLine(projectId, MAX_NAME_LENGTH))
  const names = ['Docs visitors', project, range && escapeHtml(describeRange(range))]
  return joinBlocks([
    heading(ENDING_WORDS[ending].icon, title, names, isRehearsal),
    text,
    error?.quote && `The service says: ${inlineCode(error.quote)}`,
    advice && `**What to do:** ${advice}`,
    ...renderTotals(report),
    ...renderTopPages(report),
    ...renderFacts(report),
  ])
}
