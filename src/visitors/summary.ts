/** Hides how a report becomes the job summary: tables, the trend chart, and escaping of the service's texts. */
import type { Conclusion } from '../action/conclusion.ts'
import { formatDuration } from '../text/duration.ts'
import { escapeHtml, heading, inlineCode, joinBlocks, table } from '../text/markdown.ts'
import { formatCount } from '../text/sentences.ts'
import { oneLine, takeFitting } from '../text/untrusted.ts'
import { describeRange, labelPeriods } from './date-range.ts'
import type { ComparedPages, PageChange, Trend, TrendPeriod } from './earlier-periods.ts'
import type { VisitorTotals } from './export-format.ts'
import { ENDING_WORDS, type Report } from './report.ts'
import { SHOWN_PATH_LENGTH, shortenPath } from './visitor-list.ts'

const MAX_TABLE_BYTES = 192 * 1024

const formatNumber = (value: number): string => value.toLocaleString('en-US')
const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`

const formatSign = (now: number, before: number): string => (now > before ? '+' : '−')

/** In percent; empty where there is nothing to compare with. */
function formatRelativeChange(now: number, before: number): string {
  if (now === before) return '0 %'
  if (before === 0) return 'new'
  const percent = (100 * Math.abs(now - before)) / before
  const digits = percent < 10 ? 1 : 0
  return `${formatSign(now, before)}${percent.toLocaleString('en-US', { maximumFractionDigits: digits })} %`
}

function formatDifference(now: number, before: number): string {
  return now === before ? '0' : `${formatSign(now, before)}${formatNumber(Math.abs(now - before))}`
}

const toRow = (cells: readonly string[]): string => `<tr>${cells.join('')}</tr>\n`
const textCell = (html: string): string => `<td>${html}</td>`
const numberCell = (text: string): string => `<td align="right">${text}</td>`
const pathCell = (path: string): string => textCell(inlineCode(oneLine(path, SHOWN_PATH_LENGTH)))

function renderTable(heads: readonly string[], rows: readonly string[]): string {
  return `<table>\n${toRow(heads.map((name) => `<th>${escapeHtml(name)}</th>`))}${rows.join('')}</table>`
}

/** How the service's three totals relate: visitors that were seen as both are counted once in all. */
function explainTotals({ human, ai, total }: VisitorTotals): string | undefined {
  const both = human + ai - total
  if (both < 0 || Math.max(human, ai) > total)
    return 'The numbers are shown as the service sent them, although they do not add up.'
  if (both === 0) return undefined
  return `${formatCount(both, 'visitor')} ${both === 1 ? 'was' : 'were'} seen as both, and “All” counts each of them once.`
}

function renderTotals({ totals, comparison }: Report): readonly (string | undefined)[] {
  if (totals === undefined) return []
  const { name = '', totals: before } = comparison ?? {}
  const names = { People: 'human', AI: 'ai', All: 'total' } as const
  const rows = Object.entries(names).map(([label, key]) => {
    const compared = before && [formatRelativeChange(totals[key], before[key]), formatNumber(before[key])]
    const share = key === 'total' ? '' : formatShare(totals[key], totals.total)
    const numbers = [formatNumber(totals[key]), share, ...(compared ?? [])]
    return toRow([textCell(`<b>${label}</b>`), ...numbers.map(numberCell)])
  })
  const compared = before && ['Change', `${name.charAt(0).toUpperCase()}${name.slice(1)}`]
  const heads = ['', 'Visitors', 'Share', ...(compared ?? [])]
  return ['### Unique visitors', renderTable(heads, rows), explainTotals(totals)]
}

const GREY = '#7a7f87'
const LINES = [
  { key: 'human', label: 'people', color: '#1f6feb', colorName: 'blue' },
  { key: 'ai', label: 'AI', color: '#bc4c00', colorName: 'orange' },
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

/** So that labels of the axis do not overlap, in pixels. */
const LABEL_CHARACTER_WIDTH = 8
const MIN_CHART_WIDTH = 700

/** The title names the lines, because most versions of Mermaid draw no legend in this chart. */
function renderChart(periods: readonly Required<TrendPeriod>[], totals: readonly VisitorTotals[]): string | undefined {
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

/** A line over a gap would look like numbers that nobody knows, so there is a chart only if every period has its totals. */
function renderTrend({ trend }: Report): readonly (string | undefined)[] {
  if (trend === undefined) return []
  const { periods } = trend
  const known = periods.flatMap(({ totals }) => totals ?? [])
  const rows = periods.map(({ period, totals }) => {
    const name = textCell(escapeHtml(describeRange(period)))
    if (totals === undefined) return toRow([name, '<td colspan="3">not available</td>'])
    return toRow([name, ...[totals.human, totals.ai, totals.total].map((count) => numberCell(formatNumber(count)))])
  })
  return [
    '### Trend',
    known.length === periods.length ? renderChart(periods, known) : undefined,
    renderTable(['Period', 'People', 'AI', 'All'], rows),
    explainGaps(trend),
    explainZeros(known),
  ]
}

function explainGaps({ periods, error }: Trend): string | undefined {
  const gap = periods.findLast(({ totals }) => totals === undefined)
  if (gap === undefined || error === undefined) return undefined
  const isLastGap = periods[0] === gap
  const reason = `The service gave no numbers for ${describeRange(gap.period)}: ${escapeHtml(error.message)}`
  return isLastGap ? reason : `${reason} Earlier periods were not requested.`
}

/** Section 4.4 of the service's interface does not say what it returns for days that it no longer knows. */
function explainZeros(known: readonly VisitorTotals[]): string | undefined {
  const isEmpty = ({ human, ai, total }: VisitorTotals): boolean => human + ai + total === 0
  const first = known.findIndex((totals) => !isEmpty(totals))
  return first > 0 ? 'The oldest periods have no visitors. The service may not keep numbers for that long.' : undefined
}

function renderTopPages({ file, topPages, totals, comparison }: Report): readonly string[] {
  if (file === undefined || topPages.length === 0) return []
  const topBefore = comparison?.pages?.topBefore
  const siteTotal = totals?.total ?? 0
  const { texts } = takeFitting(
    topPages,
    ({ path, human, ai, total }) => {
      const before = topBefore?.get(shortenPath(path))
      const change = before === undefined ? '' : formatDifference(total, before)
      const numbers = [formatNumber(total), ...(topBefore === undefined ? [] : [change])]
      const parts = [formatNumber(human), formatNumber(ai), formatShare(total, siteTotal)]
      return toRow([pathCell(path), ...[...numbers, ...parts].map(numberCell)])
    },
    MAX_TABLE_BYTES,
  )
  const change = topBefore === undefined ? [] : ['Change']
  const left = topPages.length - texts.length
  const rest = left === 0 ? '' : `\n\n${left} more ${left === 1 ? 'page is' : 'pages are'} in the file.`
  const heads = ['Page', 'Visitors', ...change, 'People', 'AI', 'Of all visitors']
  return ['### Most visited pages', renderTable(heads, texts) + rest]
}

function renderPageChanges({ comparison }: Report): readonly string[] {
  if (comparison?.pages === undefined) return []
  const { gained, lost, isWhole }: ComparedPages = comparison.pages
  const lists = Object.entries({ gained, lost }).filter(([, changes]) => changes.length > 0)
  const toCells = ({ path, before, now }: PageChange): readonly string[] => [
    pathCell(path),
    ...[formatNumber(before), formatNumber(now), formatDifference(now, before)].map(numberCell),
  ]
  const tables = lists.flatMap(([verb, changes]) => [
    `### Pages that ${verb} the most`,
    renderTable(['Page', 'Before', 'Now', 'Change'], changes.map(toCells).map(toRow)),
  ])
  const leftOut = 'The lists changed while they were read, so pages that only one of them names are left out.'
  return isWhole ? tables : [...tables, leftOut]
}

function renderFacts({ range, file, rows, doubts, durationMs }: Report): readonly string[] {
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

function renderHeadline({ ending, projectId, range }: Report, title: string): string {
  const project = projectId && inlineCode(oneLine(projectId, MAX_NAME_LENGTH))
  const names = ['Docs visitors', project, range && escapeHtml(describeRange(range))]
  return heading(ENDING_WORDS[ending].icon, names, title)
}

/** The job summary, as Markdown for GitHub: the verdict first, then the numbers, then the file. */
export function renderSummary(report: Report, { title, text, advice }: Conclusion): string {
  const quote = report.error?.quote
  return joinBlocks([
    renderHeadline(report, title),
    text,
    quote && `The service says: ${inlineCode(quote)}`,
    advice && `**What to do:** ${advice}`,
    ...renderTotals(report),
    ...renderTrend(report),
    ...renderTopPages(report),
    ...renderPageChanges(report),
    ...renderFacts(report),
  ])
}
