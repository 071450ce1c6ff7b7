/** What a report knows at its end, from which log, outputs, summary and exit code derive. */
import type { Conclusion } from '../action/step.ts'
import { type ActionError, ERROR_TITLES, type ErrorCode } from '../runtime/errors.ts'
import { formatCount, formatUtc, joinSentences } from '../text/format.ts'
import { oneLine, takeFitting, toOutputJson } from '../text/untrusted.ts'
import type { AgentWork } from './agent-work.ts'
import type { Numbers } from './numbers.ts'

export interface Report {
  /** `owner/name` of the pull requests. Undefined if the inputs are invalid. */
  readonly prRepository?: string
  readonly days?: number
  readonly isRehearsal?: boolean | undefined
  /** Undefined if there is an error, as `numbers`. */
  readonly work?: AgentWork
  readonly numbers?: Numbers
  readonly error?: ActionError | undefined
}

/** The states of pull requests, which add up to `opened`. */
export const STATES = [
  ['merged_as_opened', 'merged without edits'],
  ['merged_after_edits', 'merged after edits'],
  ['closed', 'closed'],
  ['open', 'open'],
] as const

/** `9 hours`, `1.5 days` */
export const formatHours = (hours: number): string =>
  hours < 24 ? formatCount(Math.max(1, Math.round(hours)), 'hour') : formatCount(Number((hours / 24).toFixed(1)), 'day')

function describeNumbers(numbers: Numbers, { since, gap }: AgentWork, days: number): string {
  const { opened, hours_to_merge: hours } = numbers
  const states = STATES.filter(([state]) => numbers[state] > 0).map(([state, name]) => `${numbers[state]} ${name}`)
  const period = gap === undefined ? `In ${formatCount(days, 'day')}` : `Since ${formatUtc(since)} UTC`
  return joinSentences([
    `${period} the agent opened ${opened === 0 ? 'no pull request' : `${formatCount(opened, 'pull request')}: ${states.join(', ')}`}.`,
    hours !== undefined && `Half of the merges took at most ${formatHours(hours)}.`,
    gap && `The report is incomplete: what was opened before, and some of what waits, is missing. ${gap}`,
  ])
}

/** Nothing is read but GitHub, and without a key. */
const TITLES: Readonly<Record<ErrorCode, string>> = {
  ...ERROR_TITLES,
  unreachable: 'No response from GitHub',
  untrusted: 'No secure connection to GitHub',
  unauthorized: 'Invalid token',
  forbidden: 'The token lacks a permission',
}

/** What to do about errors whose usual advice is about a job of the agent. */
const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthorized: 'Check `github-token`. The token of a GitHub App lasts one hour, so create it in the same job.',
  'rate-limited': 'Run the step again in an hour.',
}

/** A report is red if it could not be made. */
export function concludeReport({ days = 0, work, numbers, error }: Report): Conclusion {
  if (error !== undefined || work === undefined || numbers === undefined) {
    const { code = 'internal', message = '', hint } = error ?? {}
    return { isGreen: false, title: TITLES[code], text: message, advice: ADVICE[code] ?? hint }
  }
  const merged = numbers.merged_as_opened + numbers.merged_after_edits
  const needs = formatCount(numbers.waiting.length, 'needs attention', 'need attention')
  const title = `${numbers.opened} opened, ${merged} merged, ${needs}`
  return { isGreen: true, title, text: describeNumbers(numbers, work, days), advice: undefined }
}

const MAX_SENTENCE_CHARS = 1_500
/** The limits keep the result below 32 KiB. */
const MAX_WAITING_BYTES = 12 * 1024
const MAX_PROMPTS = 20
const MAX_PATH_CHARS = 200

const NO_NUMBERS = {
  ...{ opened: null, merged_as_opened: null, merged_after_edits: null, closed: null, open: null },
  ...{ hours_to_merge: null, waiting: [], prompts: [], weeks: [] },
}

/** Creates the output `result`, as defined in `docs/report.schema.json`. */
export function toReportOutputs(report: Report, conclusion: Conclusion): { readonly result: string } {
  const { work, numbers, days, error, isRehearsal = false } = report
  const { title, text, advice } = conclusion
  const { waiting, prompts, ...counts } = numbers ?? NO_NUMBERS
  const pulls = waiting.map(({ pull: { number, url, asked }, ...facts }) => ({ number, url, ...facts, asked }))
  const shown = pulls.slice(0, takeFitting(pulls, toOutputJson, MAX_WAITING_BYTES).texts.length)
  const result = {
    version: 1,
    title,
    text: oneLine(text, MAX_SENTENCE_CHARS),
    days,
    since: work?.since,
    complete: work !== undefined && work.gap === undefined,
    ...counts,
    waiting: shown,
    prompts: prompts
      .slice(0, MAX_PROMPTS)
      .map((group) => ({ ...group, file: group.file && oneLine(group.file, MAX_PATH_CHARS) })),
    left_out: { waiting: pulls.length - shown.length, prompts: Math.max(0, prompts.length - MAX_PROMPTS) },
    error: error && { code: error.code, message: oneLine(text, MAX_SENTENCE_CHARS), hint: advice },
    rehearsal: isRehearsal,
  }
  return { result: toOutputJson(result) }
}
