import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import { ASK_IN_AN_ISSUE } from '../report/outcomes.ts'
import type { Outcome, StandingEnd, TaskResult } from '../report/report.ts'
import type { Preflight, Replace } from '../report/turns.ts'
import type { JobWatch } from './job-watch.ts'
import { hasStood, isRunning, isSameEnd, STANDING_MS } from './job-state.ts'
import { nextTurnPollMs } from './poll-schedule.ts'
import { seeHead } from './pull-request-of-turn.ts'
import { findJob, waitForJob } from './wait-for-job.ts'

/** A job that changes again and again while it is looked at does not hold still for a prompt. */
const MOST_LOOKS = 3
/** A reading of the job that is older, in milliseconds, is made again before the prompt is sent. */
const OLD_MS = 1_000

const UNREAD = 'The prompt was not sent: the job could not be read before the deadline.'
const WITHOUT_JOB_ID = 'Create a new job: run the same step without `job-id`.'
const ARCHIVED = 'The prompt was not sent: the job is archived.'
const NO_END = "The prompt was not sent: the job's current turn did not end before the deadline."
const NOT_IDLE = `The prompt was not sent: the job was not idle for ${STANDING_MS / 1_000} seconds before the deadline.`
const LATER = 'Run the same step again later, or allow more time in `timeout-minutes`.'

function notSent(outcome: Outcome, why: string, hint = LATER): TaskResult {
  return { outcome, error: new ActionError('not-sent', why, { hint }) }
}

function changed(what: string): ActionError {
  return new ActionError('not-sent', what, { hint: 'Run the same step again.' })
}

/** What was looked at before a prompt has to hold still when it is sent again, which a rate limit may put off for long. */
export async function lookAgain(before: Job, preflight: Preflight | undefined, watch: JobWatch): Promise<void> {
  const { step } = watch
  // Somebody else's prompt may have had its turn.
  if (step.journal.newest.head !== undefined) await seeHead(before, step, true)
  const now = await findJob(before.id, watch)
  const stands = now !== undefined && (isRunning(before) ? now.status !== 'archived' : isSameEnd(now, before))
  if (stands && (preflight === undefined || (await preflight.check(now)) === undefined)) return
  throw changed('While the prompt had to wait, the job or its pull request changed, or it could not be read.')
}

/**
 * Reads the job until its terminal state has stood: otherwise a stale `active` of an earlier turn could pass for the turn of
 * the prompt.
 * @returns the newest read, which shows another state if the given one did not stand; undefined if the time does not suffice
 */
async function awaitIdle(end: Job, watch: JobWatch): Promise<Job | undefined> {
  const { clock, core, deadlineAt, journal } = watch.step
  const standing = (): StandingEnd => journal.ends.get(end.id) ?? { end, sinceMs: clock.now(), lastMs: -Infinity }
  const isFresh = clock.now() - standing().lastMs < OLD_MS
  if (isFresh && hasStood(standing())) return end
  const leftMs = (): number => standing().sinceMs + STANDING_MS - clock.now()
  if (clock.now() + leftMs() >= deadlineAt) return undefined
  core.log('The step sends the prompt when the job has been idle for 15 seconds.')
  return watch.poll(end.id, (read) => !isSameEnd(read, end) || hasStood(standing()), {
    nextMs: (fixedMs, state) => Math.max(Math.min(nextTurnPollMs(fixedMs, state), leftMs()), state.minDelayMs),
    ...(isFresh ? {} : { readsAtOnce: true }),
  })
}

/**
 * Waits until no turn is in the way of a prompt, or its end would pass for the one of the prompt, and looks directly before
 * it whether all that it rests on still holds.
 * @returns the job as it is then, or why there is nothing to send
 * @throws ActionError if nothing is to be sent
 */
export async function prepare(
  jobId: string,
  watch: JobWatch,
  preflight: Preflight | undefined,
): Promise<Job | TaskResult | Replace> {
  const { step } = watch
  const { clock, deadlineAt, inputs } = step
  const isOfPullRequest = preflight !== undefined
  let present = await findJob(jobId, watch)
  let isBusy = false
  for (let looks = 0; ;) {
    if (present === undefined) return notSent('timed-out', UNREAD)
    const isInTheWay = isRunning(present) && (inputs.wait || isOfPullRequest)
    if (isInTheWay) watch.note('The job is busy. The step sends the prompt when the current turn ends.')
    // Its pull request has to be known before the prompt is sent.
    const isLate = isOfPullRequest && present.status === 'completed' && present.prLink === undefined
    const mustWait = isInTheWay || isLate
    isBusy ||= mustWait
    const before: Job | undefined = mustWait ? (await waitForJob(present, watch)).job : present
    if (before === undefined) return notSent('timed-out', NO_END)
    if (before.status === 'archived' && preflight?.claim === undefined)
      return notSent('archived', ARCHIVED, inputs.command === '' ? WITHOUT_JOB_ID : ASK_IN_AN_ISSUE)
    if (isBusy) await seeHead(before, step, true)
    // The job may have got another prompt while the head had to stand.
    present = isRunning(before) || before.status === 'archived' ? before : await awaitIdle(before, watch)
    if (present === undefined) return notSent('timed-out', NOT_IDLE)
    if (!isSameEnd(before, present)) {
      isBusy = true
      continue
    }
    if (isBusy && clock.now() >= deadlineAt) return notSent('timed-out', NO_END)
    if (isOfPullRequest) {
      const replaceUnclaimed = looks === 0 ? await preflight.claim?.(before) : undefined
      if (replaceUnclaimed !== undefined) return replaceUnclaimed
      present = await findJob(jobId, watch)
      if (present === undefined || !isSameEnd(present, before)) {
        if (++looks === MOST_LOOKS) throw changed('The job had changed each time the step looked at it.')
        isBusy = true
        continue
      }
      const replace = await preflight.check(before)
      if (replace !== undefined) return replace
      const { announcement, continued } = preflight
      if (announcement !== undefined) watch.note(announcement)
      if (continued !== undefined) step.journal.see({ continued })
    }
    if (!isBusy) await seeHead(before, step)
    return before
  }
}
