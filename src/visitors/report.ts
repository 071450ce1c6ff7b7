/** The result of an export, from which log, outputs, summary and exit code derive. */
import { type Conclusion, MISSING_KEY } from '../action/step.ts'
import { type ActionError, ERROR_TITLES } from '../runtime/errors.ts'
import { formatCount, formatDuration, joinSentences } from '../text/format.ts'
import { escapeHtml, grid, heading, inlineCode, joinBlocks, table } from '../text/markdown.ts'
import { oneLine, takeFitting, toOutputJson } from '../text/untrusted.ts'
import { describeRange, labelPeriods, namePeriodBefore } from './date-range.ts'
import type { EarlierPeriods, PageChange, PeriodTotals } from './earlier-periods.ts'
import type { VisitorRow, VisitorsInputs, VisitorTotals } from './inputs.ts'
import { shortenPath, SHOWN_PATH_LENGTH } from './visitor-list.ts'

// Turns the facts of an export into the verdict, the outputs and the exit code.

/** The endings of a step. Only the first two leave a file. */
export const ENDINGS = ['complete', 'uncertain', 'cancelled', 'skipped', 'error'] as const
export type Ending = (typeof ENDINGS)[number]

/**
 * Everything that the step knows at its end. Log, outputs, summary and exit code are derived from it alone. Has no inputs if
 * they are invalid.
 */
export interface ExportReport extends Partial<Pick<VisitorsInputs, 'projectId' | 'range' | 'compare' | 'trend'>> {
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
  readonly earlier?: EarlierPeriods | undefined
  readonly durationMs: number
  readonly isRehearsal?: boolean | undefined
  /** The cause of the ending `error`. The error of a file has no code and no quote. */
  readonly error?: (Pick<ActionError, 'message' | 'hint'> & Partial<Pick<ActionError, 'code' | 'quote'>>) | undefined
}

/** Such as `12%` and, below ten, `1.2%`. */
function formatPercent(now: number, before: number): string {
  const percent = (100 * Math.abs(now - before)) / before
  return `${formatNumber(percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent))}%`
}

/**
 * Describes how a number differs from the number before, such as `That is 12% more than the 30 days before.`
 * @param name of the period before, for the middle of a sentence
 */
export function describeChange(now: number, before: number, name: string): string {
  if (now === before) return `That is as many as ${name}.`
  if (before === 0) return `${capitalize(name)} had none.`
  return `That is ${formatPercent(now, before)} ${now > before ? 'more' : 'fewer'} than ${name}.`
}

interface PeriodBefore {
  /** For the middle of a sentence. */
  readonly name: string
  readonly totals: VisitorTotals
}

function findPeriodBefore({ earlier }: ExportReport): PeriodBefore | undefined {
  const [before, exported] = earlier?.periods.slice(-2) ?? []
  return before?.totals && exported && { name: namePeriodBefore(exported.period), totals: before.totals }
}

function describeChangeSince(report: ExportReport): string | undefined {
  const { totals } = report
  const before = findPeriodBefore(report)
  return before && totals && describeChange(totals.total, before.totals.total, before.name)
}

function describeMissingPeriods({ compare, earlier }: ExportReport): string | undefined {
  if (earlier?.error === undefined) return undefined
  const newest = earlier.periods.findLast(({ totals }) => totals === undefined)
  const missing = [
    newest && `the visitors ${describeRange({ dateTo: newest.period.dateTo })} were not read`,
    compare === 'pages' && earlier.pages === undefined && 'the pages were not compared',
  ]
  return `${capitalize(missing.filter(Boolean).join(', and '))}: ${earlier.error.message}`
}

/** The file name may come from an event, and this text is rendered as Markdown. */
function describeFile({ rows, file = '' }: ExportReport): string {
  const name = /^[\w./ -]+$/.test(file) ? `\`${file}\`` : 'the file of `output-file`'
  return `${formatCount(rows, 'row')} ${rows === 1 ? 'was' : 'were'} written to ${name}.`
}

/** Separates thousands. `toLocaleString` would load the locale data of Node.js, which takes 6 MiB of memory. */
export const formatNumber = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

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
  const { ending, file, error, earlier } = report
  const { title, text, advice } = ENDING_WORDS[ending]
  return {
    isGreen: file !== undefined || ending === 'skipped',
    title: error?.code === undefined ? (typeof title === 'string' ? title : title(report)) : ERROR_TITLES[error.code],
    text: joinSentences([describeChangeSince(report), text(report), describeMissingPeriods(report)]),
    advice: error?.hint ?? advice ?? earlier?.error?.hint,
  }
}

/**
 * Linux limits an environment variable to 128 KiB, and scripts receive this output in one. The runner would accept 1 MiB for
 * all outputs of a job.
 */
const MAX_TOP_PAGES_BYTES = 120_000

/** Periods without numbers are left out: a zero would be wrong. */
function formatTrend({ periods }: EarlierPeriods): string {
  const known = periods.flatMap(({ period: { dateFrom: from, dateTo: to }, totals }) =>
    totals === undefined ? [] : [{ from, to, human: totals.human, ai: totals.ai, total: totals.total }],
  )
  return JSON.stringify(known)
}

function listTotals(prefix: string, totals: VisitorTotals | undefined): Readonly<Record<string, string>> {
  const names = ['human', 'ai', 'total'] as const
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, String(totals?.[name] ?? '')]))
}

/** Every output; an empty text means that there is no value. */
export function toExportOutputs(report: ExportReport): Readonly<Record<string, string>> {
  const { ending, compare = 'false', trend = 0, totals, earlier, rows, file, topPages } = report
  const listed = file === undefined ? [] : topPages
  const { texts } = takeFitting(listed, (page) => `${toOutputJson(page)},`, MAX_TOP_PAGES_BYTES)
  return {
    ...listTotals('', totals),
    ...listTotals('previous-', compare === 'false' ? undefined : earlier?.periods.at(-2)?.totals),
    trend: trend === 0 || earlier === undefined ? '' : formatTrend(earlier),
    rows: String(file === undefined ? 0 : rows),
    file: file ?? '',
    complete: String(ending === 'complete'),
    'top-pages': `[${texts.join('').slice(0, -1)}]`,
  }
}

// Renders a report as the job summary: tables, the trend chart, and the service's texts, escaped.

const MAX_TABLE_BYTES = 192 * 1024

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)}%`

const formatSign = (now: number, before: number): string => (now > before ? '+' : '−')

/** Formats a change in percent; `new` if there is nothing to compare with. */
function formatRelativeChange(now: number, before: number): string {
  if (now === before) return '0%'
  return before === 0 ? 'new' : `${formatSign(now, before)}${formatPercent(now, before)}`
}

function formatDifference(now: number, before: number): string {
  return now === before ? '0' : `${formatSign(now, before)}${formatNumber(Math.abs(now - before))}`
}

const pathCell = (path: string): string => inlineCode(oneLine(path, SHOWN_PATH_LENGTH))

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

function renderTotals(report: ExportReport): readonly (string | undefined)[] {
  const { totals } = report
  if (totals === undefined) return []
  const { name = '', totals: before } = findPeriodBefore(report) ?? {}
  const names = { People: 'human', 'AI agents': 'ai', All: 'total' } as const
  const rows = Object.entries(names).map(([label, key]) => {
    const compared = before && [formatRelativeChange(totals[key], before[key]), formatNumber(before[key])]
    const share = key === 'total' ? '' : formatShare(totals[key], totals.total)
    return [`<b>${label}</b>`, formatNumber(totals[key]), share, ...(compared ?? [])]
  })
  const compared = before && ['Change', capitalize(name)]
  const heads = ['', 'Visitors', 'Share', ...(compared ?? [])]
  return ['### Unique visitors', numberGrid(heads, rows), explainTotals(totals)]
}

const GREY = '#7a7f87'
const LINES = [
  { key: 'human', label: 'people', color: '#1f6feb', colorName: 'blue' },
  { key: 'ai', label: 'AI agents', color: '#bc4c00', colorName: 'orange' },
] as const

/** Grey text and strong lines, which are readable on a white page and on a dark page. */
const CHART_COLORS = {
  backgroundColor: 'transparent',
  titleColor: GREY,
  xAxisLabelColor: GREY,
  xAxisTickColor: GREY,
  xAxisLineColor: GREY,
  yAxisTitleColor: GREY,
  yAxisLabelColor: GREY,
  yAxisTickColor: GREY,
  yAxisLineColor: GREY,
  plotColorPalette: LINES.map(({ color }) => color).join(', '),
}

/** In pixels. Keeps the labels of the axis from overlapping. */
const LABEL_CHARACTER_WIDTH = 8
const MIN_CHART_WIDTH = 700

/** The title names the lines, because most versions of Mermaid draw no legend in this chart. */
function renderChart(periods: readonly PeriodTotals[], totals: readonly VisitorTotals[]): string | undefined {
  const max = Math.max(...totals.flatMap(({ human, ai }) => [human, ai]))
  if (max === 0) return undefined
  const labels = labelPeriods(periods.map(({ period }) => period))
  const width = labels.length * LABEL_CHARACTER_WIDTH * Math.max(...labels.map(({ length }) => length))
  const init = {
    xyChart: { width: Math.max(MIN_CHART_WIDTH, width) },
    themeVariables: { xyChart: CHART_COLORS },
  }
  const title = LINES.map(({ label, colorName }) => `${label} (${colorName})`).join(', ')
  return [
    '```mermaid',
    `%%{init: ${JSON.stringify(init)}}%%`,
    'xychart-beta',
    `  title "Unique visitors: ${title}"`,
    `  x-axis [${labels.map((label) => `"${label}"`).join(', ')}]`,
    `  y-axis "Visitors" 0 --> ${max}`,
    ...LINES.map(({ key }) => `  line [${totals.map((one) => one[key]).join(', ')}]`),
    '```',
  ].join('\n')
}

/** Renders a chart only if every period has its totals: a line across a gap would show numbers that are unknown. */
function renderTrend({ trend = 0, earlier }: ExportReport): readonly (string | undefined)[] {
  if (trend === 0 || earlier === undefined) return []
  const { periods } = earlier
  const known = periods.flatMap(({ totals }) => totals ?? [])
  const rows = periods.map(({ period, totals }) => [
    escapeHtml(describeRange(period)),
    ...(totals ? [totals.human, totals.ai, totals.total].map(formatNumber) : ['not available']),
  ])
  return [
    '### Trend',
    known.length === periods.length ? renderChart(periods, known) : undefined,
    numberGrid(['Period', 'People', 'AI agents', 'All'], rows),
  ]
}

function renderTopPages({ file, rows, topPages, totals, earlier }: ExportReport): readonly string[] {
  if (file === undefined || topPages.length === 0) return []
  const topBefore = earlier?.pages?.topBefore
  const siteTotal = totals?.total ?? 0
  const lines = topPages.map(({ path, human, ai, total }) => {
    const before = topBefore?.get(shortenPath(path))
    const change = before === undefined ? '' : formatDifference(total, before)
    const numbers = [formatNumber(total), ...(topBefore === undefined ? [] : [change])]
    return [pathCell(path), ...numbers, formatNumber(human), formatNumber(ai), formatShare(total, siteTotal)]
  })
  const { length } = takeFitting(lines, (line) => numberGrid([], [line]), MAX_TABLE_BYTES).texts
  const change = topBefore === undefined ? [] : ['Change']
  const left = rows - length
  const rest = left === 0 ? '' : `\n\n${formatNumber(left)} more ${left === 1 ? 'page is' : 'pages are'} in the file.`
  const heads = ['Page', 'Visitors', ...change, 'People', 'AI agents', 'Of all visitors']
  return ['### Most visited pages', numberGrid(heads, lines.slice(0, length)) + rest]
}

function renderPageChanges({ earlier }: ExportReport): readonly string[] {
  if (earlier?.pages === undefined) return []
  const { gained, lost, isComplete } = earlier.pages
  const lists = Object.entries({ gained, lost }).filter(([, changes]) => changes.length > 0)
  const toCells = ({ path, before, now }: PageChange): readonly string[] => [
    pathCell(path),
    formatNumber(before),
    formatNumber(now),
    formatDifference(now, before),
  ]
  const tables = lists.flatMap(([verb, changes]) => [
    `### Pages that ${verb} the most`,
    numberGrid(['Page', 'Before', 'Now', 'Change'], changes.map(toCells)),
  ])
  const leftOut = 'The lists changed while they were read, so pages that are in only one list are left out.'
  return isComplete ? tables : [...tables, leftOut]
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

function renderHeadline({ ending, projectId, range, isRehearsal }: ExportReport, title: string): string {
  const project = projectId && inlineCode(oneLine(projectId, MAX_NAME_LENGTH))
  const names = ['Docs visitors', project, range && escapeHtml(describeRange(range))]
  return heading(ENDING_WORDS[ending].icon, title, names, isRehearsal)
}

/** The job summary, as Markdown for GitHub: the verdict first, then the numbers, then the file. */
export function renderExportSummary(report: ExportReport, { title, text, advice }: Conclusion): string {
  const { error = report.earlier?.error } = report
  return joinBlocks([
    renderHeadline(report, title),
    text,
    error?.quote && `The service says: ${inlineCode(error.quote)}`,
    advice && `**What to do:** ${advice}`,
    ...renderTotals(report),
    ...renderTrend(report),
    ...renderTopPages(report),
    ...renderPageChanges(report),
    ...renderFacts(report),
  ])
}
