import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import type { Continued, TaskResult } from '../report/report.ts'
import { awaitReady, type Ready } from './await-ready.ts'
import type { JobWatch } from './job-watch.ts'
import { isRunning, isSameEnd } from './job-state.ts'
import { findJob } from './wait-for-job.ts'

export type FollowUpTask = Extract<Task, { kind: 'follow-up' }>

/** A follow-up to another job, in the place of one whose pull request has ended. */
export interface Instead {
  readonly jobId: string
  /** What stands behind the prompt. */
  readonly words: string
  readonly beforeSending: BeforeSending
}

/**
 * `send`, or whose rolling pull request the prompt is a follow-up to; `create` if a new job is to take its place, and `again`
 * if the job has changed while it was looked at.
 */
type Verdict = 'send' | Continued | 'again' | 'create' | Instead

/**
 * Asked directly before a follow-up is sent.
 * @param before the job after the end of the turn before, as only then it says which pull request is its own
 * @param stands reads the job once more, as the look takes time: whether it still reads like that
 * @throws ActionError if nothing is to be sent
 */
export type BeforeSending = (before: Job, stands: () => Promise<boolean>) => Promise<Verdict>

/** What takes the place of a follow-up of which nothing was sent. */
export interface Replacement {
  readonly task: Task
  readonly beforeSending?: BeforeSending
}

function isToSend(verdict: Verdict): verdict is 'send' | Continued {
  return verdict === 'send' || verdict === 'pull-request' || verdict === 'comment'
}

function replace(instead: 'create' | Instead, prompt: string): Replacement {
  if (instead === 'create') return { task: { kind: 'create', prompt } }
  const { jobId, words, beforeSending } = instead
  return { task: { kind: 'follow-up', jobId, prompt: prompt + words, fallback: prompt }, beforeSending }
}

/** A job that changes again and again while it is looked at does not hold still for a prompt. */
const MOST_LOOKS = 3

function archivedBefore(): TaskResult {
  const error = new ActionError('not-sent', 'The prompt was not sent: the job is archived.', {
    hint: 'Create a new job: run the same step without `job-id`.',
  })
  return { outcome: 'archived', error }
}

function notSentInTime(reason: string): TaskResult {
  const error = new ActionError('not-sent', `The prompt was not sent: ${reason} before the deadline.`, {
    hint: 'Run the same step again later, or allow more time in `timeout-minutes`.',
  })
  return { outcome: 'timed-out', error }
}

function changed(what: string): ActionError {
  return new ActionError('not-sent', what, { hint: 'Run the same step again.' })
}

/** What was looked at before a prompt has to hold still when it is sent again, which a rate limit may put off for long. */
export async function lookAgain(
  before: Job,
  beforeSending: BeforeSending | undefined,
  step: Step,
  watch: JobWatch,
): Promise<void> {
  const now = await findJob(before.id, step, watch)
  const stands = now !== undefined && (isRunning(before) ? now.status !== 'archived' : isSameEnd(now, before))
  if (stands && isToSend((await beforeSending?.(now, () => Promise.resolve(true))) ?? 'send')) return
  throw changed('While the prompt had to wait, the job or its pull request changed, or it could not be read.')
}

/**
 * Waits until no turn is in the way of a prompt, and looks directly before it whether all that it rests on still holds.
 * @returns the job as it is then, or why there is nothing to send
 * @throws ActionError if nothing is to be sent
 */
export async function prepare(
  { jobId, prompt, fallback }: FollowUpTask,
  inputs: AgentInputs,
  step: Step,
  watch: JobWatch,
  beforeSending: BeforeSending | undefined,
): Promise<(Ready & { readonly before: Job }) | TaskResult | Replacement> {
  let present = await findJob(jobId, step, watch)
  for (let looks = 1; ; looks++) {
    if (present === undefined) return notSentInTime('the job could not be read')
    const ready = await awaitReady(present, beforeSending !== undefined, inputs, step, watch, looks > 1)
    const { before } = ready
    if (before?.status === 'archived' && fallback === undefined) return archivedBefore()
    if (before === undefined || (ready.wasBusy && step.clock.now() >= step.deadlineAt))
      return notSentInTime('the present turn of the job did not end')
    if (beforeSending === undefined) return { ...ready, before }
    const verdict = await beforeSending(before, async () => {
      present = await findJob(jobId, step, watch)
      return present !== undefined && isSameEnd(present, before)
    })
    if (isToSend(verdict)) {
      if (verdict !== 'send') watch.course.see({ continued: verdict })
      return { ...ready, before }
    }
    if (verdict !== 'again') return replace(verdict, fallback ?? prompt)
    if (looks === MOST_LOOKS) throw changed('Each time that the job was looked at, it had changed.')
  }
}
