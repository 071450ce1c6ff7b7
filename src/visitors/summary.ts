import type { Conclusion } from '../action/conclusion.ts'
import { formatDuration } from '../text/duration.ts'
import { ActionError } from '../runtime/errors.ts'
import { escapeHtml, heading, inlineCode, joinBlocks, table, type TableRow } from '../text/markdown.ts'
import { oneLine } from '../text/untrusted.ts'
import { describeChange, ENDING_WORDS, explainDoubts } from './conclusion.ts'
import { describeRange } from './date-range.ts'
import type { VisitorTotals } from './export-format.ts'
import { hasFile, type Report } from './report.ts'
import { renderPageChanges, renderTopPages } from './top-pages-table.ts'

/** A quarter of what the runner takes for a step: a summary over its limit is dropped whole. */
const MAX_SUMMARY_BYTES = 256 * 1024
const MAX_TABLE_BYTES = 192 * 1024
const LONGEST_QUOTE = 300

const number = (value: number): string => value.toLocaleString('en-US')

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`
}

/** How many visitors were seen as both, where the totals can be those of one crowd (section 2.2). */
function seenAsBoth({ human, ai, total }: VisitorTotals): number | undefined {
  return Math.max(human, ai) <= total && total <= human + ai ? human + ai - total : undefined
}

/** Greys and strong colours that can be told from a white page and from a dark one, with white text on the slices. */
const PIE_COLOURS = {
  pie1: '#1f6feb',
  pie2: '#bc4c00',
  pie3: '#8250df',
  pieOpacity: '1',
  pieSectionTextColor: '#ffffff',
  pieTitleTextColor: '#7a7f87',
  pieLegendTextColor: '#7a7f87',
  pieStrokeColor: '#7a7f87',
  pieOuterStrokeColor: '#7a7f87',
}

/** Slices do not overlap, so those who were seen as both have one of their own. Without it there is no true picture. */
function pie(totals: VisitorTotals): string[] {
  const both = seenAsBoth(totals)
  if (both === undefined) return []
  const slices = [
    { name: 'People only', value: totals.human - both },
    { name: 'AI only', value: totals.ai - both },
    { name: 'Both', value: both },
  ].filter(({ value }) => value > 0)
  if (slices.length === 0) return []
  const lines = slices.map(({ name, value }) => `  "${name}" : ${value}`)
  const init = `%%{init: ${JSON.stringify({ themeVariables: PIE_COLOURS })}}%%`
  return [['```mermaid', init, 'pie showData', '  title Unique visitors', ...lines, '```'].join('\n')]
}

function beforeOf({ totals, comparison }: Report, name: keyof VisitorTotals): string {
  const before = comparison?.totals?.[name]
  if (comparison === undefined || before === undefined || totals === undefined) return ''
  return `, ${describeChange(totals[name], before, comparison.name)}${before === 0 ? '' : ` (${number(before)})`}`
}

function totals(report: Report): string[] {
  const { totals } = report
  if (totals === undefined) return []
  const { human, ai, total } = totals
  const both = seenAsBoth(totals)
  const rows: TableRow[] = [
    { name: 'Human', html: `${number(human)} (${percent(human, total)} of all)${beforeOf(report, 'human')}` },
    { name: 'AI', html: `${number(ai)} (${percent(ai, total)} of all)${beforeOf(report, 'ai')}` },
    {
      name: 'All',
      html: `${number(total)}${total === human + ai ? '' : ', each counted once'}${beforeOf(report, 'total')}`,
    },
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

function pageChanges({ comparison }: Report): string[] {
  if (comparison?.pages === undefined) return []
  const { gained, lost, isWhole } = comparison.pages
  const named = Object.entries({ gained, lost }).filter(([, changes]) => changes.length > 0)
  const tables = named.flatMap(([what, changes]) => [`### Pages that ${what} the most`, renderPageChanges(changes)])
  const leftOut = 'The lists changed while they were read, so pages that only one of them names are left out.'
  return isWhole ? tables : [...tables, leftOut]
}

const LONGEST_NAME = 40

function headline({ ending, projectId, range }: Report, title: string): string {
  const project = projectId && inlineCode(oneLine(projectId, LONGEST_NAME))
  const names = ['Docs visitors', project, range && escapeHtml(describeRange(range))]
  return heading(ENDING_WORDS[ending].icon, names, title)
}

/** The job summary, as Markdown for GitHub: the verdict first, then the numbers, then where they are. */
export function renderSummary(report: Report, { title, text, advice }: Conclusion): string {
  const { error } = report
  const quote = error instanceof ActionError ? error.quote : undefined
  return joinBlocks(
    [
      headline(report, title),
      text,
      ...(quote === undefined ? [] : [`The service says: ${inlineCode(oneLine(quote, LONGEST_QUOTE))}`]),
      ...(advice === undefined ? [] : [`**What to do:** ${advice}`]),
      ...totals(report),
      ...topPages(report),
      ...pageChanges(report),
      ...facts(report),
    ],
    MAX_SUMMARY_BYTES,
  )
}
