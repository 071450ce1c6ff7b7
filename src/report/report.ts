/** What a report knows at its end, from which log, outputs, summary and exit code derive. */
import type { Conclusion } from '../action/step.ts'
import { type ActionError, ERROR_TITLES, type ErrorCode } from '../runtime/errors.ts'
import { formatCount, joinSentences } from '../text/format.ts'
import { oneLine, toOutputJson } from '../text/untrusted.ts'
import { type AgentPullRequest, countDaysOpen, isWaiting, type Numbers } from './numbers.ts'

export interface Report {
  /** `owner/name` of the pull requests. Undefined if the inputs are invalid. */
  readonly prRepository?: string
  /** The origin of GitHub's pages. */
  readonly serverUrl?: string
  readonly days?: number
  /** Those of the period. */
  readonly pullRequests?: readonly AgentPullRequest[]
  readonly numbers?: Numbers
  /** When the pull requests were read. */
  readonly at?: Date
  readonly durationMs: number
  readonly isRehearsal?: boolean | undefined
  readonly error?: ActionError | undefined
}

function describePullRequests({ numbers, days = 0 }: Report): string {
  if (numbers === undefined) return ''
  const { opened, merged, closed, open, waiting, completeSince } = numbers
  const waits = waiting === 0 ? '' : `, ${waiting} of them for more than three days`
  const period = days === 1 ? 'the last day' : `the last ${days} days`
  const counts = `${opened} opened, ${merged} merged, ${closed} closed, and ${open} open${waits}`
  return joinSentences([
    `Pull requests of the agent in ${period}: ${counts}.`,
    completeSince &&
      `Those that were last updated before ${completeSince.slice(0, 10)} are missing, because only the newest 1,000 pull requests were read.`,
  ])
}

export const listWaiting = ({ pullRequests = [], at = new Date(0) }: Report): readonly AgentPullRequest[] =>
  pullRequests.filter((pullRequest) => isWaiting(pullRequest, at))

function getTitle(report: Report): string {
  const { length } = listWaiting(report)
  if (length > 0) return `${formatCount(length, 'pull request')} need${length === 1 ? 's' : ''} attention`
  return report.pullRequests?.length === 0 ? 'No pull requests of the agent' : 'No pull request needs attention'
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

const MAX_RESULT_BYTES = 32 * 1024
const MAX_TITLE_CHARS = 200
const MAX_SENTENCE_CHARS = 1_500
/** How much of the list is removed at a time. */
const REMOVED_SHARE = 1 / 20

/** `failedTurns` becomes `failed_turns`. */
const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Creates the output `result`, as defined in `docs/report.schema.json`. */
function toResult(report: Report, { isGreen, title, text, advice }: Conclusion) {
  const { prRepository, numbers, days = 0, at = new Date(0), error } = report
  return {
    version: 1,
    green: isGreen,
    title,
    text: oneLine(text, MAX_SENTENCE_CHARS),
    advice: advice && oneLine(advice, MAX_SENTENCE_CHARS),
    pr_repository: prRepository,
    pull_requests:
      numbers &&
      Object.fromEntries(Object.entries({ days, ...numbers }).map(([name, value]) => [toSnakeCase(name), value])),
    waiting: listWaiting(report).map((pullRequest) => ({
      number: pullRequest.number,
      title: oneLine(pullRequest.title, MAX_TITLE_CHARS),
      days_open: countDaysOpen(pullRequest, at),
      asked: pullRequest.asked,
    })),
    error: error && { code: error.code, message: oneLine(error.message, MAX_SENTENCE_CHARS), hint: error.hint },
    duration_seconds: Number((report.durationMs / 1_000).toFixed(1)),
    rehearsal: report.isRehearsal ?? false,
    left_out: { waiting: 0 },
  }
}

const countBytes = (value: unknown): number => Buffer.byteLength(toOutputJson(value))

/** Removes the end of the list while the result is longer than 32 KiB. */
function renderResult(report: Report, conclusion: Conclusion): string {
  let result = toResult(report, conclusion)
  while (countBytes(result) > MAX_RESULT_BYTES && result.waiting.length > 0) {
    const removed = Math.ceil(result.waiting.length * REMOVED_SHARE)
    const left_out = { waiting: result.left_out.waiting + removed }
    result = { ...result, waiting: result.waiting.slice(0, -removed), left_out }
  }
  return toOutputJson(result)
}

export const toReportOutputs = (report: Report, conclusion: Conclusion): { readonly result: string } => ({
  result: renderResult(report, conclusion),
})
