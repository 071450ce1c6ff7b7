/** Counts what happened to the agent's pull requests. */
import type { History, HistoryRow } from '../agent/history/state.ts'
import type { PullRequestState } from '../github/pull-requests.ts'
import { DAY_MS } from '../runtime/clock.ts'

/** A pull request that a bot opened, or that a trusted history shows to be the agent's. */
export interface AgentPullRequest {
  readonly number: number
  readonly state: PullRequestState
  /** The histories in comments by trusted authors. */
  readonly histories: readonly History[]
  readonly title: string
  /** In ISO 8601, as `endedAt`. */
  readonly createdAt: string
  /** Undefined while it is open. */
  readonly endedAt?: string | undefined
  /** Whether its merged head is a commit by somebody else. Undefined if it was not merged, or this is unknown. */
  readonly isEdited?: boolean | undefined
  /** The people and teams whose review is requested. */
  readonly asked: readonly string[]
}

const HOUR_MS = 3_600_000

/** An open pull request waits if it is older. */
const MAX_OPEN_DAYS = 3

type Times = Pick<AgentPullRequest, 'createdAt' | 'endedAt'>

const hasNotEnded = ({ endedAt }: Times): boolean => endedAt === undefined

/** How many full days a pull request has been open. */
export const countDaysOpen = ({ createdAt }: Times, now: Date): number =>
  Math.floor((now.getTime() - Date.parse(createdAt)) / DAY_MS)

/** Whether an open pull request has waited for more than three days. */
export const isWaiting = (pullRequest: Times, now: Date): boolean =>
  hasNotEnded(pullRequest) && now.getTime() - Date.parse(pullRequest.createdAt) > MAX_OPEN_DAYS * DAY_MS

/** When a period of so many days began. */
export const startOfPeriod = (days: number, now: Date): Date => new Date(now.getTime() - days * DAY_MS)

/** Whether a pull request was opened or has ended since a time, or is still open. */
export function isInPeriod({ createdAt, endedAt }: Times, since: Date): boolean {
  return endedAt === undefined || [createdAt, endedAt].some((at) => Date.parse(at) >= since.getTime())
}

export interface Numbers {
  readonly opened: number
  readonly merged: number
  /** Merged with the agent's last commit as head. */
  readonly mergedUnedited: number
  /** Merged with a later commit by somebody else as head. The rest of the merged ones is unknown. */
  readonly mergedEdited: number
  readonly closed: number
  readonly open: number
  readonly waiting: number
  readonly turns: number
  readonly failedTurns: number
  readonly fixRounds: number
  readonly failedFixRounds: number
  /** Of those that have ended. Undefined while none has. */
  readonly mergedShare: number | undefined
  /** Of those whose merged head is known. Undefined while there is none. */
  readonly uneditedShare: number | undefined
  readonly medianHoursToMerge: number | undefined
  /** Pull requests that were last updated before this time, in ISO 8601, are missing. Undefined: none is. */
  readonly completeSince: string | undefined
}

const FAILED_OUTCOMES: readonly string[] = ['failed', 'archived', 'timed-out', 'unconfirmed', 'cancelled', 'error']

/** Whether a turn has failed, as far as its row shows it. Without an outcome, it runs until its step's deadline, or was killed. */
export const hasFailed = ({ end, until, outcome = '' }: HistoryRow, now: Date): boolean =>
  end === undefined && outcome === '' ? new Date(until) <= now : FAILED_OUTCOMES.includes(outcome)

function getMedian(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits))
const getShare = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : round(part / whole, 3))

/**
 * @param pullRequests those of the period
 * @param completeSince the list of pull requests is complete back to this time, in ISO 8601
 */
export function countPullRequests(
  pullRequests: readonly AgentPullRequest[],
  completeSince: string,
  since: Date,
  now: Date,
): Numbers {
  const count = (isCounted: (pullRequest: AgentPullRequest) => boolean): number => pullRequests.filter(isCounted).length
  const merged = pullRequests.filter(({ state }) => state === 'merged')
  const closed = count(({ state }) => state === 'closed')
  const mergedUnedited = count(({ isEdited }) => isEdited === false)
  const mergedEdited = count(({ isEdited }) => isEdited === true)
  const medianMs = getMedian(merged.map(({ createdAt, endedAt = '' }) => Date.parse(endedAt) - Date.parse(createdAt)))
  const histories = pullRequests.flatMap((pullRequest) => pullRequest.histories)
  const rows = histories.flatMap((history) => history.rows)
  // A fix round is a later turn of its step.
  const [turns, rounds] = [rows.filter(({ turn }) => turn === 0), rows.filter(({ turn }) => turn > 0)]
  const countFailed = (all: typeof rows): number => all.filter((row) => hasFailed(row, now)).length
  return {
    opened: count(({ createdAt }) => Date.parse(createdAt) >= since.getTime()),
    merged: merged.length,
    mergedUnedited,
    mergedEdited,
    closed,
    open: count(hasNotEnded),
    waiting: count((pullRequest) => isWaiting(pullRequest, now)),
    turns: turns.length + histories.reduce((sum, { dropped }) => sum + dropped, 0),
    failedTurns: countFailed(turns),
    fixRounds: rounds.length,
    failedFixRounds: countFailed(rounds),
    mergedShare: getShare(merged.length, merged.length + closed),
    uneditedShare: getShare(mergedUnedited, mergedUnedited + mergedEdited),
    medianHoursToMerge: medianMs === undefined ? undefined : round(medianMs / HOUR_MS, 1),
    completeSince: Date.parse(completeSince) > since.getTime() ? completeSince : undefined,
  }
}
