import { MISSING_KEY, type Conclusion } from '../action/conclusion.ts'
import { ERROR_TITLES } from '../runtime/errors.ts'
import { joinSentences, formatCount } from '../text/sentences.ts'
import type { Ending, Report } from './report.ts'

const SMALLEST_PERCENT = 0.1

function formatPercent(percent: number): string {
  if (percent < SMALLEST_PERCENT) return `less than ${SMALLEST_PERCENT} %`
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent).toLocaleString('en-US')} %`
}

/**
 * How a number differs from the one before, such as `12 % more than the 30 days before`.
 * @param name of the period before, in the middle of a sentence
 */
export function describeChange(now: number, before: number, name: string): string {
  if (now === before) return `as many as ${name}`
  if (before === 0) return `${name} had none`
  return `${formatPercent((100 * Math.abs(now - before)) / before)} ${now > before ? 'more' : 'fewer'} than ${name}`
}

function compared({ totals, comparison }: Report): string | undefined {
  const { name = '', error, totals: before } = comparison ?? {}
  if (error !== undefined) return `They are not compared with ${name}: ${error.message}`
  if (before === undefined || totals === undefined) return undefined
  return `Unique visitors: ${describeChange(totals.total, before.total, name)}.`
}

/** The name of a file may come from an event, and this text is read as Markdown. */
function written({ rows, file = '' }: Report): string {
  const name = /^[\w./ -]+$/.test(file) ? `\`${file}\`` : 'the file of `output-file`'
  return `${formatCount(rows, 'row')} ${rows === 1 ? 'was' : 'were'} written to ${name}.`
}

interface EndingWords {
  readonly icon: string
  /** Of an error that has a title of its own, that one. */
  readonly title: string
  readonly text: (report: Report) => string
  /** Of an error its own. */
  readonly advice?: string
}

export const ENDING_WORDS: Readonly<Record<Ending, EndingWords>> = {
  complete: { icon: '✅', title: 'The visitors were exported', text: written },
  uncertain: {
    icon: '⚠️',
    title: 'The visitors were exported, but the numbers changed meanwhile',
    text: (report) => `${written(report)} ${report.doubts}`,
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

/** Green is a step that left a file with all that the service sent, or that was told to skip. */
export function conclude(report: Report): Conclusion {
  const { ending, file, error, comparison } = report
  const { title, text, advice } = ENDING_WORDS[ending]
  return {
    isGreen: file !== undefined || ending === 'skipped',
    title: error?.code === undefined ? title : ERROR_TITLES[error.code],
    text: joinSentences([text(report), compared(report)]),
    advice: error?.hint ?? advice ?? comparison?.error?.hint,
  }
}
