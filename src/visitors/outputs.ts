import type { VisitorRow, VisitorTotals } from './export-format.ts'
import { hasFile, type Report } from './report.ts'

export const OUTPUT_NAMES = [
  'human',
  'ai',
  'total',
  'previous-human',
  'previous-ai',
  'previous-total',
  'rows',
  'file',
  'complete',
  'top-pages',
] as const
export type Outputs = Readonly<Record<(typeof OUTPUT_NAMES)[number], string>>

/**
 * Linux gives a program no variable of more than 128 KiB, and a variable is how this output reaches a script. The runner
 * would take 1 MiB for all outputs of a job.
 */
const MAX_TOP_PAGES_BYTES = 120_000

/** JSON on one line, whoever splits it into lines, in which no log finds a command (`##[`) when somebody prints it. */
function inertJson(row: VisitorRow): string {
  return JSON.stringify(row)
    .replace(
      /[\u007f-\u009f\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replaceAll('##[', '#\\u0023[')
}

/** The first pages, as many as there is room for. */
function toJsonArray(rows: readonly VisitorRow[]): string {
  const items: string[] = []
  let bytes = 2
  for (const row of rows) {
    const item = inertJson(row)
    bytes += Buffer.byteLength(item) + 1
    if (bytes > MAX_TOP_PAGES_BYTES) break
    items.push(item)
  }
  return `[${items.join(',')}]`
}

const countOf = (totals: VisitorTotals | undefined, name: keyof VisitorTotals): string =>
  totals === undefined ? '' : String(totals[name])

/** The step's outputs, where an empty text stands for "there is none". */
export function toOutputs(report: Report): Outputs {
  const { ending, totals, rows, place, topPages, comparison } = report
  const previous = comparison?.totals
  const isWritten = hasFile(report)
  return {
    human: countOf(totals, 'human'),
    ai: countOf(totals, 'ai'),
    total: countOf(totals, 'total'),
    'previous-human': countOf(previous, 'human'),
    'previous-ai': countOf(previous, 'ai'),
    'previous-total': countOf(previous, 'total'),
    rows: String(isWritten ? rows : 0),
    file: isWritten ? (place?.name ?? '') : '',
    complete: String(ending === 'complete'),
    'top-pages': isWritten ? toJsonArray(topPages) : '[]',
  }
}
