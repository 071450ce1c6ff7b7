/** What a report knows at its end, from which log, outputs, summary and exit code derive. */
import type { Conclusion } from '../action/step.ts'
import { type ActionError, ERROR_TITLES, type ErrorCode } from '../runtime/errors.ts'
import { formatCount, joinSentences, joinWords } from '../text/format.ts'
import { oneLine, takeFitting, toOutputJson } from '../text/untrusted.ts'
import type { AgentWork } from './agent-work.ts'
import { type AgentPullRequest, getDaysOpen, listReasons, type Numbers } from './numbers.ts'

export interface Report {
  /** `owner/name` of the pull requests. Undefined if the inputs are invalid. */
  readonly prRepository?: string
  /** The origin of GitHub's pages. */
  readonly serverUrl?: string
  readonly days?: number
  readonly work?: AgentWork
  readonly numbers?: Numbers
  /** When the pull requests were read. */
  readonly at?: Date
  readonly isRehearsal?: boolean | undefined
  readonly error?: ActionError | undefined
}

/** `1 day 4 h`, `3 h` */
export function formatHours(given: number): string {
  const hours = Math.round(given)
  const [days, rest] = [Math.floor(hours / 24), hours % 24]
  const parts = [days === 0 ? '' : formatCount(days, 'day'), rest === 0 ? '' : `${rest} h`]
  return parts.filter(Boolean).join(' ') || 'an hour'
}

function describePullRequests({ work, numbers, days = 0 }: Report): string {
  if (work === undefined || numbers === undefined) return ''
  const { opened, mergedAsOpened, mergedAfterEdits, closed, open, hoursToMerge } = numbers
  const { since, gap } = work
  const isCut = gap !== undefined
  const time = `${since.slice(0, 16).replace('T', ' ')} UTC`
  const period = isCut ? `Since ${time}` : `In ${formatCount(days, 'day')}`
  const parts = [
    [mergedAsOpened, 'merged as they were'],
    [mergedAfterEdits, "merged after people's edits"],
    [closed, 'closed without a merge'],
    [open, 'open'],
  ] as const
  const known = parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
  const counts = opened === 0 ? 'no pull request' : `${formatCount(opened, 'pull request')}: ${known.join(', ')}`
  return joinSentences([
    `${period} the agent opened ${counts}.`,
    hoursToMerge !== undefined && `Half of the merges took at most ${formatHours(hoursToMerge)}.`,
    isCut && `The report is incomplete: what was opened before, and some of what waits, is missing. ${gap}`,
  ])
}

/** An open pull request that needs somebody. */
interface Waiting extends Pick<AgentPullRequest, 'number' | 'asked'> {
  readonly url: string
  /** Contains no text by others, as `toDo`. */
  readonly why: string
  readonly toDo: string
  readonly days: number
}

/** The oldest first. */
export function listWaiting(report: Report): readonly Waiting[] {
  const { work, at = new Date(0), serverUrl = '', prRepository = '' } = report
  return (work?.pullRequests ?? []).flatMap((pull) => {
    const { number, asked } = pull
    const reasons = listReasons(pull, at)
    const why = joinWords(reasons.map(([reason]) => reason))
    const toDo = reasons.map(([, action]) => action).join('; ')
    const [url, days] = [`${serverUrl}/${prRepository}/pull/${number}`, Math.floor(getDaysOpen(pull, at))]
    return reasons.length === 0 ? [] : [{ number, url, why, toDo, days, asked }]
  })
}

function getTitle(report: Report): string {
  const { numbers, work } = report
  if (numbers === undefined || work?.pullRequests.length === 0) return 'No pull requests of the agent'
  const merged = numbers.mergedAsOpened + numbers.mergedAfterEdits
  const { length } = listWaiting(report)
  const needs = length === 0 ? 'none needs' : `${length} need${length === 1 ? 's' : ''}`
  return `${numbers.opened} opened, ${merged} merged, ${needs} attention`
}

/** Nothing is read but GitHub, and without a key. */
const TITLES: Readonly<Record<ErrorCode, string>> = {
  ...ERROR_TITLES,
  unreachable: 'No response from GitHub',
  untrusted: 'No secure connection to GitHub',
  unauthorized: 'Invalid token',
  forbidden: 'The token lacks a permission',
}

/** A report is red if it could not be made. */
export function concludeReport(report: Report): Conclusion {
  const { error } = report
  return error === undefined
    ? { isGreen: true, title: getTitle(report), text: describePullRequests(report), advice: undefined }
    : { isGreen: false, title: TITLES[error.code], text: error.message, advice: error.hint }
}

// The output.

const MAX_SENTENCE_CHARS = 1_500
/** The limits keep the result below 32 KiB. */
const MAX_WAITING_BYTES = 12 * 1024
const MAX_PROMPTS = 20
const MAX_PATH_CHARS = 200

/** `mergedAsOpened` becomes `merged_as_opened`. */
const toSnakeCase = (fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )

/** Creates the output `result`, as defined in `docs/report.schema.json`. */
function toResult(report: Report, { title, text }: Conclusion): object {
  const { work, numbers, days, error, isRehearsal = false } = report
  const { prompts = [], weeks = [], ...counts } = numbers ?? {}
  const unknown = { opened: null, mergedAsOpened: null, mergedAfterEdits: null, closed: null, open: null }
  const waiting = listWaiting(report)
  const fitting = takeFitting(waiting, toOutputJson, MAX_WAITING_BYTES).texts.length
  return {
    version: 1,
    title,
    text: oneLine(text, MAX_SENTENCE_CHARS),
    days,
    since: work?.since,
    complete: work !== undefined && work.gap === undefined,
    ...toSnakeCase({ ...unknown, hoursToMerge: null, ...counts }),
    waiting: waiting.slice(0, fitting).map(toSnakeCase),
    prompts: prompts
      .slice(0, MAX_PROMPTS)
      .map((group) => toSnakeCase({ ...group, file: group.file && oneLine(group.file, MAX_PATH_CHARS) })),
    weeks: weeks.map(toSnakeCase),
    left_out: { waiting: waiting.length - fitting, prompts: Math.max(0, prompts.length - MAX_PROMPTS) },
    error: error && { code: error.code, message: oneLine(error.message, MAX_SENTENCE_CHARS), hint: error.hint },
    rehearsal: isRehearsal,
  }
}

export const toReportOutputs = (report: Report, conclusion: Conclusion): { readonly result: string } => ({
  result: toOutputJson(toResult(report, conclusion)),
})
