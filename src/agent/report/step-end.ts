import type { Job, PullRequestLink } from '../../docs-service/schemas.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { Task } from '../inputs.ts'
import type { Outcome, PullRequestOperation, Report } from './report.ts'
import {
  type Ended,
  type FixRounds,
  type FollowUpReason,
  getEnd,
  getFollowUpReason,
  getLastFindings,
  getNewest,
  getProgress,
  getReads,
  isFixRoundRunning,
  type Progress,
  type PullRequestFindings,
  type Turn,
  type TurnEnd,
  type Turns,
  withoutStop,
} from './turn.ts'
import {
  findDecidingStop,
  getEndedOutcome,
  getFixRounds,
  getPullRequestOperation,
  getStopOutcome,
  hasChangedInRound,
} from './turns.ts'

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
  | Exclude<TurnEnd, Ended>

function getEndOfTurns(turns: Turns, skipReason: string | undefined): StepEnd {
  const stopped = findDecidingStop(turns)
  if (stopped !== undefined) return { kind: 'stopped', outcome: getStopOutcome(stopped), error: stopped.error }
  const end = getEnd(turns[0])
  if (end === undefined)
    return skipReason === undefined ? { kind: 'without-end' } : { kind: 'nothing-to-do', reason: skipReason }
  if (end.kind !== 'ended') return end
  return { kind: 'ended', outcome: hasChangedInRound(turns) ? 'pull-request' : getEndedOutcome(end) }
}

export function getStepEnd(report: Report): StepEnd {
  switch (report.kind) {
    case 'no-key':
      return { kind: 'no-key' }
    case 'not-started':
      return { kind: 'stopped', outcome: 'error', error: report.error }
    case 'ran':
      return getEndOfTurns(report.turns, report.skipReason)
    case 'running': {
      const { turns } = report
      const end = getEndOfTurns(turns, undefined)
      // A running fix round may still add commits.
      const mayChange = end.kind === 'ended' && end.outcome === 'no-changes' && isFixRoundRunning(getFixRounds(turns))
      return getEnd(turns[0]) === undefined || mayChange ? { kind: 'under-way' } : end
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
  return turn === undefined || report.dryRun === true ? undefined : getReads(turn.state).job
}

/** Returns the job as it was last read, including in fix rounds. */
export function getLastReadJob(report: Report): Job | undefined {
  const turns = getTurns(report)
  const inRound = turns !== undefined && turns.length > 1 ? getReads(getNewest(turns).state).job : undefined
  return inRound ?? getJob(report)
}

/** Returns the error of the newest read in the step's own turn, if that read failed. */
export function getLastProblem(report: Report): ActionError | undefined {
  const turn = getOwnTurn(report)
  return turn && getReads(turn.state).lastProblem
}

export function getStepProgress(report: Report): Progress | undefined {
  const turn = getOwnTurn(report)
  return turn && getProgress(turn)
}

/** Whether the service may have accepted a prompt although no valid response was received. */
export function isDeliveryUnknown(report: Report): boolean {
  const turn = getOwnTurn(report)
  return turn !== undefined && withoutStop(turn.state).kind === 'delivery-unknown'
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
  return turns === undefined ? { rounds: [] } : getFixRounds(turns)
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
