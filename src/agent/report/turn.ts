/**
 * The states of a turn, and what each state implies. The compiler rejects code that does not handle a new state. `get…` takes a
 * turn; `with…` takes a state and returns the next one.
 */
import type { Job, TerminalJob } from '../../docs-service/schemas.ts'
import type { Check } from '../../github/checks.ts'
import type { PullRequest, PullRequestAddress } from '../../github/pull-requests.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { Task } from '../inputs.ts'

/** The value of the output `checks`. `none`: no check is registered. Never treat this as `success`. */
export type ChecksState = 'success' | 'failure' | 'pending' | 'none'

/** The last known state of a pull request. A field is undefined if it was not read or could not be read. */
export interface PullRequestFindings extends Partial<Pick<PullRequest, 'title' | 'state' | 'branch' | 'isBlocked'>> {
  /** The commit that `checks` and `outside` describe. */
  readonly headSha?: string
  readonly mergeable?: boolean
  /** Set with `wait-for-checks`. `failure` if a check of `checkList` failed. */
  readonly checks?: ChecksState
  /** Whether the pending checks stay pending until they are approved. */
  readonly waitsForApproval?: boolean
  /** Set with `wait-for-checks`: the checks that count. */
  readonly checkList?: readonly Check[]
  /** The paths that do not match `allowed-paths`. */
  readonly outside?: readonly string[]
}

export function listFailedChecks(checks: readonly Check[] = []): readonly Check[] {
  return checks.filter(({ state }) => state === 'failure')
}

/** Whether all files match `allowed-paths`; undefined if unknown. */
export function isInScope({ outside }: PullRequestFindings): boolean | undefined {
  return outside === undefined ? undefined : outside.length === 0
}

export function describePullRequest(pullRequest: PullRequest): PullRequestFindings {
  const { title, state, branch, headSha, mergeable, isBlocked } = pullRequest
  return { title, state, branch, headSha, isBlocked, ...(mergeable === undefined ? {} : { mergeable }) }
}

/** Why no further fix round follows. */
export const ROUND_STOP_REASONS = {
  passed: 'All its checks have passed.',
  'used-up': 'All fix rounds are used up.',
  'no-new-commit': 'The agent added no commit, so the same checks would fail again.',
  diverged: 'The commit that was checked is no longer in the pull request.',
  closed: 'The pull request is closed or merged.',
  'other-pull-request': 'The job no longer names this pull request.',
  'commits-by-others': 'Another author has pushed to the pull request.',
  'failed-before': 'The failed checks also fail without these changes.',
  'needs-person': 'The failed checks require an action that the agent cannot perform, such as signing an agreement.',
  'no-time': 'Less than ten minutes of `timeout-minutes` are left.',
  'no-failed-check': 'No check is known to have failed.',
  'not-sent': 'The failing checks could not be sent to the agent.',
  failed: 'The job failed.',
  archived: 'The job is archived, so it accepts no prompts.',
  'left-behind':
    'The pull request was merged or closed while the agent was working on the failing checks, and commits may not be merged.',
  unseen: 'The step did not see the agent finish its work on the failing checks.',
}

export type RoundStop = keyof typeof ROUND_STOP_REASONS

/** The fix rounds that were sent, including a running one. */
export interface FixRounds {
  readonly rounds: readonly Turn[]
  /** Why no further round follows. `may-follow`: nothing has ruled out a further round, or the step has no `fix-rounds`. */
  readonly stop: RoundStop | 'may-follow'
}

/** Whether failing checks were sent to the job, and the end of its turn was not seen. */
export function isFixRoundRunning({ rounds, stop }: FixRounds): boolean {
  return rounds.length > 0 && stop === 'may-follow'
}

/** Whether a round may have changed the pull request after it was last read. */
export function mayHaveUnseenChanges(fixRounds: FixRounds): boolean {
  const { rounds, stop } = fixRounds
  const isUnseen = stop === 'unseen' || stop === 'other-pull-request'
  return isFixRoundRunning(fixRounds) || (rounds.length > 0 && isUnseen)
}

/** Describes the rounds in full sentences. Empty without `fix-rounds`. */
export function formatFixRounds({ rounds, stop }: FixRounds): string[] {
  const why = stop === 'may-follow' || stop === 'passed' ? [] : [ROUND_STOP_REASONS[stop]]
  if (rounds.length === 0) return why.length === 0 ? [] : ['Failing checks were not sent back to the agent.', ...why]
  const count = rounds.length === 1 ? 'once' : `${rounds.length} times`
  const isLastUnknown = rounds.slice(-1).some(({ state }) => unwrapStopped(state).kind === 'delivery-unknown')
  const unknown = isLastUnknown ? ['It is unknown whether the service accepted the last of these prompts.'] : []
  return [`Failing checks were sent back to the agent ${count}.`, ...unknown, ...why]
}

/** Why a prompt is a follow-up to a pull request; the value of the output `continued`. */
export type FollowUpReason = 'pull-request' | 'comment'

/** What a turn did to the job's pull request. */
export type Work =
  /**
   * The turn opened the pull request. Its commits are not counted, because no output needs the number. `GET /pulls/{n}`, which the
   * step reads anyway, returns the number of all commits; only their list, another request, names the authors.
   */
  | { readonly kind: 'created' }
  /** `commits`: the number of the agent's new commits. `since`: the head before the turn. */
  | { readonly kind: 'updated'; readonly commits: number; readonly since: string }
  /** The agent added no commit. `hasHeadMoved`: other authors have pushed. */
  | { readonly kind: 'unchanged'; readonly hasHeadMoved: boolean }
  /** The job names no pull request, and the agent added no commit to the one that the job named before. */
  | { readonly kind: 'none' }
  /** The heads were not compared, or could not be read. */
  | { readonly kind: 'unknown' }

/** The results of the latest reads of the job. */
export interface JobReads {
  /** The latest successful read, or the response to the prompt. */
  readonly job?: Job | undefined
  /** Set if the latest read failed. */
  readonly lastProblem?: ActionError | undefined
}

/** The state of a turn that has no end yet. It is reported if the step ends in this state. */
type UnfinishedTurn =
  /** The step has not decided yet what to send. */
  | { readonly kind: 'planning' }
  /** Nothing was sent: the step waits for a busy job, or has not read the job to attach to. */
  | ({ readonly kind: 'preparing' } & JobReads)
  /** All checks before the prompt have passed. No response has arrived. */
  | ({ readonly kind: 'sending' } & JobReads)
  /** The prompt was sent, but no readable response arrived: the service may have accepted it. */
  | ({ readonly kind: 'delivery-unknown' } & JobReads)
  /** `isConfirmed`: the start of this turn was observed, or the job has no earlier turn to confuse it with. */
  | ({ readonly kind: 'accepted'; readonly job: Job; readonly isConfirmed: boolean } & JobReads)

/** The end of the job's turn was observed. Later reads of the job do not change it. */
export interface EndedState {
  readonly kind: 'ended'
  /** The job at the end of the turn. */
  readonly job: TerminalJob
  readonly work: Work
  /** Undefined if the pull request was not read after the turn. */
  readonly pullRequest?: PullRequestFindings
  /** Why no further round follows; undefined if that is not decided yet, or without `fix-rounds`. */
  readonly roundStop?: RoundStop | undefined
}

/** The link to the job's pull request is not safe to show. */
export interface UnusableLink {
  readonly kind: 'unusable-link'
  readonly job: Job
  readonly error: ActionError
}

/** A dry run stopped where it would have sent the prompt. */
export interface Previewed {
  readonly kind: 'previewed'
  /** The open pull request whose job would receive the prompt. */
  readonly pullRequest?: Pick<PullRequestAddress, 'number'> | undefined
  /** The number of the pull request that the job names, in any state. */
  readonly ofJob?: string | undefined
  /** Open pull requests whose job may be the one to receive the prompt, instead of a new job. */
  readonly undecided?: readonly number[] | undefined
  /** Whether the job that would receive the prompt was read, which requires a key. */
  readonly isJobRead: boolean
}

/** The final state of a turn, unless an error stops the turn. */
export type TurnEnd =
  | Previewed
  | ({ readonly kind: 'not-sent'; readonly reason: 'archived' | 'timed-out'; readonly error: ActionError } & JobReads)
  /** `wait` is `false`: the step does not wait for the end. */
  | { readonly kind: 'submitted'; readonly job: Job; readonly isConfirmed: boolean }
  /** The prompt was accepted, but the start of its turn was not observed. */
  | { readonly kind: 'unconfirmed'; readonly job: Job }
  | ({ readonly kind: 'timed-out'; readonly error?: ActionError } & JobReads)
  | EndedState
  | UnusableLink
  /** The pull request was merged or closed during the turn, so commits may be missing from the merge. */
  | {
      readonly kind: 'left-behind'
      readonly job: Job
      readonly error: ActionError
      readonly work: Work
      readonly pullRequest: PullRequestFindings
    }

/** An error stopped the turn, or the steps after its end. */
export interface Stopped {
  readonly kind: 'stopped'
  readonly error: ActionError
  readonly isCancelled: boolean
  readonly during: UnfinishedTurn | TurnEnd
  /** Why a round was not sent, if the last check before its prompt decided so. */
  readonly roundStop?: RoundStop | undefined
}

/** The state of a turn, with the data that is known in that state. */
export type TurnState = UnfinishedTurn | TurnEnd | Stopped

/** One prompt, or one wait for a job. */
export interface Turn {
  readonly task: Task
  readonly state: TurnState
  /** Undefined in the state `planning`. */
  readonly startedAt?: Date
  readonly followUpReason?: FollowUpReason | undefined
  /** The failed checks that a fix round sends. */
  readonly failing?: readonly Check[] | undefined
  /** Whether the log in the pull request may say that the agent is working on this turn. */
  readonly isInLog?: boolean
}

/** The turns of a step, oldest first: the step's own turn, then the fix rounds. */
export type Turns = readonly [Turn, ...Turn[]]

export function getNewest(turns: Turns): Turn {
  return turns.at(-1) ?? turns[0]
}

/** Returns the state that an error interrupted, or the state itself. */
export function unwrapStopped(state: TurnState): UnfinishedTurn | TurnEnd {
  return state.kind === 'stopped' ? state.during : state
}

/** Returns the end of a turn, even if an error stopped the steps after it. Undefined if the turn has no end. */
export function getTurnEnd({ state: given }: Turn): TurnEnd | undefined {
  const state = unwrapStopped(given)
  switch (state.kind) {
    case 'planning':
    case 'preparing':
    case 'sending':
    case 'delivery-unknown':
    case 'accepted':
      return undefined
    case 'previewed':
    case 'not-sent':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
    case 'ended':
    case 'unusable-link':
    case 'left-behind':
      return state
  }
}

/** Returns the observed end of the job's turn. Undefined for all other ends, such as an unusable link. */
export function getEndedState(turn: Turn): EndedState | undefined {
  const end = getTurnEnd(turn)
  return end?.kind === 'ended' ? end : undefined
}

/** Returns what the turn did to the pull request, as far as it is known. */
export function getWork({ state: given }: Turn): Work {
  const state = unwrapStopped(given)
  switch (state.kind) {
    case 'ended':
    case 'left-behind':
      return state.work
    case 'planning':
    case 'preparing':
    case 'sending':
    case 'delivery-unknown':
    case 'accepted':
    case 'previewed':
    case 'not-sent':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
    case 'unusable-link':
      return { kind: 'unknown' }
  }
}

/** Returns the latest known state of the job. */
export function getReads({ state: given }: Turn): JobReads {
  const state = unwrapStopped(given)
  switch (state.kind) {
    case 'planning':
    case 'previewed':
      return {}
    case 'preparing':
    case 'sending':
    case 'delivery-unknown':
    case 'accepted':
    case 'not-sent':
    case 'timed-out':
      return { job: state.job, lastProblem: state.lastProblem }
    case 'submitted':
    case 'unconfirmed':
    case 'ended':
    case 'unusable-link':
    case 'left-behind':
      return { job: state.job }
  }
}

/** Returns the state with a changed job, if it has a job. */
export function withJob(state: TurnState, change: <J extends Job>(job: J) => J): TurnState {
  switch (state.kind) {
    case 'planning':
    case 'previewed':
      return state
    case 'preparing':
    case 'sending':
    case 'delivery-unknown':
    case 'not-sent':
    case 'timed-out':
      return state.job === undefined ? state : { ...state, job: change(state.job) }
    case 'accepted':
    case 'submitted':
    case 'unconfirmed':
    case 'unusable-link':
    case 'left-behind':
      return { ...state, job: change(state.job) }
    case 'ended':
      return { ...state, job: change(state.job) }
    case 'stopped':
      return { ...state, during: unwrapStopped(withJob(state.during, change)) }
  }
}

/** Returns the state after another read of the job. A final state does not change. */
export function withReads(state: TurnState, reads: JobReads): TurnState {
  switch (state.kind) {
    case 'preparing':
    case 'sending':
    case 'delivery-unknown':
      return { ...state, ...reads }
    case 'accepted':
      return { ...state, ...reads, job: reads.job ?? state.job }
    case 'planning':
    case 'previewed':
    case 'not-sent':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
    case 'ended':
    case 'unusable-link':
    case 'left-behind':
    case 'stopped':
      return state
  }
}

/** Whether the service may have accepted the prompt. */
export function isSent({ state }: Turn): boolean {
  switch (unwrapStopped(state).kind) {
    case 'planning':
    case 'preparing':
    case 'sending':
    case 'previewed':
    case 'not-sent':
      return false
    case 'delivery-unknown':
    case 'accepted':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
    case 'ended':
    case 'unusable-link':
    case 'left-behind':
      return true
  }
}

/** Whether the agent may still be working on the turn when the step ends. */
export function mayStillRun({ state }: Turn): boolean {
  switch (unwrapStopped(state).kind) {
    case 'delivery-unknown':
    case 'accepted':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
      return true
    case 'planning':
    case 'preparing':
    case 'sending':
    case 'previewed':
    case 'not-sent':
    case 'ended':
    case 'unusable-link':
    case 'left-behind':
      return false
  }
}

/**
 * The delivery of a follow-up. `unsent`: not known to be accepted. `accepted`: the start of its turn was not observed, so the
 * job's state may be that of the preceding turn. `started`: the start was observed.
 */
export type Progress = 'unsent' | 'accepted' | 'started'

/** Undefined for other tasks, and in the state `planning`. */
export function getProgress({ task, state: given }: Turn): Progress | undefined {
  const state = unwrapStopped(given)
  if (task.kind !== 'follow-up') return undefined
  switch (state.kind) {
    case 'planning':
      return undefined
    case 'preparing':
    case 'sending':
    case 'previewed':
    case 'not-sent':
    case 'delivery-unknown':
      return 'unsent'
    case 'accepted':
    case 'submitted':
      return state.isConfirmed ? 'started' : 'accepted'
    case 'unconfirmed':
      return 'accepted'
    case 'timed-out':
    case 'ended':
    case 'unusable-link':
    case 'left-behind':
      return 'started'
  }
}

/** Returns why the prompt is a follow-up to a pull request. Undefined until all checks before the prompt have passed. */
export function getFollowUpReason({ state, followUpReason }: Turn): FollowUpReason | undefined {
  switch (unwrapStopped(state).kind) {
    case 'planning':
    case 'preparing':
    case 'not-sent':
      return undefined
    case 'previewed':
    case 'sending':
    case 'delivery-unknown':
    case 'accepted':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
    case 'ended':
    case 'unusable-link':
    case 'left-behind':
      return followUpReason
  }
}

/** Returns the state of the pull request after the turn. */
export function getFindings({ state }: Turn): PullRequestFindings | undefined {
  const end = unwrapStopped(state)
  switch (end.kind) {
    case 'ended':
    case 'left-behind':
      return end.pullRequest
    case 'planning':
    case 'preparing':
    case 'sending':
    case 'delivery-unknown':
    case 'accepted':
    case 'previewed':
    case 'not-sent':
    case 'submitted':
    case 'unconfirmed':
    case 'timed-out':
    case 'unusable-link':
      return undefined
  }
}

/** Returns why no round follows the turn, if that was decided after its checks, or before the round was sent. */
export function getDecidedStop({ state }: Turn): RoundStop | undefined {
  if (state.kind === 'stopped' && state.roundStop !== undefined) return state.roundStop
  const end = unwrapStopped(state)
  return end.kind === 'ended' ? end.roundStop : undefined
}

/** Returns the last known state of the pull request. Undefined if it was never read. */
export function getLastFindings(turns: Turns): PullRequestFindings | undefined {
  return turns.map(getFindings).findLast((found) => found !== undefined)
}
