/** What a report knows at its end, from which log, outputs, summary and exit code derive. */
import type { Conclusion } from '../action/step.ts'
import { type ActionError, ERROR_TITLES, type ErrorCode } from '../runtime/errors.ts'
import { formatCount, joinSentences, joinWords } from '../text/format.ts'
import { quoteName, quoteNames } from '../text/markdown.ts'
import { oneLine, toOutputJson } from '../text/untrusted.ts'
import type { Range, ReportInputs } from './inputs.ts'
import { type AgentPullRequest, countDaysOpen, isWaiting, type Numbers } from './numbers.ts'
import { type ReportedChange, isAccountedFor, type Verdict, VERDICTS } from './verdict.ts'

export interface JudgedChange extends ReportedChange {
  readonly verdict: Verdict
}

export interface Report extends Partial<Pick<ReportInputs, 'days' | 'failOn'>> {
  /** `owner/name` of the changes. Undefined if the inputs are invalid. */
  readonly repository?: string
  readonly prRepository?: string
  /** The origin of GitHub's pages. */
  readonly serverUrl?: string
  /** Undefined: there is no release to begin at. */
  readonly range?: Range | undefined
  /** Newest first. Undefined if they could not be read. */
  readonly changes?: readonly JudgedChange[]
  /** Those of the period. */
  readonly pullRequests?: readonly AgentPullRequest[]
  readonly numbers?: Numbers
  /** When the pull requests were read. */
  readonly at?: Date
  readonly durationMs: number
  readonly isRehearsal?: boolean | undefined
  readonly error?: ActionError | undefined
}

interface Words {
  /** After a number of changes. */
  readonly count: string
  /** What happened to a change. */
  readonly text: (pullRequest: string) => string
  /** What somebody has to do. */
  readonly todo?: (pullRequest: string, change: ReportedChange) => string
}

/** The names of pull requests are between back-ticks. */
const WORDS: Readonly<Record<Verdict['kind'], Words>> = {
  'documented-merged': { count: 'documented', text: (name) => `documented in ${name}, merged` },
  'documented-open': {
    count: 'documented but not merged',
    text: (name) => `documented in ${name}, open`,
    todo: (name) => `Review and merge ${name}.`,
  },
  exempt: { count: 'exempt by label', text: () => 'exempt by label' },
  working: {
    count: 'in work',
    text: (name) => `the agent is working on it in ${name}`,
    todo: () => 'Wait until the agent has finished.',
  },
  'documented-closed': {
    count: 'documented but closed without a merge',
    text: (name) => `documented in ${name}, closed without a merge`,
    todo: (name) => `Reopen ${name}, or document it in another way.`,
  },
  'examined-unchanged': {
    count: 'examined without a change',
    text: (name) => `examined in ${name}, nothing to change`,
  },
  'examined-unknown': {
    count: 'examined with an unknown result',
    text: (name) => `examined in ${name}, result not known`,
    todo: (name) => `Check ${name}.`,
  },
  'examined-failed': {
    count: 'examined by a turn that failed',
    text: (name) => `examined in ${name}, failed`,
    todo: (name) => `Read ${name}, and run the agent again.`,
  },
  own: { count: 'by the agent itself', text: () => 'by the agent itself' },
  'no-trace': {
    count: 'without a trace',
    text: () => 'no trace',
    todo: (_, { number }) =>
      number === undefined
        ? 'Run the agent for it, if it needs documentation.'
        : `Run the agent with \`change-range: pull/${number}\`, or exempt it by a label.`,
  },
  'not-readable': { count: 'not readable', text: () => 'not readable', todo: () => 'Check it yourself.' },
}

const quoteNumber = ({ pullRequest }: Verdict): string => (pullRequest === undefined ? '' : `\`#${pullRequest}\``)

/** What somebody has to do about a change. Undefined: nothing. */
export const getTodo = (change: JudgedChange): string | undefined =>
  WORDS[change.verdict.kind].todo?.(quoteNumber(change.verdict), change)

/** @param name of the pull request of the agent, if the verdict has one */
export const describeVerdict = ({ kind }: Verdict, name: string): string => WORDS[kind].text(name)

/** @returns `#12`, or the id of a commit; empty for commits that GitHub does not list */
export const nameChange = ({ number, shas }: ReportedChange): string =>
  number === undefined ? (shas[0]?.slice(0, 7) ?? '') : `#${number}`

const countKind = (changes: readonly JudgedChange[], kind: Verdict['kind']): number =>
  changes.filter(({ verdict }) => verdict.kind === kind).length

/** The changes by people. */
const listCounted = ({ changes = [] }: Report): readonly JudgedChange[] =>
  changes.filter(({ verdict }) => verdict.kind !== 'own')

function describeChanges(report: Report): string {
  const counted = listCounted(report)
  const counts = VERDICTS.flatMap((kind) => {
    const count = countKind(counted, kind)
    return count === 0 ? [] : `${count} ${WORDS[kind].count}`
  })
  return counts.length === 0 ? '' : `${formatCount(counted.length, 'change')}: ${joinWords(counts)}.`
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

/** The end of a range, short and between back-ticks. */
export const nameRef = (ref: string): string => quoteName(/^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 7) : ref)

export const listTodos = ({ changes = [] }: Report): readonly JudgedChange[] =>
  changes.filter((change) => getTodo(change) !== undefined)

export const listWaiting = ({ pullRequests = [], at = new Date(0) }: Report): readonly AgentPullRequest[] =>
  pullRequests.filter((pullRequest) => isWaiting(pullRequest, at))

const NO_RELEASE = 'The repository has no published release to begin at, so no merged changes were examined.'

function getTitle(report: Report): string {
  const { length } = listCounted(report)
  if (report.range === undefined) return 'No release to begin at'
  if (length === 0) return 'Nothing was merged'
  const todo = listTodos(report).length
  if (todo > 0) return `${todo} of ${formatCount(length, 'change')} need${todo === 1 ? 's' : ''} attention`
  return length === 1 ? 'The change is accounted for' : `All ${length} changes are accounted for`
}

/** Nothing is read but GitHub, and without a key. */
const TITLES: Readonly<Record<ErrorCode, string>> = {
  ...ERROR_TITLES,
  unreachable: 'No response from GitHub',
  untrusted: 'No secure connection to GitHub',
  unauthorized: 'Invalid token',
  forbidden: 'The token lacks a permission',
}

/** A report is red if it could not be made, or if a change is not accounted for and `fail-on` says so. */
export function concludeReport(report: Report): Conclusion {
  const { error, range, failOn } = report
  if (error !== undefined) return { isGreen: false, title: TITLES[error.code], text: error.message, advice: error.hint }
  const unaccounted = (report.changes ?? []).filter(({ verdict }) => !isAccountedFor(verdict))
  const numbers = joinSentences([
    range === undefined ? NO_RELEASE : describeChanges(report),
    describePullRequests(report),
  ])
  if (failOn !== 'no-trace' || unaccounted.length === 0)
    return {
      isGreen: true,
      title: getTitle(report),
      text: numbers,
      advice: range === undefined ? 'Set `range` to `BASE...HEAD`.' : undefined,
    }
  const verb = unaccounted.length === 1 ? 'is' : 'are'
  const names = quoteNames(unaccounted.map((change) => nameChange(change) || 'older commits'))
  return {
    isGreen: false,
    title: `${unaccounted.length} of ${formatCount(listCounted(report).length, 'change')} ${verb} not accounted for`,
    text: joinSentences([`Not documented, exempt or examined: ${names}.`, numbers]),
    advice: "Take the next steps in the summary's table, then run this step again.",
  }
}

// The output.

const MAX_RESULT_BYTES = 32 * 1024
const MAX_TITLE_CHARS = 200
const MAX_SENTENCE_CHARS = 1_500
/** How much of a list is removed at a time. */
const REMOVED_SHARE = 1 / 20

function toChangeResult(change: JudgedChange) {
  const { number, shas, title, verdict } = change
  return {
    number,
    sha: number === undefined ? shas[0] : undefined,
    title: oneLine(title, MAX_TITLE_CHARS),
    verdict: verdict.kind,
    pull_request: verdict.pullRequest,
    reason: verdict.reason ? oneLine(verdict.reason, MAX_SENTENCE_CHARS) : undefined,
    todo: getTodo(change)?.replaceAll('`', ''),
  }
}

/** `failedTurns` becomes `failed_turns`. */
const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Creates the output `result`, as defined in `docs/report.schema.json`. */
function toResult(report: Report, { isGreen, title, text, advice }: Conclusion) {
  const { repository, prRepository, range, changes = [], numbers, days = 0, at = new Date(0), error } = report
  const counts = VERDICTS.map((kind) => [kind.replace('-', '_'), countKind(changes, kind)])
  return {
    version: 1,
    green: isGreen,
    title,
    text: oneLine(text, MAX_SENTENCE_CHARS),
    advice: advice && oneLine(advice, MAX_SENTENCE_CHARS),
    repository,
    pr_repository: prRepository,
    range,
    counts: range && (Object.fromEntries(counts) as Readonly<Record<string, number>>),
    changes: changes.map(toChangeResult),
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
    left_out: { changes: 0, waiting: 0 },
  }
}

const countBytes = (value: unknown): number => Buffer.byteLength(toOutputJson(value))

/** Removes the end of the longer list while the result is longer than 32 KiB: first the changes that need nothing. */
function renderResult(report: Report, conclusion: Conclusion): string {
  let result = toResult(report, conclusion)
  result = {
    ...result,
    changes: [...result.changes.filter(({ todo }) => todo), ...result.changes.filter(({ todo }) => !todo)],
  }
  while (countBytes(result) > MAX_RESULT_BYTES) {
    const name = countBytes(result.changes) > countBytes(result.waiting) ? 'changes' : 'waiting'
    const removed = Math.ceil(result[name].length * REMOVED_SHARE)
    if (removed === 0) break
    const left_out = { ...result.left_out, [name]: result.left_out[name] + removed }
    result = { ...result, [name]: result[name].slice(0, -removed), left_out }
  }
  return toOutputJson(result)
}

export const toReportOutputs = (report: Report, conclusion: Conclusion): { readonly result: string } => ({
  result: renderResult(report, conclusion),
})
