import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import { ASK_IN_AN_ISSUE } from '../report/outcomes.ts'
import type { StandingEnd } from '../report/report.ts'
import type { TurnEnd } from '../report/turn.ts'
import type { Target } from '../report/plan.ts'
import { decideSend, refuse, reserveFollowUp, SEND, type Replan, type Stop } from './decide-send.ts'
import type { JobWatch } from './job-watch.ts'
import { hasStood, isRunning, isSameEnd, STANDING_MS } from './job-state.ts'
import { nextTurnPollMs } from './poll-schedule.ts'
import { readHeadBefore, type HeadBefore } from './pull-request-of-turn.ts'
import { findJob, waitForJob } from './wait-for-job.ts'

/** A job that changes so often while a prompt is prepared is not sent it. */
const MAX_WAITS = 3
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

const RUN_AGAIN = 'Run the same step again.'

/** A prompt that may be sent, and what it rests on. */
export interface Send {
  readonly kind: 'send'
  readonly before: Job
  /** The pull request of the job, if it is to be known what the turn does to it, and GitHub could tell. */
  readonly head: HeadBefore | undefined
}

/** Checks again whether a prompt may be sent, after a wait: a rate limit may have put it off for long. */
export async function recheckBeforeSend(
  { before, head: known }: Send,
  target: Target,
  watch: JobWatch,
): Promise<Send | Stop> {
  // Somebody else's prompt may have had its turn.
  const head = known && (await readHeadBefore(before, watch.step, true))
  const decision = await decideSend(target, before, watch)
  switch (decision.kind) {
    case 'send':
      return { kind: 'send', before, head }
    case 'stop':
      return decision
    case 'wait':
    case 'replan':
      return refuse(
        'While the prompt had to wait, the job or its pull request changed, or it could not be read.',
        RUN_AGAIN,
      )
  }
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
 * Waits until no turn is in the way of a follow-up, or its end would pass for the one of the follow-up, and decides directly
 * before it whether it may be sent.
 * @throws ActionError `not-sent` if that cannot be found out
 */
export async function prepareSend(
  jobId: string,
  target: Target,
  watch: JobWatch,
): Promise<Send | NotSent | Replan | Stop> {
  const { step } = watch
  const { clock, deadlineAt, inputs } = step
  const isOfPullRequest = target.kind !== 'job'
  const isReplaceable = target.kind === 'pull-request' && target.reason === 'pull-request'
  let present = await findJob(jobId, watch)
  let isBusy = false
  let head: HeadBefore | undefined
  for (let waits = 0; ;) {
    if (present === undefined) return notSent('timed-out', UNREAD, watch)
    const isInTheWay = isRunning(present) && (inputs.wait || isOfPullRequest)
    if (isInTheWay) watch.note('The job is busy. The step sends the prompt when the current turn ends.')
    // Its pull request has to be known before the prompt is sent.
    const isLate = isOfPullRequest && present.status === 'completed' && present.prLink === undefined
    const mustWait = isInTheWay || isLate
    isBusy ||= mustWait
    const before: Job | undefined = mustWait ? (await waitForJob(present, watch))?.job : present
    if (before === undefined) return notSent('timed-out', NO_END, watch)
    if (before.status === 'archived' && !isReplaceable)
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
    // The read that has just ended the wait is all that a follow-up to `job-id` rests on.
    if (isOfPullRequest) {
      const reserved = waits === 0 ? await reserveFollowUp(target, before, step) : SEND
      const decision = reserved.kind === 'send' ? await decideSend(target, before, watch) : reserved
      if (decision.kind === 'wait') {
        if (++waits === MAX_WAITS) return refuse('The job had changed each time the step looked at it.', RUN_AGAIN)
        present = decision.now
        isBusy = true
        continue
      }
      if (decision.kind !== 'send') return decision
      if (target.kind === 'fix-round') watch.note(target.announcement)
    }
    if (!isBusy) head = await readHeadBefore(before, step)
    return { kind: 'send', before, head }
  }
}
