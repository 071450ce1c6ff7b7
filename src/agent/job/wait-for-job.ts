import type { Job } from '../../service/schemas.ts'
import { ActionError } from '../../shared/errors.ts'
import { LINK_LAG_MS, nextLinkLookMs, nextLookMs, nextTurnLookMs } from './poll-schedule.ts'
import type { Ending, RunContext } from './run-context.ts'
import { isRunning, judge } from './verdict.ts'

/** The first look at a job that should exist; undefined where the deadline passes without an answer. */
export function findJob(jobId: string, { poll, deadlineAt }: RunContext): Promise<Job | undefined> {
  return poll({
    jobId,
    isFound: () => true,
    nextLookMs: nextTurnLookMs,
    endsAt: deadlineAt,
    looksAtOnce: true,
  })
}

/** Waits for the end of the job's present turn; undefined where the deadline passes before. */
export async function waitForEnd(job: Job, context: RunContext, youngUntil?: number): Promise<Job | undefined> {
  if (!isRunning(job)) return job
  return context.poll({
    jobId: job.id,
    isFound: (seen) => !isRunning(seen),
    nextLookMs,
    endsAt: context.deadlineAt,
    looksAtOnce: false,
    youngUntil,
  })
}

/** No refusal takes back what the service has said of the job; that the run was cancelled still ends the looking. */
function keepVerdict(error: unknown): undefined {
  if (!(error instanceof ActionError) || error.code === 'cancelled') throw error
}

/**
 * Turns a final state into the run's ending. `completed` is believed once and for all; only its link may still come, so a
 * job that has none is read a few times more.
 */
export async function settle(job: Job, { poll, clock, deadlineAt }: RunContext): Promise<Ending> {
  const verdict = judge(job)
  if (verdict.kind === 'settled') return { outcome: verdict.outcome, job }
  const linked = await poll({
    jobId: job.id,
    isFound: ({ status, prLink }) => status === 'completed' && prLink !== undefined,
    nextLookMs: nextLinkLookMs,
    endsAt: Math.min(clock.now() + LINK_LAG_MS, deadlineAt),
    isHurried: true,
    looksAtOnce: false,
  }).catch(keepVerdict)
  return linked === undefined ? { outcome: 'no-changes', job } : { outcome: 'pull-request', job: linked }
}

/** Waits for the job and says what became of it. */
export async function waitForJob(job: Job, context: RunContext, youngUntil?: number): Promise<Ending> {
  const ended = await waitForEnd(job, context, youngUntil)
  return ended === undefined ? { outcome: 'timed-out' } : settle(ended, context)
}
