/** Whom a prompt is for. Each feature makes its own targets; the turn engine knows nothing else of a feature. */
import type { Job } from '../../docs-service/schemas.ts'
import type { Check } from '../../github/checks.ts'
import type { Task } from '../facts.ts'
import type { FollowUpReason } from '../record.ts'

/** For a step with `command`, which cannot be combined with `job-id`. */
export const ASK_IN_AN_ISSUE = 'To start over, write the command in an issue: this starts a new job.'
export const RUN_AGAIN = 'Run the step again: it starts a new job.'
export const WITHOUT_JOB_ID = 'Start a new job: run the same step without `job-id`.'

export interface Target {
  readonly task: Task
  readonly followUpReason?: FollowUpReason
  /** The failed checks that a fix round sends. */
  readonly failing?: readonly Check[]
  /** Logged directly before the prompt is sent. */
  readonly announcement?: string
  /**
   * Returns the request to resolve a conflict first, which then precedes the prompt, by the newest reads; otherwise an empty text.
   * Called directly before each attempt, after `validate`.
   */
  readonly getConflictRequest?: () => string
  /** The number of the open pull request that the prompt is about, and whose job must name it before the prompt is sent. */
  readonly pullRequestNumber?: number
  /**
   * Returns for how long, in milliseconds, an idle job must be watched before the prompt, because an earlier turn may still
   * be shown as running.
   */
  readonly idleWaitMs: (job: Job) => Promise<number>
  /**
   * Says on GitHub that the agent is going to work, and counts the follow-up. Called before `validate`, and not again after it has
   * returned 0.
   * @param job idle; undefined for a new job
   * @param idleMs how long ago this step saw a turn of the job end; Infinity if it saw none
   * @returns how much longer the turn of another step may take to begin, in milliseconds: nothing may be sent before it has ended
   * @throws ActionError `not-sent`
   */
  readonly beforeSend: (job?: Job, idleMs?: number) => Promise<number>
  /**
   * Checks what must be true directly before each attempt to send the prompt.
   * @param job as last read; undefined for a new job
   * @throws ActionError `not-sent`
   */
  readonly validate: (job?: Job) => Promise<void>
}

/** A target that needs no preparation: it says nothing on GitHub, and nothing there can forbid the prompt. */
export const plainTarget = (task: Task): Target => ({
  task,
  idleWaitMs: () => Promise.resolve(0),
  beforeSend: () => Promise.resolve(0),
  validate: () => Promise.resolve(),
})
