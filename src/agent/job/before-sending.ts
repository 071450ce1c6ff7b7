import type { Job } from '../../docs-service/schemas.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { Task } from '../inputs/task.ts'
import type { TaskResult } from '../report/report.ts'
import type { Preflight, Verdict } from '../report/turns.ts'
import type { JobWatch } from './job-watch.ts'
import { isRunning, isSameEnd } from './job-state.ts'
import { readStandingHead } from './pull-request-of-turn.ts'
import { findJob, waitForJob } from './wait-for-job.ts'

export type FollowUpTask = Extract<Task, { kind: 'follow-up' }>

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

function outdated(verdict: Exclude<Verdict, 'send'>, { prompt, fallback = prompt }: FollowUpTask): TaskResult {
  return { outcome: 'error', outdated: { ...verdict, prompt: fallback } }
}

function changed(what: string): ActionError {
  return new ActionError('not-sent', what, { hint: 'Run the same step again.' })
}

/** A reading of the job that is older is made again before the prompt is sent. */
const OLD_MS = 1_000

/** The job when its present turn has ended. */
interface Ready {
  /** Undefined if the turn did not end before the deadline. */
  readonly before: Job | undefined
  /** The head of its pull request, if a turn was waited for: what that has pushed last had to stand. */
  readonly head: PullRequest | undefined
  readonly wasBusy: boolean
}

/**
 * Waits for the end of the job's present turn, or that end would pass for the one of the prompt.
 * @param isRolling whether the job's pull request has to be known before, so that it is waited for in any case
 * @param wasBusy whether a turn was waited for already
 */
async function awaitReady(present: Job, isRolling: boolean, watch: JobWatch, wasBusy = false): Promise<Ready> {
  const { step } = watch
  const { wait } = watch.step.inputs
  const isInTheWay = isRunning(present) && (wait || isRolling)
  if (isInTheWay) watch.note('The job is busy. The step sends the prompt when the current turn ends.')
  const isLate = isRolling && present.status === 'completed' && present.prLink === undefined
  const isBusy = wasBusy || isInTheWay || isLate
  const before = isInTheWay || isLate ? (await waitForJob(present, watch)).job : present
  const endedAt = step.clock.now()
  const head = before && wait && isBusy ? await readStandingHead(before, step) : undefined
  // The job may have got another prompt while the head had to stand.
  const now = step.clock.now()
  const isOld = isBusy && now - endedAt >= OLD_MS && now < step.deadlineAt
  const again = before && isOld ? await findJob(before.id, watch) : before
  if (before === undefined || again === undefined || isSameEnd(before, again)) return { before, head, wasBusy: isBusy }
  return awaitReady(again, isRolling, watch, true)
}

/** What was looked at before a prompt has to hold still when it is sent again, which a rate limit may put off for long. */
export async function lookAgain(before: Job, preflight: Preflight | undefined, watch: JobWatch): Promise<void> {
  const now = await findJob(before.id, watch)
  const stands = now !== undefined && (isRunning(before) ? now.status !== 'archived' : isSameEnd(now, before))
  if (stands && (preflight === undefined || (await preflight.check(now)) === 'send')) return
  throw changed('While the prompt had to wait, the job or its pull request changed, or it could not be read.')
}

/**
 * Waits until no turn is in the way of a prompt, and looks directly before it whether all that it rests on still holds.
 * @returns the job as it is then, or why there is nothing to send
 * @throws ActionError if nothing is to be sent
 */
export async function prepare(
  task: FollowUpTask,
  watch: JobWatch,
  preflight: Preflight | undefined,
): Promise<(Ready & { readonly before: Job }) | TaskResult> {
  const { jobId, fallback } = task
  const { clock, deadlineAt } = watch.step
  let current = await findJob(jobId, watch)
  let claim = preflight?.claim
  for (let looks = 1; ; looks++) {
    if (current === undefined) return notSentInTime('the job could not be read')
    const ready = await awaitReady(current, preflight !== undefined, watch, looks > 1)
    const { before } = ready
    if (before?.status === 'archived' && fallback === undefined) return archivedBefore()
    if (before === undefined || (ready.wasBusy && clock.now() >= deadlineAt))
      return notSentInTime("the job's current turn did not end")
    if (preflight === undefined) return { ...ready, before }
    const claimed = (await claim?.(before)) ?? 'send'
    if (claimed !== 'send') return outdated(claimed, task)
    claim = undefined
    current = await findJob(jobId, watch)
    if (current !== undefined && isSameEnd(current, before)) {
      const verdict = await preflight.check(before)
      if (verdict !== 'send') return outdated(verdict, task)
      const { announcement, continued } = preflight
      if (announcement !== undefined) watch.note(announcement)
      if (continued !== undefined) watch.step.journal.see({ continued })
      return { ...ready, before }
    }
    if (looks === MOST_LOOKS) throw changed('The job had changed each time the step looked at it.')
  }
}
