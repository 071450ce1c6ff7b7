import type { TerminalStatus } from '../../docs-service/schemas.ts'
import type { ActionError } from '../../runtime/errors.ts'
import {
  type Ended,
  type FixRounds,
  getDecidedStop,
  getEnd,
  getEnded,
  getNewest,
  getWork,
  isSent,
  mayHaveUnseenChanges,
  type RoundStop,
  type Stopped,
  type Turn,
  type TurnEnd,
  type Turns,
  type Work,
} from './turn.ts'
import type { Outcome, PullRequestOperation } from './report.ts'

/** Whether an error changes the result of the step even if it stopped a fix round: the run was cancelled, or it is a bug. */
function isFatal(stopped: Stopped): boolean {
  return stopped.error.code === 'internal' || getStopOutcome(stopped) === 'cancelled'
}

/** Returns the outcome of a turn that an error stopped. */
export function getStopOutcome({ error, isCancelled }: Stopped): Extract<Outcome, 'error' | 'cancelled' | 'timed-out'> {
  if (error.code === 'internal') return 'error'
  if (error.code === 'cancelled' || isCancelled) return 'cancelled'
  return error.code === 'deadline' ? 'timed-out' : 'error'
}

type EndedOutcome = Extract<Outcome, 'pull-request' | 'no-changes' | 'failed' | 'archived'>

/** Returns the outcome of a turn whose end was seen, from the job's status and its pull request. */
export function getEndedOutcome({ job, work }: Ended): EndedOutcome {
  switch (job.status) {
    case 'failed':
    case 'archived':
      return job.status
    case 'completed':
      return getWorkOutcome(work)
  }
}

function getWorkOutcome(work: Work): EndedOutcome {
  switch (work.kind) {
    case 'created':
    case 'updated':
    case 'unknown':
      return 'pull-request'
    case 'unchanged':
    case 'none':
      return 'no-changes'
  }
}

function toOperation(turn: Turn): PullRequestOperation | undefined {
  const { kind } = getWork(turn)
  return kind === 'none' || kind === 'unknown' ? undefined : kind
}

/** Returns the error that decides the outcome of the step, if there is one. */
export function findDecidingStop(turns: Turns): Stopped | undefined {
  const { state } = getNewest(turns)
  if (state.kind !== 'stopped') return undefined
  return getEnd(turns[0]) === undefined || isFatal(state) ? state : undefined
}

/** Returns the error that stopped a fix round, or the work before it, if the report does not show it otherwise. */
export function findUnreportedError(turns: Turns): ActionError | undefined {
  const newest = getNewest(turns)
  const { state } = newest
  if (state.kind !== 'stopped' || findDecidingStop(turns) !== undefined) return undefined
  const isReported = getDecidedStop(newest) !== undefined && state.error.code === 'not-sent'
  return isReported ? undefined : state.error
}

/** Lists the fix rounds that were sent, including a running one. */
export function listSentRounds([, ...rounds]: Turns): readonly Turn[] {
  return rounds.filter(isSent)
}

/** Returns why no fix round follows when the job has this status, or `undefined` if one may follow. */
export function getStopForStatus(status: TerminalStatus): RoundStop | undefined {
  switch (status) {
    case 'failed':
    case 'archived':
      return status
    case 'completed':
      return undefined
  }
}

/** Returns why no fix round follows an ended turn, or `undefined` if its pull request decides. */
function getStopAfterEnd({ job, work }: Ended): RoundStop | undefined {
  return getStopForStatus(job.status) ?? getStopForWork(work)
}

function getStopForWork(work: Work): RoundStop | undefined {
  switch (work.kind) {
    case 'created':
    case 'none':
      return 'other-pull-request'
    case 'unchanged':
      return work.hasHeadMoved ? undefined : 'no-new-commit'
    case 'updated':
    case 'unknown':
      return undefined
  }
}

/** Returns why no fix round follows the end of another one, or `undefined` if one may follow. */
function getStopAfterRound(end: TurnEnd): RoundStop | undefined {
  switch (end.kind) {
    case 'previewed':
      return 'not-sent'
    case 'not-sent':
      return end.reason === 'archived' ? 'archived' : 'not-sent'
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
      return 'unseen'
    case 'ended':
      return getStopAfterEnd(end)
    case 'unusable-link':
      return 'other-pull-request'
    case 'left-behind':
      return 'left-behind'
  }
}

/** Returns why no further fix round follows, or `undefined` if one may follow. */
export function getRoundStop(turns: Turns): RoundStop | undefined {
  const newest = getNewest(turns)
  const { state } = newest
  const roundStop = getDecidedStop(newest)
  const [own, ...rounds] = turns
  if (roundStop !== undefined || getEnd(own) === undefined) return roundStop
  const round = rounds.at(-1)
  const end = round && getEnd(round)
  if (state.kind === 'stopped' && !isFatal(state))
    return round !== undefined && end === undefined && isSent(round) ? 'unseen' : 'not-sent'
  return end && getStopAfterRound(end)
}

/** Returns the fix rounds that were sent, and why none follows. */
export function getFixRounds(turns: Turns): FixRounds {
  return { rounds: listSentRounds(turns), stop: getRoundStop(turns) }
}

/** Whether the step must track a pull request. */
export function shouldTrackPullRequest(turns: Turns): boolean {
  return getEnded(turns[0])?.job.prLink !== undefined && getRoundStop(turns) === undefined
}

const hasUpdated = (turn: Turn): boolean => getWork(turn).kind === 'updated'
/** Whether the turn has ended, but it is unknown what it did to the pull request. */
const isWorkUnknown = (turn: Turn): boolean => getEnd(turn)?.kind === 'ended' && getWork(turn).kind === 'unknown'

function getCommitCount(turn: Turn): number {
  const work = getWork(turn)
  switch (work.kind) {
    case 'updated':
      return work.commits
    case 'created':
    case 'unchanged':
    case 'none':
    case 'unknown':
      return 0
  }
}

/** Counts the commits that the agent has added to existing pull requests. Those of a new pull request are unknown. */
export function countCommits(turns: readonly Turn[]): number {
  return turns.reduce((sum, turn) => sum + getCommitCount(turn), 0)
}

/**
 * Returns what the step did to the pull request. Commits from fix rounds count as the step's work. While a round may still
 * push, or may have pushed, the result is not `unchanged`.
 */
export function getPullRequestOperation(turns: Turns): PullRequestOperation | undefined {
  const [own, ...rounds] = turns
  const operation = toOperation(own)
  if (operation === 'created' || getEnd(own) === undefined) return operation
  if (rounds.some(hasUpdated)) return 'updated'
  const mayPush = mayHaveUnseenChanges(getFixRounds(turns))
  return operation === 'unchanged' && (mayPush || rounds.some(isWorkUnknown)) ? undefined : operation
}

/** Whether a round changed the pull request, or may have changed it. */
export function hasChangedInRound([, ...rounds]: Turns): boolean {
  return rounds.some((round) => hasUpdated(round) || isWorkUnknown(round))
}
