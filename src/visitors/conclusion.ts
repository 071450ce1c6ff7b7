import { mostUrgent, type Conclusion } from '../action/conclusion.ts'
import { ERROR_TITLES } from '../runtime/error-titles.ts'
import { ActionError } from '../runtime/errors.ts'
import { joinSentences } from '../text/sentences.ts'
import { hasFile, type Doubt, type Ending, type Report } from './report.ts'

const TITLES: Readonly<Record<Exclude<Ending, 'error'>, string>> = {
  complete: 'The visitors are exported',
  uncertain: 'The visitors are exported, but they changed meanwhile',
  cancelled: 'Cancelled',
  skipped: 'Skipped, as there is no API key here',
}

const DOUBT_TEXTS: Readonly<Record<Doubt, string>> = {
  'totals-changed': "The service's totals changed while the pages were read.",
  'rows-moved':
    'Rows moved while the pages were read: some came twice and were written once, so others may be missing.',
}

/** Why the file is not known to be whole, as full sentences; empty if it is. */
export function explainDoubts(doubts: readonly Doubt[]): string {
  return doubts.map((doubt) => DOUBT_TEXTS[doubt]).join(' ')
}

type Say = (report: Report) => string

const countRows = (rows: number): string => (rows === 1 ? '1 row' : `${rows} rows`)

/** The name of a file may come from an event, and this text is read as Markdown. */
function nameOf({ place }: Report): string {
  const name = place?.name ?? ''
  return /^[\w./ -]+$/.test(name) ? `\`${name}\`` : 'the file of `output-file`'
}

const written: Say = (report) =>
  `${countRows(report.rows)} ${report.rows === 1 ? 'was' : 'were'} written to ${nameOf(report)}.`

const TEXTS: Readonly<Record<Ending, Say>> = {
  complete: written,
  uncertain: (report) => `${written(report)} ${explainDoubts(report.doubts)}`,
  cancelled: () => 'The run was cancelled, so no file was written.',
  skipped: () => 'Nothing was asked of the service, because `api-key` is empty and `on-missing-key` is `skip`.',
  error: ({ error, rows }) =>
    joinSentences([error?.message, rows > 0 ? `${countRows(rows)} had been read. No file was written.` : undefined]),
}

const ADVICE: Readonly<Partial<Record<Ending, string>>> = {
  uncertain: 'For settled numbers, export days that are over: give `days`, or a `date-to` that is not in the future.',
  skipped:
    'Pull requests from forks and from Dependabot get no secrets. On any other run, check the name of the secret that `api-key` is given from.',
}

function titleOf({ ending, error }: Report): string {
  if (ending !== 'error') return TITLES[ending]
  return error instanceof ActionError ? ERROR_TITLES[error.code] : 'The export failed'
}

/** Green is a step that left a file with all that the service sent, or that was told to skip. */
export function conclude(report: Report): Conclusion {
  const { ending, error } = report
  return {
    isGreen: hasFile(report) || ending === 'skipped',
    title: titleOf(report),
    text: TEXTS[ending](report),
    advice: mostUrgent([ending === 'error' ? error?.hint : ADVICE[ending]]),
  }
}
