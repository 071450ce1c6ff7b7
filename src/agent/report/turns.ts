/**
 * Derives the result of a step from its turns: its end, outcome and error, its pull request, and whether another fix round
 * follows. Hides which turn decides each of these.
 */
import type { TerminalStatus, Job, PullRequestLink } from '../../docs-service/schemas.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { Task } from '../inputs.ts'
import type { Outcome, PullRequestOperation, Report } from './report.ts'
import {
  type EndedState,
  type FixRounds,
  getDecidedStop,
  getTurnEnd,
  getEndedState,
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
  type FollowUpReason,
  getFollowUpReason,
  getLastFindings,
  getProgress,
  getReads,
  isFixRoundRunning,
  type Progress,
  type PullRequestFindings,
  unwrapStopped,
} from './turn.ts'

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

type JobOutcome = Extract<Outcome, 'pull-request' | 'no-changes' | 'failed' | 'archived'>

/** Returns the outcome of a turn whose end was seen, from the job's status and its pull request. */
export function getJobOutcome({ job, work }: EndedState): JobOutcome {
  switch (job.status) {
    case 'failed':
    case 'archived':
      return job.status
    case 'completed':
      return getWorkOutcome(work)
  }
}

function getWorkOutcome(work: Work): JobOutcome {
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
function findDecidingStop(turns: Turns): Stopped | undefined {
  const { state } = getNewest(turns)
  if (state.kind !== 'stopped') return undefined
  return getTurnEnd(turns[0]) === undefined || isFatal(state) ? state : undefined
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
function getStopAfterEnd({ job, work }: EndedState): RoundStop | undefined {
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

/** Returns why no further fix round follows, or `may-follow` if nothing has ruled one out. */
export function getRoundStop(turns: Turns): FixRounds['stop'] {
  const newest = getNewest(turns)
  const { state } = newest
  const roundStop = getDecidedStop(newest)
  const [own, ...rounds] = turns
  if (roundStop !== undefined) return roundStop
  if (getTurnEnd(own) === undefined) return 'may-follow'
  const round = rounds.at(-1)
  const end = round && getTurnEnd(round)
  if (state.kind === 'stopped' && !isFatal(state))
    return round !== undefined && end === undefined && isSent(round) ? 'unseen' : 'not-sent'
  return (end && getStopAfterRound(end)) ?? 'may-follow'
}

/** Returns the fix rounds that were sent, and why none follows. */
function getFixRounds(turns: Turns): FixRounds {
  return { rounds: listSentRounds(turns), stop: getRoundStop(turns) }
}

/** Whether the step must track a pull request. */
export function shouldTrackPullRequest(turns: Turns): boolean {
  return getEndedState(turns[0])?.job.prLink !== undefined && getRoundStop(turns) === 'may-follow'
}

const hasUpdated = (turn: Turn): boolean => getWork(turn).kind === 'updated'
/** Whether the turn has ended, but it is unknown what it did to the pull request. */
const isWorkUnknown = (turn: Turn): boolean => getTurnEnd(turn)?.kind === 'ended' && getWork(turn).kind === 'unknown'

function getCommitsOfUpdate(turn: Turn): number {
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

/** Counts the commits that the agent has added to existing pull requests. Their number in a new pull request is unknown. */
export function countCommitsOfUpdates(turns: readonly Turn[]): number {
  return turns.reduce((sum, turn) => sum + getCommitsOfUpdate(turn), 0)
}

/**
 * Returns what the step did to the pull request. Commits from fix rounds count as the step's work. While a round may still
 * push, or may have pushed, the result is not `unchanged`.
 */
export function getPullRequestOperation(turns: Turns): PullRequestOperation | undefined {
  const [own, ...rounds] = turns
  const operation = toOperation(own)
  if (operation === 'created' || getTurnEnd(own) === undefined) return operation
  if (rounds.some(hasUpdated)) return 'updated'
  const mayPush = mayHaveUnseenChanges(getFixRounds(turns))
  return operation === 'unchanged' && (mayPush || rounds.some(isWorkUnknown)) ? undefined : operation
}

/** Whether a round changed the pull request, or may have changed it. */
function hasChangedInRound([, ...rounds]: Turns): boolean {
  return rounds.some((round) => hasUpdated(round) || isWorkUnknown(round))
}

/** How a step ended, or that it has not ended. Outcome, error and texts of the step derive from this. */
export type StepEnd =
  | { readonly kind: 'no-key' }
  /** The step was skipped. */
  | { readonly kind: 'nothing-to-do'; readonly reason: string }
  /** The step is running: its turn or a fix round may still change the result. */
  | { readonly kind: 'under-way' }
  /** The step has ended without an end of its turn. */
  | { readonly kind: 'without-end' }
  | {
      readonly kind: 'stopped'
      readonly outcome: Extract<Outcome, 'error' | 'cancelled' | 'timed-out'>
      readonly error: ActionError
    }
  /** The end of the step's own turn was seen. Changes by fix rounds count too. */
  | {
      readonly kind: 'ended'
      readonly outcome: Extract<Outcome, 'pull-request' | 'no-changes' | 'failed' | 'archived'>
    }
  | Exclude<TurnEnd, EndedState>

function deriveStepEnd(turns: Turns, skipReason: string | undefined): StepEnd {
  const stopped = findDecidingStop(turns)
  if (stopped !== undefined) return { kind: 'stopped', outcome: getStopOutcome(stopped), error: stopped.error }
  const end = getTurnEnd(turns[0])
  if (end === undefined)
    return skipReason === undefined ? { kind: 'without-end' } : { kind: 'nothing-to-do', reason: skipReason }
  if (end.kind !== 'ended') return end
  return { kind: 'ended', outcome: hasChangedInRound(turns) ? 'pull-request' : getJobOutcome(end) }
}

export function getStepEnd(report: Report): StepEnd {
  switch (report.kind) {
    case 'no-key':
      return { kind: 'no-key' }
    case 'not-started':
      return { kind: 'stopped', outcome: 'error', error: report.error }
    case 'ran':
      return deriveStepEnd(report.turns, report.skipReason)
    case 'running': {
      const { turns } = report
      const end = deriveStepEnd(turns, undefined)
      // A running fix round may still add commits.
      const mayChange = end.kind === 'ended' && end.outcome === 'no-changes' && isFixRoundRunning(getFixRounds(turns))
      return getTurnEnd(turns[0]) === undefined || mayChange ? { kind: 'under-way' } : end
    }
  }
}

export function getOutcome(report: Report): Outcome {
  const end = getStepEnd(report)
  switch (end.kind) {
    case 'no-key':
    case 'nothing-to-do':
      return 'skipped'
    case 'under-way':
      return 'submitted'
    case 'stopped':
    case 'ended':
      return end.outcome
    case 'not-sent':
      return end.reason
    case 'previewed':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
      return end.kind
    case 'without-end':
    case 'unusable-link':
    case 'left-behind':
      return 'error'
  }
}

/** Returns the error that prevented the step's work. The step is then red regardless of `fail-on`. */
export function getError(report: Report): ActionError | undefined {
  const end = getStepEnd(report)
  switch (end.kind) {
    case 'stopped':
    case 'not-sent':
    case 'timed-out':
    case 'unusable-link':
    case 'left-behind':
      return end.error
    case 'no-key':
    case 'nothing-to-do':
    case 'under-way':
    case 'without-end':
    case 'ended':
    case 'previewed':
    case 'submitted':
    case 'unconfirmed':
      return undefined
  }
}

/** Whether the step has examined the pull request of its job, because it has seen the end of a turn. */
export function isPullRequestInspected(report: Report): boolean {
  const end = getStepEnd(report)
  switch (end.kind) {
    case 'ended':
      return getJob(report)?.prLink !== undefined
    case 'no-key':
    case 'nothing-to-do':
    case 'under-way':
    case 'without-end':
    case 'stopped':
    case 'not-sent':
    case 'previewed':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
    case 'unusable-link':
    case 'left-behind':
      return false
  }
}

/** Returns `undefined` if the step did not run. */
function getTurns(report: Report): Turns | undefined {
  switch (report.kind) {
    case 'ran':
    case 'running':
      return report.turns
    case 'no-key':
    case 'not-started':
      return undefined
  }
}

export function getOwnTurn(report: Report): Turn | undefined {
  return getTurns(report)?.[0]
}

/** Returns `undefined` if the step did not run. */
export function getTask(report: Report): Task | undefined {
  return getOwnTurn(report)?.task
}

/** Returns the job of the step's own turn. A dry run has none, even if it has read a job. */
export function getJob(report: Report): Job | undefined {
  const turn = getOwnTurn(report)
  return turn === undefined || report.dryRun === true ? undefined : getReads(turn).job
}

/** Returns the job as it was last read, including in fix rounds. */
export function getLastReadJob(report: Report): Job | undefined {
  const turns = getTurns(report)
  const inRound = turns !== undefined && turns.length > 1 ? getReads(getNewest(turns)).job : undefined
  return inRound ?? getJob(report)
}

/** Returns the error of the newest read in the step's own turn, if that read failed. */
export function getLastProblem(report: Report): ActionError | undefined {
  const turn = getOwnTurn(report)
  return turn && getReads(turn).lastProblem
}

export function getStepProgress(report: Report): Progress | undefined {
  const turn = getOwnTurn(report)
  return turn && getProgress(turn)
}

/** Whether the service may have accepted a prompt although no valid response was received. */
export function isDeliveryUnknown(report: Report): boolean {
  const turn = getOwnTurn(report)
  return turn !== undefined && unwrapStopped(turn.state).kind === 'delivery-unknown'
}

export function getStepFollowUpReason(report: Report): FollowUpReason | undefined {
  const turn = getOwnTurn(report)
  return turn && getFollowUpReason(turn)
}

/** Returns the newest findings about the pull request. Empty if the step has not examined it. */
export function getPullRequest(report: Report): PullRequestFindings {
  const turns = getTurns(report)
  return report.pullRequestAtEnd ?? (turns && getLastFindings(turns)) ?? {}
}

export function getOperation(report: Report): PullRequestOperation | undefined {
  const turns = getTurns(report)
  return turns && getPullRequestOperation(turns)
}

/** Returns the fix rounds that were sent, and why none follows. */
export function getRounds(report: Report): FixRounds {
  const turns = getTurns(report)
  return turns === undefined ? { rounds: [], stop: 'may-follow' } : getFixRounds(turns)
}

/** Returns the id of the job for later steps to follow up on or attach to. A dry run has none. */
export function getJobId(report: Report): string | undefined {
  if (report.dryRun === true) return undefined
  const task = getTask(report)
  return getJob(report)?.id ?? (task?.kind === 'create' ? undefined : task?.jobId)
}

/**
 * Returns the pull request to show for this step. After a follow-up that did not complete, the job's pull request comes from an
 * earlier turn: it is shown only if its state was read from GitHub.
 */
export function getOwnLink(report: Report): PullRequestLink | undefined {
  const outcome = getOutcome(report)
  const hasEnded = getOperation(report) !== undefined || outcome === 'pull-request' || outcome === 'no-changes'
  const isOwn = getStepProgress(report) === undefined || hasEnded || getPullRequest(report).state !== undefined
  return isOwn ? getJob(report)?.prLink : undefined
}
