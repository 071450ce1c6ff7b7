import type { TerminalStatus } from '../../docs-service/schemas.ts'
import type { ActionError } from '../../runtime/errors.ts'
import {
  type Ended,
  getEnd,
  getEnded,
  getFindings,
  getFollowUpReason,
  getProgress,
  getReads,
  getWork,
  isSent,
  mayHaveChanged,
  type RoundStop,
  type Stopped,
  type Turn,
  type TurnEnd,
  type Work,
} from './turn.ts'
import type { Facts, Outcome, PullRequestOperation, Report } from './report.ts'

/** The turns of a step, the oldest first. The first is the step's own, further ones are rounds that send failing checks back. */
export type Turns = readonly [Turn, ...Turn[]]

export function getNewest(turns: Turns): Turn {
  return turns.at(-1) ?? turns[0]
}

/** What stops a round takes nothing from the result of the step's own turn; but a cancelled run is cancelled, and a defect is red. */
function isFatal(stopped: Stopped): boolean {
  return stopped.error.code === 'internal' || getStopOutcome(stopped) === 'cancelled'
}

/** What an error that stopped a turn makes of it. */
export function getStopOutcome({ error, isCancelled }: Stopped): Outcome {
  if (error.code === 'internal') return 'error'
  if (error.code === 'cancelled' || isCancelled) return 'cancelled'
  return error.code === 'deadline' ? 'timed-out' : 'error'
}

/** What the job's status and its pull request say of a turn that was seen to end. */
function getEndedOutcome({ job, work }: Ended): Outcome {
  switch (job.status) {
    case 'failed':
    case 'archived':
      return job.status
    case 'completed':
      return getWorkOutcome(work)
  }
}

function getWorkOutcome(work: Work): Outcome {
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

/** What became of one turn. */
export function getEndOutcome(end: TurnEnd): Outcome {
  switch (end.kind) {
    case 'not-sent':
      return end.reason
    case 'previewed':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
      return end.kind
    case 'ended':
      return getEndedOutcome(end)
    case 'unusable-link':
    case 'left-behind':
      return 'error'
  }
}

/** What keeps a turn from being what was asked for; undefined for an end that needs no error to explain it. */
function getEndError(end: TurnEnd): ActionError | undefined {
  switch (end.kind) {
    case 'previewed':
    case 'submitted':
    case 'unconfirmed':
    case 'ended':
      return undefined
    case 'not-sent':
    case 'timed-out':
    case 'unusable-link':
    case 'left-behind':
      return end.error
  }
}

function toOperation(turn: Turn): PullRequestOperation | undefined {
  const { kind } = getWork(turn)
  return kind === 'none' || kind === 'unknown' ? undefined : kind
}

/** The error that decides what became of the step, if one does. */
function findDecidingStop(turns: Turns): Stopped | undefined {
  const { state } = getNewest(turns)
  if (state.kind !== 'stopped') return undefined
  return getEnd(turns[0]) === undefined || isFatal(state) ? state : undefined
}

/** What stopped a round, or what was to lead to one, and is not reported otherwise. */
export function findUnreportedError(turns: Turns): ActionError | undefined {
  const { state, roundStop } = getNewest(turns)
  if (state.kind !== 'stopped' || findDecidingStop(turns) !== undefined) return undefined
  const isReported = roundStop !== undefined && state.error.code === 'not-sent'
  return isReported ? undefined : state.error
}

/** The rounds that were sent; one that is on its way is among them. */
export function sentRounds([, ...rounds]: Turns): readonly Turn[] {
  return rounds.filter(isSent)
}

/** Why no round follows a turn after which the job has this status; undefined if one may follow. */
export function stopForStatus(status: TerminalStatus): RoundStop | undefined {
  switch (status) {
    case 'failed':
    case 'archived':
      return status
    case 'completed':
      return undefined
  }
}

/** Why no round follows an ended turn; undefined if its pull request is to be looked at. */
function stopAfterEnded({ job, work }: Ended): RoundStop | undefined {
  return stopForStatus(job.status) ?? stopAfterWork(work)
}

function stopAfterWork(work: Work): RoundStop | undefined {
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

/** What the end of a round means for further ones. */
function stopAfterRound(end: TurnEnd): RoundStop | undefined {
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
      return stopAfterEnded(end)
    case 'unusable-link':
      return 'other-pull-request'
    case 'left-behind':
      return 'left-behind'
  }
}

/** Why failing checks go back no further, as far as the turns tell; undefined if another round may follow. */
export function getRoundStop(turns: Turns): RoundStop | undefined {
  const { state, roundStop } = getNewest(turns)
  const [own, ...rounds] = turns
  if (roundStop !== undefined || getEnd(own) === undefined) return roundStop
  const round = rounds.at(-1)
  const end = round && getEnd(round)
  if (state.kind === 'stopped' && !isFatal(state))
    return round !== undefined && end === undefined && isSent(round) ? 'unseen' : 'not-sent'
  return end && stopAfterRound(end)
}

/** Whether the step has a pull request to follow. */
export function isToTrack(turns: Turns): boolean {
  return getEnded(turns[0])?.job.prLink !== undefined && getRoundStop(turns) === undefined
}

const hasUpdated = (turn: Turn): boolean => getWork(turn).kind === 'updated'
/** Whether a turn has ended, and GitHub did not say what it did to the pull request. */
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

/** How many commits the agent has added, as far as turns can tell: without those of a pull request that a turn has opened. */
export function countCommits(turns: readonly Turn[]): number {
  return turns.reduce((sum, turn) => sum + getCommitCount(turn), 0)
}

/**
 * What the step did to the pull request. Commits from rounds count as the step's work. While a round may still push, or may
 * have pushed, `unchanged` cannot be claimed.
 */
export function getPullRequestOperation(turns: Turns): PullRequestOperation | undefined {
  const [own, ...rounds] = turns
  const operation = toOperation(own)
  if (operation === 'created' || getEnd(own) === undefined) return operation
  if (rounds.some(hasUpdated)) return 'updated'
  const mayPush = mayHaveChanged({ rounds: sentRounds(turns), stop: getRoundStop(turns) })
  return operation === 'unchanged' && (mayPush || rounds.some(isWorkUnknown)) ? undefined : operation
}

/** What became of the step. @param skipReason why nothing was sent, if the change that started the run was no reason to */
export function getOutcome(turns: Turns, skipReason?: string): Outcome {
  const [own, ...rounds] = turns
  const stopped = findDecidingStop(turns)
  if (stopped !== undefined) return getStopOutcome(stopped)
  const end = getEnd(own)
  if (end === undefined) return skipReason === undefined ? 'error' : 'skipped'
  return rounds.some((round) => hasUpdated(round) || isWorkUnknown(round)) ? 'pull-request' : getEndOutcome(end)
}

/** All that is known of a step, whether it has ended or not. */
export function createReport(turns: Turns, facts: Facts): Report {
  const [own] = turns
  const end = getEnd(own)
  const stopped = findDecidingStop(turns)
  return {
    ...facts,
    ...getReads(own.state),
    // A dry run has no job of its own, whichever it has read.
    ...(facts.dryRun === true && { job: undefined }),
    task: own.task,
    progress: getProgress(own),
    continued: getFollowUpReason(own),
    pullRequest: turns.map(getFindings).findLast((found) => found !== undefined),
    outcome: getOutcome(turns, facts.skipReason),
    preview: end?.kind === 'previewed' ? end : undefined,
    operation: getPullRequestOperation(turns),
    error: stopped === undefined ? end && getEndError(end) : stopped.error,
    jobInRound: turns.length > 1 ? getReads(getNewest(turns).state).job : undefined,
    rounds: sentRounds(turns),
    stop: getRoundStop(turns),
  }
}
