import type { Conclusion } from '../action/conclusion.ts'
import { formatDuration } from '../text/duration.ts'
import { escapeHtml, heading, inlineCode, joinBlocks, table } from '../text/markdown.ts'
import { oneLine } from '../text/untrusted.ts'
import { describeChange, ENDING_WORDS } from './conclusion.ts'
import { describeRange } from './date-range.ts'
import type { VisitorTotals } from './export-format.ts'
import { percent, renderPageChanges, renderTopPages } from './page-tables.ts'
import type { Report } from './report.ts'

const MAX_TABLE_BYTES = 192 * 1024

const number = (value: number): string => value.toLocaleString('en-US')

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

/** Slices do not overlap, so those who were seen as both have one of their own. */
function pie(onlyHuman: number, onlyAi: number, both: number): string[] {
  const slices = Object.entries({ 'People only': onlyHuman, 'AI only': onlyAi, Both: both })
  const lines = slices.filter(([, value]) => value > 0).map(([name, value]) => `  "${name}" : ${value}`)
  const init = `%%{init: ${JSON.stringify({ themeVariables: PIE_COLOURS })}}%%`
  const drawing = ['```mermaid', init, 'pie showData', '  title Unique visitors', ...lines, '```'].join('\n')
  return lines.length === 0 ? [] : [drawing]
}

function uniqueVisitors({ totals, comparison }: Report): string[] {
  if (totals === undefined) return []
  const { human, ai, total } = totals
  const { name: period = '', totals: before } = comparison ?? {}
  const tell = (name: keyof VisitorTotals, note: string): string => {
    const then = before?.[name]
    const change = then === undefined ? '' : `, ${describeChange(totals[name], then, period)}`
    return `${number(totals[name])}${note}${change}${then ? ` (${number(then)})` : ''}`
  }
  const share = (part: number): string => ` (${percent(part, total)} of all)`
  const counts = table({
    Human: tell('human', share(human)),
    AI: tell('ai', share(ai)),
    All: tell('total', total === human + ai ? '' : ', each counted once'),
  })
  const both = human + ai - total
  // Numbers that cannot be of one crowd (section 2.2) have no true picture.
  if (both < 0 || Math.max(human, ai) > total)
    return ['### Unique visitors', counts, 'These are the numbers of the service.']
  const seen = `${number(both)} of them ${both === 1 ? 'was' : 'were'} seen as both`
  const note = `${seen}: those are in “Human” and in “AI”, and once in “All”.`
  return ['### Unique visitors', counts, note, ...pie(human - both, ai - both, both)]
}

function facts({ range, file, rows, doubts, durationMs }: Report): string[] {
  if (range === undefined) return []
  const isWritten = file !== undefined
  const whole = doubts === '' ? 'yes' : `not certain: ${doubts}`
  return [
    '### The export',
    table({
      Range: escapeHtml(describeRange(range)),
      File: isWritten ? inlineCode(file) : 'none',
      [isWritten ? 'Rows' : 'Rows read']: number(rows),
      Whole: isWritten ? escapeHtml(whole) : 'there is no file',
      'This step took': formatDuration(durationMs),
    }),
  ]
}

function topPages({ file, topPages, totals }: Report): string[] {
  if (file === undefined || topPages.length === 0) return []
  return ['### Most visited pages', renderTopPages(topPages, totals?.total ?? 0, MAX_TABLE_BYTES)]
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
  const quote = report.error?.quote
  return joinBlocks([
    headline(report, title),
    text,
    quote && `The service says: ${inlineCode(quote)}`,
    advice && `**What to do:** ${advice}`,
    ...uniqueVisitors(report),
    ...topPages(report),
    ...pageChanges(report),
    ...facts(report),
  ])
}
