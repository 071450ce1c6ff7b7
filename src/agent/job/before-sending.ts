import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import { ASK_IN_AN_ISSUE } from '../report/outcomes.ts'
import type { StandingEnd } from '../report/report.ts'
import type { TurnEnd } from '../report/turn.ts'
import type { Preflight, Replace } from '../report/turns.ts'
import type { JobWatch } from './job-watch.ts'
import { hasStood, isRunning, isSameEnd, STANDING_MS } from './job-state.ts'
import { nextTurnPollMs } from './poll-schedule.ts'
import { readHeadBefore, type HeadBefore } from './pull-request-of-turn.ts'
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

type NotSent = Extract<TurnEnd, { kind: 'not-sent' }>

function notSent(reason: NotSent['reason'], why: string, { reads }: JobWatch, hint = LATER): NotSent {
  return { kind: 'not-sent', reason, error: new ActionError('not-sent', why, { hint }), ...reads }
}

function changed(what: string): ActionError {
  return new ActionError('not-sent', what, { hint: 'Run the same step again.' })
}

/** What a prompt that may be sent rests on. */
export interface SendBasis {
  readonly kind: 'send'
  readonly before: Job
  /** The pull request of the job, if it is to be known what the turn does to it, and GitHub could tell. */
  readonly head: HeadBefore | undefined
}

/**
 * Checks again what a prompt rests on before it is sent once more: a rate limit may have put it off for long.
 * @throws ActionError `not-sent` if anything has changed
 */
export async function recheckBeforeSend(
  { before, head: headBefore }: SendBasis,
  preflight: Preflight | undefined,
  watch: JobWatch,
): Promise<SendBasis> {
  const { step } = watch
  // Somebody else's prompt may have had its turn.
  const head = headBefore && (await readHeadBefore(before, step, true))
  const now = await findJob(before.id, watch)
  const stands = now !== undefined && (isRunning(before) ? now.status !== 'archived' : isSameEnd(now, before))
  if (stands && (preflight === undefined || (await preflight.check(now)) === undefined))
    return { kind: 'send', before, head }
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
 * @returns what the prompt rests on, or why there is nothing to send
 * @throws ActionError if nothing is to be sent
 */
export async function prepare(
  jobId: string,
  watch: JobWatch,
  preflight: Preflight | undefined,
): Promise<SendBasis | NotSent | Replace> {
  const { step } = watch
  const { clock, deadlineAt, inputs } = step
  const isOfPullRequest = preflight !== undefined
  let present = await findJob(jobId, watch)
  let isBusy = false
  let head: HeadBefore | undefined
  for (let looks = 0; ;) {
    if (present === undefined) return notSent('timed-out', UNREAD, watch)
    const isInTheWay = isRunning(present) && (inputs.wait || isOfPullRequest)
    if (isInTheWay) watch.note('The job is busy. The step sends the prompt when the current turn ends.')
    // Its pull request has to be known before the prompt is sent.
    const isLate = isOfPullRequest && present.status === 'completed' && present.prLink === undefined
    const mustWait = isInTheWay || isLate
    isBusy ||= mustWait
    const before: Job | undefined = mustWait ? (await waitForJob(present, watch))?.job : present
    if (before === undefined) return notSent('timed-out', NO_END, watch)
    if (before.status === 'archived' && preflight?.claim === undefined)
      return notSent('archived', ARCHIVED, watch, inputs.command === '' ? WITHOUT_JOB_ID : ASK_IN_AN_ISSUE)
    if (isBusy) head = await readHeadBefore(before, step, true)
    // The job may have got another prompt while the head had to stand.
    present = isRunning(before) || before.status === 'archived' ? before : await awaitIdle(before, watch)
    if (present === undefined) return notSent('timed-out', NOT_IDLE, watch)
    if (!isSameEnd(before, present)) {
      isBusy = true
      continue
    }
    if (isBusy && clock.now() >= deadlineAt) return notSent('timed-out', NO_END, watch)
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
      if (preflight.announcement !== undefined) watch.note(preflight.announcement)
    }
    if (!isBusy) head = await readHeadBefore(before, step)
    return { kind: 'send', before, head }
  }
}
