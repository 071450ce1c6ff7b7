import { takeFitting } from '../text/untrusted.ts'
import type { VisitorRow } from './export-format.ts'
import type { Report } from './report.ts'

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

/** What each output says; an empty text stands for "there is none". */
export function toOutputs(report: Report): Readonly<Record<string, string>> {
  const { ending, totals, comparison, rows, file, topPages } = report
  const before = comparison?.totals
  const listed = file === undefined ? [] : topPages
  const { texts } = takeFitting(listed, (page) => `${inertJson(page)},`, MAX_TOP_PAGES_BYTES)
  return {
    human: String(totals?.human ?? ''),
    ai: String(totals?.ai ?? ''),
    total: String(totals?.total ?? ''),
    'previous-human': String(before?.human ?? ''),
    'previous-ai': String(before?.ai ?? ''),
    'previous-total': String(before?.total ?? ''),
    rows: String(file === undefined ? 0 : rows),
    file: file ?? '',
    complete: String(ending === 'complete'),
    'top-pages': `[${texts.join('').slice(0, -1)}]`,
  }
}
