import type { VisitorRow, VisitorTotals } from './export-format.ts'
import { hasFile, type Report } from './report.ts'

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

const countOf = (totals: VisitorTotals | undefined, name: keyof VisitorTotals): string => String(totals?.[name] ?? '')

/** By its name, what each output says; an empty text stands for "there is none". */
const OUTPUTS = {
  human: ({ totals }) => countOf(totals, 'human'),
  ai: ({ totals }) => countOf(totals, 'ai'),
  total: ({ totals }) => countOf(totals, 'total'),
  'previous-human': ({ comparison }) => countOf(comparison?.totals, 'human'),
  'previous-ai': ({ comparison }) => countOf(comparison?.totals, 'ai'),
  'previous-total': ({ comparison }) => countOf(comparison?.totals, 'total'),
  rows: (report) => String(hasFile(report) ? report.rows : 0),
  file: (report) => (hasFile(report) ? (report.place?.name ?? '') : ''),
  complete: ({ ending }) => String(ending === 'complete'),
  'top-pages': (report) => (hasFile(report) ? toJsonArray(report.topPages) : '[]'),
} satisfies Record<string, (report: Report) => string>

export type Outputs = Readonly<Record<keyof typeof OUTPUTS, string>>

export function toOutputs(report: Report): Outputs {
  return Object.fromEntries(Object.entries(OUTPUTS).map(([name, say]) => [name, say(report)])) as Outputs
}
