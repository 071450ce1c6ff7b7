/** Hides how the facts of an export become the verdict, the outputs and the exit code. */
import { MISSING_KEY, type Conclusion } from '../action/conclusion.ts'
import { ERROR_TITLES, type ActionError } from '../runtime/errors.ts'
import { joinSentences, formatCount } from '../text/sentences.ts'
import { takeFitting } from '../text/untrusted.ts'
import type { DateRange } from './date-range.ts'
import type { Comparison, Trend } from './earlier-periods.ts'
import type { VisitorRow, VisitorTotals } from './export-format.ts'

/** How a step can end. Only the first two leave a file. */
export const ENDINGS = ['complete', 'uncertain', 'cancelled', 'skipped', 'error'] as const
export type Ending = (typeof ENDINGS)[number]

/** Everything that the step knows at its end. Log, outputs, summary and exit code follow from it alone. */
export interface Report {
  readonly ending: Ending
  /** Undefined, as the range, if the inputs are invalid. */
  readonly projectId?: string
  readonly range?: DateRange
  readonly totals: VisitorTotals | undefined
  /** How many rows were read. */
  readonly rows: number
  readonly topPages: readonly VisitorRow[]
  /** Why the file may be incomplete, as full sentences. */
  readonly doubts: string
  /** The file's path in the workspace; undefined if there is no file. */
  readonly file?: string
  /** Undefined if nothing was to be compared, or there is no file. */
  readonly comparison?: Comparison | undefined
  /** Undefined if no trend was requested, or there is no file. */
  readonly trend?: Trend | undefined
  readonly durationMs: number
  /** The cause of the ending `error`. The error of a file has no code and no quote. */
  readonly error?: (Pick<ActionError, 'message' | 'hint'> & Partial<Pick<ActionError, 'code' | 'quote'>>) | undefined
}

const MIN_SHOWN_PERCENT = 0.1

function formatPercent(percent: number): string {
  if (percent < MIN_SHOWN_PERCENT) return `less than ${MIN_SHOWN_PERCENT} %`
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent).toLocaleString('en-US')} %`
}

/**
 * How a number differs from the number before, such as `12 % more than the 30 days before`.
 * @param name of the period before, for the middle of a sentence
 */
export function describeChange(now: number, before: number, name: string): string {
  if (now === before) return `as many as ${name}`
  if (before === 0) return `${name} had none`
  return `${formatPercent((100 * Math.abs(now - before)) / before)} ${now > before ? 'more' : 'fewer'} than ${name}`
}

function describeComparison({ totals, comparison }: Report): string | undefined {
  const { name = '', error, totals: before } = comparison ?? {}
  if (error !== undefined) return `They are not compared with ${name}: ${error.message}`
  if (before === undefined || totals === undefined) return undefined
  return `Unique visitors: ${describeChange(totals.total, before.total, name)}.`
}

function describeMissingPeriods({ trend, comparison }: Report): string | undefined {
  const missing = trend?.periods.filter(({ totals }) => totals === undefined) ?? []
  if (trend?.error === undefined || missing.length === 0) return undefined
  const gap = `The trend lacks ${missing.length} of ${trend.periods.length} periods`
  return trend.error === comparison?.error ? gap : `${gap}: ${trend.error.message}`
}

/** The file name may come from an event, and this text is rendered as Markdown. */
function describeFile({ rows, file = '' }: Report): string {
  const name = /^[\w./ -]+$/.test(file) ? `\`${file}\`` : 'the file of `output-file`'
  return `${formatCount(rows, 'row')} ${rows === 1 ? 'was' : 'were'} written to ${name}.`
}

interface EndingWords {
  readonly icon: string
  /** An error with a code has a title of its own. */
  readonly title: string
  readonly text: (report: Report) => string
  /** An error brings its own. */
  readonly advice?: string
}

export const ENDING_WORDS: Readonly<Record<Ending, EndingWords>> = {
  complete: { icon: '✅', title: 'The visitors were exported', text: describeFile },
  uncertain: {
    icon: '⚠️',
    title: 'The visitors were exported, but the numbers changed meanwhile',
    text: (report) => `${describeFile(report)} ${report.doubts}`,
    advice:
      'If all days of the range are over, export them again. Otherwise set `days`, or a `date-to` that is not in the future.',
  },
  cancelled: { icon: '🛑', title: 'Cancelled', text: () => 'The run was cancelled, so no file was written.' },
  skipped: {
    icon: '⏭️',
    ...MISSING_KEY,
    text: () => 'Nothing was sent to the service, because `api-key` is empty and `on-missing-key` is `skip`.',
  },
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

/** A step is green if it left a file with all rows of the service, or was told to skip. */
export function conclude(report: Report): Conclusion {
  const { ending, file, error, comparison, trend } = report
  const { title, text, advice } = ENDING_WORDS[ending]
  return {
    isGreen: file !== undefined || ending === 'skipped',
    title: error?.code === undefined ? title : ERROR_TITLES[error.code],
    text: joinSentences([text(report), describeComparison(report), describeMissingPeriods(report)]),
    advice: error?.hint ?? advice ?? comparison?.error?.hint ?? trend?.error?.hint,
  }
}

/**
 * Linux limits an environment variable to 128 KiB, and scripts receive this output in one. The runner would accept 1 MiB for
 * all outputs of a job.
 */
const MAX_TOP_PAGES_BYTES = 120_000

/** JSON on one line for every definition of a line, without a workflow command (`##[`) for a log that prints it. */
function toInertJson(row: VisitorRow): string {
  return JSON.stringify(row)
    .replace(
      /[\u007f-\u009f\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replaceAll('##[', '#\\u0023[')
}

/** Periods without numbers are left out: a zero would be wrong. */
function formatTrend({ periods }: Trend): string {
  const known = periods.flatMap(({ period: { dateFrom: from, dateTo: to }, totals }) =>
    totals === undefined ? [] : [{ from, to, human: totals.human, ai: totals.ai, total: totals.total }],
  )
  return JSON.stringify(known)
}

/** Every output; an empty text means that there is no value. */
export function toOutputs(report: Report): Readonly<Record<string, string>> {
  const { ending, totals, comparison, trend, rows, file, topPages } = report
  const before = comparison?.totals
  const listed = file === undefined ? [] : topPages
  const { texts } = takeFitting(listed, (page) => `${toInertJson(page)},`, MAX_TOP_PAGES_BYTES)
  return {
    human: String(totals?.human ?? ''),
    ai: String(totals?.ai ?? ''),
    total: String(totals?.total ?? ''),
    'previous-human': String(before?.human ?? ''),
    'previous-ai': String(before?.ai ?? ''),
    'previous-total': String(before?.total ?? ''),
    trend: trend === undefined ? '' : formatTrend(trend),
    rows: String(file === undefined ? 0 : rows),
    file: file ?? '',
    complete: String(ending === 'complete'),
    'top-pages': `[${texts.join('').slice(0, -1)}]`,
  }
}
