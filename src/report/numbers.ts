/** Counts what happened to the agent's pull requests, in the form of the output `result`. */
import type { History, HistoryRow } from '../agent/history/state.ts'
import type { DetailedPullRequest } from '../github/pull-requests.ts'
import { DAY_MS } from '../runtime/clock.ts'
import { joinWords } from '../text/format.ts'

/** A pull request that a bot opened, or that a trusted history shows to be the agent's. */
export interface AgentPullRequest extends DetailedPullRequest {
  readonly url: string
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

/** An open pull request that needs attention. */
interface Waiting {
  readonly pull: AgentPullRequest
  /** Contains no text by others, as `to_do`. */
  readonly why: string
  readonly to_do: string
  readonly days: number
}

function listWaiting(pulls: readonly AgentPullRequest[], now: Date): readonly Waiting[] {
  return pulls.flatMap((pull) => {
    const { state, createdAt, endedAt, asked, history, hasConflict, hasFailedChecks } = pull
    if (endedAt !== undefined) return []
    const age = (now.getTime() - Date.parse(createdAt)) / DAY_MS
    const days = Math.floor(age)
    const last = history?.rows.at(-1)
    const review = asked.length === 0 ? 'ask somebody for a review' : 'remind those who were asked for a review'
    const rows = [
      [age > MAX_OPEN_DAYS, `open for ${days} days`, state === 'draft' ? 'mark it as ready' : review],
      [last !== undefined && hasFailed(last, now), 'the agent did not finish', 'check what is missing'],
      [hasConflict, 'conflicts with its base branch', 'resolve the conflict, or ask the agent to'],
      [hasFailedChecks, 'checks failed', 'look at the checks'],
    ] as const
    const reasons = rows.filter(([applies]) => applies)
    const why = joinWords(reasons.map(([, reason]) => reason))
    return reasons.length === 0 ? [] : [{ pull, why, to_do: reasons.map(([, , toDo]) => toDo).join('; '), days }]
  })
}

function getState({ endedAt, state, isEdited }: AgentPullRequest) {
  if (endedAt === undefined) return 'open'
  if (state === 'closed') return 'closed'
  return isEdited === true ? 'merged_after_edits' : 'merged_as_opened'
}

export type Counts = Readonly<ReturnType<typeof countStates>>

function countStates(pulls: readonly AgentPullRequest[]) {
  const counts = { opened: pulls.length, merged_as_opened: 0, merged_after_edits: 0, closed: 0, open: 0 }
  for (const pull of pulls) counts[getState(pull)]++
  return counts
}

/** Undefined if there is no value. */
const getMean = (values: readonly number[], digits: number): number | undefined =>
  values.length === 0 ? undefined : Number((values.reduce((a, b) => a + b) / values.length).toFixed(digits))

/** Returns the median of the merged ones. Undefined if there is none. */
function getHoursToMerge(pulls: readonly AgentPullRequest[]): number | undefined {
  const merged = pulls.filter(({ state }) => state === 'merged')
  const hours = merged.map(({ createdAt, endedAt = '' }) => (Date.parse(endedAt) - Date.parse(createdAt)) / HOUR_MS)
  const middle = hours.length / 2
  return getMean(hours.toSorted((a, b) => a - b).slice(Math.ceil(middle) - 1, Math.floor(middle) + 1), 1)
}

/** Returns the row of the turn that opened the pull request. Undefined if the history begins later. */
function getFirstRow({ history }: AgentPullRequest): HistoryRow | undefined {
  const first = history?.dropped === 0 ? history.rows[0] : undefined
  return first?.effect === 'updated' || first?.effect === 'unchanged' ? undefined : first
}

export type PromptGroup = Readonly<ReturnType<typeof describePrompt>>

/** @param prompt undefined: no trusted history shows which prompt opened them */
function describePrompt(prompt: string | undefined, pulls: readonly AgentPullRequest[]) {
  const counts = countStates(pulls)
  const laterRows = prompt === undefined ? undefined : pulls.flatMap(({ history }) => history?.rows.slice(1) ?? [])
  const countRows = (isCounted: (row: HistoryRow) => boolean) => laterRows?.filter(isCounted).length
  const opened = pulls.map(({ createdAt }) => createdAt).toSorted()
  return {
    prompt,
    file: pulls.map((pull) => getFirstRow(pull)?.file).findLast((file) => file !== undefined),
    first: opened[0] ?? '',
    last: opened.at(-1) ?? '',
    ...counts,
    comparable: counts.opened - counts.open >= MIN_COMPARED,
    // A fix round is a later turn of its step.
    follow_ups: countRows(({ turn }) => turn === 0),
    rounds: countRows(({ turn }) => turn > 0),
    unchanged: countRows(({ effect }) => effect === 'unchanged' || effect === 'none'),
    kept_lines: getMean(
      pulls.flatMap(({ keptShare }) => keptShare ?? []),
      3,
    ),
    hours_to_merge: getHoursToMerge(pulls),
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
  readonly hours_to_merge: number | undefined
  readonly waiting: readonly Waiting[]
  readonly prompts: readonly PromptGroup[]
  readonly weeks: readonly Week[]
}

/**
 * Counts pull requests, in total, and by prompt and by the week in which they were opened, the newest first.
 * @param since those that were opened before are not counted, but can need attention
 */
export function countPullRequests(all: readonly AgentPullRequest[], since: Date, now: Date): Numbers {
  const pulls = all.filter(({ createdAt }) => new Date(createdAt) > since)
  const groups = new Map<string | undefined, AgentPullRequest[]>()
  for (const pull of pulls) {
    const prompt = getFirstRow(pull)?.prompt
    groups.set(prompt, [...(groups.get(prompt) ?? []), pull])
  }
  return {
    ...countStates(pulls),
    hours_to_merge: getHoursToMerge(pulls),
    waiting: listWaiting(all, now),
    prompts: Array.from(groups, ([prompt, some]) => describePrompt(prompt, some)).toSorted((a, b) =>
      b.last.localeCompare(a.last),
    ),
    weeks: countWeeks(pulls, since, now),
  }
}
