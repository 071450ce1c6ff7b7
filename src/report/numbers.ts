/** Counts what happened to the agent's pull requests. */
import type { History, HistoryRow } from '../agent/history/state.ts'
import type { DetailedPullRequest } from '../github/pull-requests.ts'
import { DAY_MS } from '../runtime/clock.ts'

/** A pull request that a bot opened, or that a trusted history shows to be the agent's. */
export interface AgentPullRequest extends Pick<
  DetailedPullRequest,
  'number' | 'title' | 'state' | 'createdAt' | 'endedAt' | 'asked'
> {
  /** The history in a comment by a trusted author. */
  readonly history?: History | undefined
  /** Whether a person wrote a commit. Undefined unless it was merged. */
  readonly isEdited?: boolean | undefined
  /** The share of the agent's added lines that were merged. Undefined if it was not merged, or this cannot be known. */
  readonly keptShare?: number | undefined
  /** Undefined unless it is open. */
  readonly hasConflict?: boolean | undefined
  /** Undefined if it is not open, or this cannot be known. */
  readonly hasFailedChecks?: boolean | undefined
}

const HOUR_MS = 3_600_000

/** An open pull request waits if it is older. */
const MAX_OPEN_DAYS = 3
/** A share of fewer pull requests that have ended says nothing about a prompt. */
const MIN_COMPARED = 10

const FAILED_OUTCOMES: readonly string[] = ['failed', 'archived', 'timed-out', 'unconfirmed', 'cancelled', 'error']

/** Whether a turn has failed, as far as its row shows it. Without an outcome, it runs until its step's deadline, or was killed. */
export const hasFailed = ({ end, until, outcome = '' }: HistoryRow, now: Date): boolean =>
  end === undefined && outcome === '' ? new Date(until) <= now : FAILED_OUTCOMES.includes(outcome)

/** How many days a pull request has been open. */
export const getDaysOpen = ({ createdAt }: AgentPullRequest, now: Date): number =>
  (now.getTime() - Date.parse(createdAt)) / DAY_MS

/** Lists why an open pull request needs somebody, and what to do. */
export function listReasons(pull: AgentPullRequest, now: Date): readonly (readonly [why: string, toDo: string])[] {
  const { state, endedAt, history, hasConflict, hasFailedChecks, asked } = pull
  if (endedAt !== undefined) return []
  const days = getDaysOpen(pull, now)
  const last = history?.rows.at(-1)
  const review = asked.length === 0 ? 'ask somebody for a review' : 'remind those who were asked for a review'
  const rows = [
    [days > MAX_OPEN_DAYS, `open for ${Math.floor(days)} days`, state === 'draft' ? 'mark it as ready' : review],
    [last !== undefined && hasFailed(last, now), 'the agent did not finish', 'check what is missing'],
    [hasConflict === true, 'conflicts with its base branch', 'resolve the conflict, or ask the agent to'],
    [hasFailedChecks === true, 'checks failed', 'look at the checks'],
  ] as const
  return rows.flatMap(([applies, why, toDo]) => (applies ? [[why, toDo]] : []))
}

/** How pull requests ended. The other numbers add up to `opened`. */
export interface Counts {
  readonly opened: number
  /** Merged without a commit by a person. */
  readonly mergedAsOpened: number
  readonly mergedAfterEdits: number
  /** Closed without a merge. */
  readonly closed: number
  readonly open: number
}

function countStates(pulls: readonly AgentPullRequest[]): Counts {
  const count = (isCounted: (pull: AgentPullRequest) => boolean): number => pulls.filter(isCounted).length
  return {
    opened: pulls.length,
    mergedAsOpened: count(({ isEdited }) => isEdited === false),
    mergedAfterEdits: count(({ isEdited }) => isEdited === true),
    closed: count(({ state }) => state === 'closed'),
    open: count(({ endedAt }) => endedAt === undefined),
  }
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits))

/** Returns the median of the merged ones. Undefined if there is none. */
function getHoursToMerge(pulls: readonly AgentPullRequest[]): number | undefined {
  const merged = pulls.filter(({ state }) => state === 'merged')
  const times = merged.map(({ createdAt, endedAt = '' }) => Date.parse(endedAt) - Date.parse(createdAt))
  const sorted = times.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? undefined : round((low + high) / 2 / HOUR_MS, 1)
}

/** Returns the row of the turn that opened the pull request. Undefined if the history begins later. */
function getFirstRow({ history }: AgentPullRequest): HistoryRow | undefined {
  const first = history?.dropped === 0 ? history.rows[0] : undefined
  return first?.effect === 'updated' || first?.effect === 'unchanged' ? undefined : first
}

export type PromptGroup = ReturnType<typeof describeGroup>

/** @param prompt undefined: no trusted history shows which prompt opened them */
function describeGroup(prompt: string | undefined, pulls: readonly AgentPullRequest[]) {
  const counts = countStates(pulls)
  const rows = pulls.flatMap(({ history }) => history?.rows ?? [])
  const countRows = (isCounted: (row: HistoryRow) => boolean): number | undefined =>
    prompt === undefined ? undefined : rows.filter(isCounted).length
  const shares = pulls.flatMap(({ keptShare }) => keptShare ?? [])
  const opened = pulls.map(({ createdAt }) => createdAt).toSorted()
  return {
    prompt,
    file: pulls.map((pull) => getFirstRow(pull)?.file).findLast((file) => file !== undefined),
    /** When the first and the last of them were opened, in ISO 8601. */
    first: opened[0] ?? '',
    last: opened.at(-1) ?? '',
    ...counts,
    /** Whether enough have ended for a comparison with another prompt. */
    comparable: counts.opened - counts.open >= MIN_COMPARED,
    /** Further prompts. A fix round is a later turn of its step. */
    followUps: countRows((row) => row.turn === 0 && !pulls.some(({ history }) => history?.rows[0] === row)),
    rounds: countRows(({ turn }) => turn > 0),
    /** The prompts and rounds that changed nothing. */
    unchanged: countRows(({ effect }) => effect === 'unchanged' || effect === 'none'),
    /** The mean of the known shares. */
    keptLines: shares.length === 0 ? undefined : round(shares.reduce((a, b) => a + b) / shares.length, 3),
    hoursToMerge: getHoursToMerge(pulls),
  }
}

/** Returns the Monday of a time's week in UTC, in milliseconds. 1970 began on a Thursday. */
const toMonday = (ms: number): number => (Math.floor((ms / DAY_MS + 3) / 7) * 7 - 3) * DAY_MS

interface Week extends Counts {
  /** Its Monday, such as `2026-11-23`. */
  readonly week: string
}

function countWeeks(pulls: readonly AgentPullRequest[], since: Date, now: Date): readonly Week[] {
  const weeks: Week[] = []
  for (let monday = toMonday(now.getTime()); monday >= toMonday(since.getTime()); monday -= 7 * DAY_MS) {
    const ofWeek = pulls.filter(({ createdAt }) => toMonday(Date.parse(createdAt)) === monday)
    weeks.push({ week: new Date(monday).toISOString().slice(0, 'YYYY-MM-DD'.length), ...countStates(ofWeek) })
  }
  return weeks
}

export interface Numbers extends Counts {
  readonly hoursToMerge: number | undefined
  readonly prompts: readonly PromptGroup[]
  readonly weeks: readonly Week[]
}

/**
 * Counts pull requests, in total, and the newest first by prompt and by the week in which they were opened.
 * @param since those that were opened before are not counted
 */
export function countPullRequests(all: readonly AgentPullRequest[], since: Date, now: Date): Numbers {
  const pulls = all.filter(({ createdAt }) => Date.parse(createdAt) > since.getTime())
  const prompts = [...new Set(pulls.map((pull) => getFirstRow(pull)?.prompt))]
  const groups = prompts.map((prompt) =>
    describeGroup(
      prompt,
      pulls.filter((pull) => getFirstRow(pull)?.prompt === prompt),
    ),
  )
  return {
    ...countStates(pulls),
    hoursToMerge: getHoursToMerge(pulls),
    prompts: groups.toSorted((a, b) => b.last.localeCompare(a.last)),
    weeks: countWeeks(pulls, since, now),
  }
}
