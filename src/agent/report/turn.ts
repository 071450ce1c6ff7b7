import type { Job, TerminalJob } from '../../docs-service/schemas.ts'
import type { Check } from '../../github/checks.ts'
import type { PullRequest, PullRequestAddress } from '../../github/pull-requests.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { Task } from '../inputs.ts'

/** The value of the output `checks`. That none are registered is never the same as that all have passed. */
export type ChecksState = 'success' | 'failure' | 'pending' | 'none'

/** What GitHub knows of the pull request when the step ends. What is undefined was not asked, or not to be found out. */
export interface PullRequestFindings extends Partial<Pick<PullRequest, 'title' | 'state' | 'branch' | 'isBlocked'>> {
  /** The commit that `checks` and `outside` are about. */
  readonly headSha?: string
  readonly mergeable?: boolean
  /** Set if they were waited for; `failure` if one of `checkList` failed. */
  readonly checks?: ChecksState
  /** That nothing is expected of them before somebody approves them. */
  readonly waitsForApproval?: boolean
  /** All that count, if they were waited for. */
  readonly checkList?: readonly Check[]
  /** What does not match `allowed-paths`. */
  readonly outside?: readonly string[]
}

export function listFailedChecks(checks: readonly Check[] = []): readonly Check[] {
  return checks.filter(({ state }) => state === 'failure')
}

/** Whether all its files match `allowed-paths`; undefined if that is not known. */
export function isInScope({ outside }: PullRequestFindings): boolean | undefined {
  return outside === undefined ? undefined : outside.length === 0
}

export function describePullRequest(pullRequest: PullRequest): PullRequestFindings {
  const { title, state, branch, headSha, mergeable, isBlocked } = pullRequest
  return { title, state, branch, headSha, isBlocked, ...(mergeable === undefined ? {} : { mergeable }) }
}

/** Why failing checks go back to the job no further. */
export const ROUND_STOP_REASONS = {
  passed: 'All its checks have passed.',
  'used-up': 'No round is left.',
  'no-new-commit': 'The agent added no commit, so the same checks would fail again.',
  diverged: 'The commit that was checked is not in the pull request any more.',
  closed: 'The pull request is closed or merged.',
  'other-pull-request': 'The job does not name this pull request any more.',
  'foreign-commits': 'Somebody else has committed to the pull request meanwhile.',
  'red-before': 'The failed checks also fail without these changes.',
  'needs-person': 'The failed checks need somebody to act, such as to sign an agreement, which the agent cannot do.',
  'no-time': 'Less than ten minutes are left of `timeout-minutes`.',
  'nothing-to-tell': 'No check is known to have failed.',
  'not-sent': 'The failing checks could not be sent to the agent.',
  failed: 'The job failed.',
  archived: 'The job is archived, so it takes no failing checks.',
  'left-behind':
    'The pull request was merged or closed while the agent was working on the failing checks, and commits may not be merged.',
  unseen: 'The end of the agent’s work on the failing checks was not seen.',
}

export type RoundStop = keyof typeof ROUND_STOP_REASONS

/** The rounds that were sent, one that is on its way among them, and why none follows. */
export interface FixRounds {
  readonly rounds: readonly Turn[]
  readonly stop?: RoundStop | undefined
}

/** Whether failing checks were sent back to the job, and no end of that was seen. */
export function isFixRoundRunning({ rounds, stop }: FixRounds): boolean {
  return rounds.length > 0 && stop === undefined
}

/** Whether a round may have changed what was not looked at again. */
export function mayHaveChangedUnseen({ rounds, stop = 'unseen' }: FixRounds): boolean {
  return rounds.length > 0 && (stop === 'unseen' || stop === 'other-pull-request')
}

/** What was sent and why it ended there, as full sentences; nothing if nobody asked for rounds. */
export function formatFixRounds({ rounds, stop }: FixRounds): string[] {
  const why = stop === undefined || stop === 'passed' ? [] : [ROUND_STOP_REASONS[stop]]
  if (rounds.length === 0) return why.length === 0 ? [] : ['Failing checks were not sent back to the agent.', ...why]
  const count = rounds.length === 1 ? 'once' : `${rounds.length} times`
  return [`Failing checks were sent back to the agent ${count}.`, ...why]
}

/** Why a prompt is a follow-up to a pull request; the value of the output `continued`. */
export type FollowUpReason = 'pull-request' | 'comment'

/** What a turn did to the pull request of its job. */
export type Work =
  /**
   * The turn has opened the pull request. How many commits it has is not known here: the agent's commits are counted between
   * two heads of one pull request, and reading those of a new one would cost requests that no output needs yet.
   */
  | { readonly kind: 'created' }
  /** `commits`: how many the agent has added. `since`: the head before the turn. */
  | { readonly kind: 'updated'; readonly commits: number; readonly since: string }
  /** `hasHeadMoved`: others have pushed meanwhile. */
  | { readonly kind: 'unchanged'; readonly hasHeadMoved: boolean }
  /** The job names no pull request, and the agent has added no commit to the one that the job named before. */
  | { readonly kind: 'none' }
  /** Nobody compared heads, or GitHub could not tell. */
  | { readonly kind: 'unknown' }

/** What the newest reads of the job have shown. */
export interface JobReads {
  /** The newest read that succeeded, or the response to the prompt. */
  readonly job?: Job | undefined
  /** Why the newest read failed, if it did. */
  readonly lastProblem?: ActionError | undefined
}

/** A turn that has no end yet, as it has to be reported if the step ends now. */
type UnfinishedTurn =
  /** Nobody knows yet what is to be sent. */
  | { readonly kind: 'planning' }
  /** Nothing was sent: a busy job is waited for, or the job to attach to was not read yet. */
  | ({ readonly kind: 'preparing' } & JobReads)
  /** All checks before the prompt have passed, and no response has come. */
  | ({ readonly kind: 'sending' } & JobReads)
  /** The prompt was sent, and no readable response came: the service may have accepted it. */
  | ({ readonly kind: 'delivery-unknown' } & JobReads)
  /** `isConfirmed`: the agent was seen to begin this turn, or there is no earlier turn of the job to confuse it with. */
  | ({ readonly kind: 'accepted'; readonly job: Job; readonly isConfirmed: boolean } & JobReads)

/** The end of the job's turn was seen. Whatever is read of the job later does not change it. */
export interface Ended {
  readonly kind: 'ended'
  /** The read that decided. */
  readonly job: TerminalJob
  readonly work: Work
  /** Undefined if nobody looked at the pull request after the turn. */
  readonly pullRequest?: PullRequestFindings
  /** Why no further round follows; undefined if that is not decided, or nobody asked for rounds. */
  readonly roundStop?: RoundStop | undefined
}

/** The link of the job's pull request cannot be shown. */
export interface UnusableLink {
  readonly kind: 'unusable-link'
  readonly job: Job
  readonly error: ActionError
}

/** A dry run has come to the place where the prompt would be sent, and sent nothing. */
export interface Previewed {
  readonly kind: 'previewed'
  /** The open pull request whose job would get the prompt. */
  readonly pullRequest?: Pick<PullRequestAddress, 'number'> | undefined
  /** The numbers of open pull requests whose job may have to get the prompt instead of a new job. */
  readonly undecided?: readonly number[] | undefined
  /** Whether the service was asked about the job that would get the prompt: without a key it cannot be. */
  readonly isJobRead: boolean
}

/** The last state of a turn, unless an error stops the turn. */
export type TurnEnd =
  | Previewed
  | ({ readonly kind: 'not-sent'; readonly reason: 'archived' | 'timed-out'; readonly error: ActionError } & JobReads)
  /** Nobody waits for it. */
  | { readonly kind: 'submitted'; readonly job: Job; readonly isConfirmed: boolean }
  /** The prompt was accepted, and the agent was not seen to begin it. */
  | { readonly kind: 'unconfirmed'; readonly job: Job }
  | ({ readonly kind: 'timed-out'; readonly error?: ActionError } & JobReads)
  | Ended
  | UnusableLink
  /** The pull request was merged or closed during the turn, and commits may be in no merge. */
  | {
      readonly kind: 'left-behind'
      readonly job: Job
      readonly error: ActionError
      readonly work: Work
      readonly pullRequest: PullRequestFindings
    }

/** An error stopped the turn, or what was to follow its end. */
export interface Stopped {
  readonly kind: 'stopped'
  readonly error: ActionError
  readonly isCancelled: boolean
  readonly during: UnfinishedTurn | TurnEnd
  /** Why the turn was not sent, if it is a round that was refused at the last look. */
  readonly roundStop?: RoundStop | undefined
}

/** How far a turn has come: exactly what is known of it in that state. */
export type TurnState = UnfinishedTurn | TurnEnd | Stopped

/** One prompt, or one wait for a job, and what is known of it. */
export interface Turn {
  readonly task: Task
  readonly state: TurnState
  /** Undefined while the turn is planned. */
  readonly startedAt?: Date
  readonly followUpReason?: FollowUpReason | undefined
  /** The failed checks that a round sends. */
  readonly failing?: readonly Check[] | undefined
  /** Whether the log in the pull request may say that the agent is working on this turn. */
  readonly isInLog?: boolean
}

/** The turns of a step, the oldest first. The first is the step's own, further ones are rounds that send failing checks back. */
export type Turns = readonly [Turn, ...Turn[]]

export function getNewest(turns: Turns): Turn {
  return turns.at(-1) ?? turns[0]
}

/** The state that an error interrupted, or the state itself. */
export function withoutStop(state: TurnState): UnfinishedTurn | TurnEnd {
  return state.kind === 'stopped' ? state.during : state
}

/** The end of a turn, also if an error stopped what was to follow it; undefined if there was none. */
export function getEnd({ state: given }: Turn): TurnEnd | undefined {
  const state = withoutStop(given)
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

/** The end of the job's turn, if it was seen, and nothing is wrong with the pull request's link or commits. */
export function getEnded(turn: Turn): Ended | undefined {
  const end = getEnd(turn)
  return end?.kind === 'ended' ? end : undefined
}

/** What the turn is known to have done to the pull request. */
export function getWork({ state: given }: Turn): Work {
  const state = withoutStop(given)
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

/** The newest that is known of the job. */
export function getReads(given: TurnState): JobReads {
  const state = withoutStop(given)
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

/** The state with another job, if it has one. */
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
      return { ...state, during: withoutStop(withJob(state.during, change)) }
  }
}

/** The state after one more read of the job. An end stays as it is. */
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
  switch (withoutStop(state).kind) {
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
  switch (withoutStop(state).kind) {
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

/** How far the delivery of a follow-up has come. If it was `taken` and not `seen`, the job may still be as the turn before left it. */
export type Progress = 'unsent' | 'accepted' | 'started'

/** Undefined for other tasks, and while the turn is planned. */
export function getProgress({ task, state: given }: Turn): Progress | undefined {
  const state = withoutStop(given)
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

/** Why the prompt is a follow-up to a pull request; undefined until all checks before the prompt have passed. */
export function getFollowUpReason({ state, followUpReason }: Turn): FollowUpReason | undefined {
  switch (withoutStop(state).kind) {
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

/** What was seen of the pull request after the turn. */
export function getFindings({ state }: Turn): PullRequestFindings | undefined {
  const end = withoutStop(state)
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

/** Why no round follows the turn, as it was decided when its checks were in, or before a round was sent. */
export function getDecidedStop({ state }: Turn): RoundStop | undefined {
  if (state.kind === 'stopped' && state.roundStop !== undefined) return state.roundStop
  const end = withoutStop(state)
  return end.kind === 'ended' ? end.roundStop : undefined
}

/** What was seen last of the pull request; undefined if nobody looked. */
export function getLastFindings(turns: Turns): PullRequestFindings | undefined {
  return turns.map(getFindings).findLast((found) => found !== undefined)
}
