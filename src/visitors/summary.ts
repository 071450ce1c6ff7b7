import type { Conclusion } from '../shared/conclusion.ts'
import { formatDuration } from '../shared/duration.ts'
import { ActionError } from '../shared/errors.ts'
import { escapeHtml, inlineCode, joinBlocks, table, type TableRow } from '../shared/markdown.ts'
import { oneLine } from '../shared/untrusted-text.ts'
import { explainDoubts } from './conclusion.ts'
import { describeRange } from './date-range.ts'
import type { VisitorTotals } from './export-format.ts'
import { hasFile, type Ending, type Report } from './report.ts'
import { renderTopPages } from './top-pages-table.ts'

/** A quarter of what the runner takes for a step: a summary over its limit is dropped whole. */
const MAX_SUMMARY_BYTES = 256 * 1024
const MAX_TABLE_BYTES = 192 * 1024
const LONGEST_QUOTE = 300

const ICONS: Readonly<Record<Ending, string>> = {
  complete: '✅',
  uncertain: '⚠️',
  cancelled: '🛑',
  skipped: '⏭️',
  error: '❌',
}

const number = (value: number): string => value.toLocaleString('en-US')

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`
}

/** How many visitors were seen as both, where the totals can be those of one crowd (section 2.2). */
function seenAsBoth({ human, ai, total }: VisitorTotals): number | undefined {
  return Math.max(human, ai) <= total && total <= human + ai ? human + ai - total : undefined
}

function pie({ human, ai }: VisitorTotals): string[] {
  const slices = [
    { name: 'Human', value: human },
    { name: 'AI', value: ai },
  ].filter(({ value }) => value > 0)
  if (slices.length === 0) return []
  const lines = slices.map(({ name, value }) => `  "${name}" : ${value}`)
  return ['```mermaid\npie showData\n  title Unique visitors\n' + lines.join('\n') + '\n```']
}

function totals({ totals }: Report): string[] {
  if (totals === undefined) return []
  const { human, ai, total } = totals
  const both = seenAsBoth(totals)
  const rows: TableRow[] = [
    { name: 'Human', html: `${number(human)} (${percent(human, total)} of all)` },
    { name: 'AI', html: `${number(ai)} (${percent(ai, total)} of all)` },
    { name: 'All', html: `${number(total)}${total === human + ai ? '' : ', each counted once'}` },
  ]
  const note =
    both === undefined
      ? 'These are the numbers of the service.'
      : `${number(both)} of them ${both === 1 ? 'was' : 'were'} seen as both: those are in “Human” and in “AI”, and once in “All”.`
  return ['### Unique visitors', table(rows), note, ...pie(totals)]
}

function wholeness({ ending, doubts }: Report): string {
  if (ending === 'complete') return 'yes'
  return ending === 'uncertain' ? `not certain: ${explainDoubts(doubts)}` : 'there is no file'
}

function facts(report: Report): string[] {
  const { range, rows, place, durationMs } = report
  if (range === undefined || place === undefined) return []
  const isWritten = hasFile(report)
  return [
    '### The export',
    table([
      { name: 'Range', html: escapeHtml(describeRange(range)) },
      { name: 'File', html: isWritten ? inlineCode(place.name) : 'none' },
      { name: isWritten ? 'Rows' : 'Rows read', html: number(rows) },
      { name: 'Whole', html: escapeHtml(wholeness(report)) },
      { name: 'This step took', html: formatDuration(durationMs) },
    ]),
  ]
}

function topPages(report: Report): string[] {
  if (!hasFile(report) || report.topPages.length === 0) return []
  return ['### Most visited pages', renderTopPages(report.topPages, report.totals?.total ?? 0, MAX_TABLE_BYTES)]
}

/** The job summary, as Markdown for GitHub: the verdict first, then the numbers, then where they are. */
export function renderSummary(report: Report, { title, text, advice }: Conclusion): string {
  const { ending, error } = report
  const quote = error instanceof ActionError ? error.quote : undefined
  return joinBlocks(
    [
      `## ${ICONS[ending]} ${title}`,
      text,
      ...(quote === undefined ? [] : [`The service says: ${inlineCode(oneLine(quote, LONGEST_QUOTE))}`]),
      ...advice.map((sentence) => `**What to do:** ${sentence}`),
      ...totals(report),
      ...topPages(report),
      ...facts(report),
    ],
    MAX_SUMMARY_BYTES,
  )
}
