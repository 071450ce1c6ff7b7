import type { Job } from '../../docs-service/schemas.ts'
import type { Check } from '../../github/commit-checks.ts'
import type { ActionError } from '../../runtime/errors.ts'
import type { Task } from '../inputs/task.ts'
import { mayHaveChanged, type FixStop } from './fixing.ts'
import { isLookedAt, type Continued, type Recorded, type Report, type TaskResult, type Turn } from './report.ts'

type Stopped = NonNullable<Turn['stopped']>

/** What takes the place of a follow-up that has nothing to rest on any more. */
export type Replace = () => Promise<Plan>

/** What a follow-up to a pull request rests on. Both give undefined if it may be sent, and throw `ActionError` if nothing is to be sent. */
export interface Preflight {
  readonly continued?: Continued
  /** What the log says directly before it is sent. */
  readonly announcement?: string
  /**
   * Writes, once and before the first check, that the follow-up will be sent; writes nothing if it is not to be sent.
   * @param job after the end of its turn before, as only then it says which pull request is its own
   */
  readonly claim?: (job: Job) => Promise<Replace | undefined>
  /** Only asks, and notes in the turn why nothing is sent. It is asked directly before each attempt to send. */
  readonly check: (job: Job) => Promise<Replace | undefined>
}

/** What a turn begins with. */
export interface Plan {
  readonly task: Task
  /** The checks that a round tells. */
  readonly failing?: readonly Check[]
  readonly preflight?: Preflight
}

/** The turns of a step, the oldest first. The first is the step's own, further ones are rounds that send failing checks back. */
export type Turns = readonly [Turn, ...Turn[]]

export function newestOf(turns: Turns): Turn {
  return turns.at(-1) ?? turns[0]
}

/** @param isCancelled whether the run is */
export function stoppedBy(error: ActionError, isCancelled: boolean): Stopped {
  if (error.code === 'internal') return { outcome: 'error', error }
  if (error.code === 'cancelled' || isCancelled) return { outcome: 'cancelled', error }
  return { outcome: error.code === 'deadline' ? 'timed-out' : 'error', error }
}

/** What stops a round takes nothing from the result of the step's own turn; but a cancelled run is cancelled, and a defect is red. */
function isFatal({ outcome, error }: Stopped): boolean {
  return outcome === 'cancelled' || error.code === 'internal'
}

/** What stopped a round, or what was to lead to one, and is not told otherwise. */
export function findUntold([own, ...rounds]: Turns): ActionError | undefined {
  const { stopped, stop } = rounds.at(-1) ?? own
  if (stopped === undefined || own.result === undefined) return undefined
  const isTold = stop !== undefined && stopped.error.code === 'not-sent'
  return isFatal(stopped) || isTold ? undefined : stopped.error
}

/** Whether the service may have taken it. */
export function isSent({ progress, stopped }: Turn): boolean {
  return progress === 'taken' || progress === 'seen' || stopped?.error.code === 'unknown-fate'
}

/** The rounds that were sent; one that is on its way is among them. */
export function sentRounds([, ...rounds]: Turns): readonly Turn[] {
  return rounds.filter(isSent)
}

/** What the end of a round means for further ones; undefined if its pull request is to be looked at. */
function stopAfterRound({ outcome, operation, hasOtherHead, error }: TaskResult): FixStop | undefined {
  if (outcome === 'pull-request') return operation === 'created' ? 'elsewhere' : undefined
  if (outcome === 'no-changes' && operation === undefined) return 'elsewhere'
  if (outcome === 'no-changes') return hasOtherHead === true ? undefined : 'unmoved'
  if (error?.code === 'not-sent') return outcome === 'archived' ? 'archived' : 'not-sent'
  if (error?.code === 'left-behind') return 'left-behind'
  if (error?.code === 'unusable-link') return 'elsewhere'
  return outcome === 'failed' || outcome === 'archived' ? outcome : 'unseen'
}

/** Why failing checks go back no further, as far as the turns tell. */
export function findStop([own, ...rounds]: Turns): FixStop | undefined {
  const round = rounds.at(-1)
  const { result, stopped, stop } = round ?? own
  if (stop !== undefined || own.result === undefined) return stop
  if (stopped !== undefined && !isFatal(stopped))
    return result === undefined && round && isSent(round) ? 'unseen' : 'not-sent'
  return round && result && stopAfterRound(result)
}

/** Whether there is a pull request to take further. */
export function isToTrack(turns: Turns): boolean {
  const [{ result }] = turns
  return result !== undefined && isLookedAt(result) && findStop(turns) === undefined
}

/** What a round has pushed is the step's work, too; while it may push yet, nobody knows that nothing has changed. */
function workOf(turns: Turns): TaskResult | undefined {
  const [{ result }, ...rounds] = turns
  const isUpdated = rounds.some(({ result }) => result?.operation === 'updated')
  if (result !== undefined && isUpdated && result.operation !== 'created')
    return { ...result, outcome: 'pull-request', operation: 'updated' }
  const mayPush = mayHaveChanged({ rounds: sentRounds(turns), stop: findStop(turns) })
  return result?.operation === 'unchanged' && mayPush ? { ...result, operation: undefined } : result
}

/** All that is known of a step, whether it has ended or not. */
export function reportOf(turns: Turns, recorded: Recorded): Report {
  const { task, job, progress, continued, lastProblem, result } = turns[0]
  const { stopped } = newestOf(turns)
  return {
    ...{ task, job, progress, continued, lastProblem, ...recorded },
    pullRequest: turns.findLast(({ pullRequest }) => pullRequest !== undefined)?.pullRequest,
    outcome: recorded.skipReason === undefined ? 'error' : 'skipped',
    ...workOf(turns),
    ...(stopped && (result === undefined || isFatal(stopped)) ? stopped : {}),
    jobInRound: turns.length > 1 ? newestOf(turns).job : undefined,
    rounds: sentRounds(turns),
    stop: findStop(turns),
  }
}
