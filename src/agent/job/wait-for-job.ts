import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, unlessFailed } from '../../runtime/errors.ts'
import type { Step } from '../../action/step.ts'
import type { TaskResult } from '../report/report.ts'
import type { JobWatch } from './job-watch.ts'
import { nextPollMs, nextSettlePollMs, nextTurnPollMs, SETTLE_MS } from './poll-schedule.ts'
import { isRunning } from './job-state.ts'

/** The first read of a job that should exist; undefined if the deadline passes without an answer. */
export function findJob(jobId: string, { deadlineAt }: Step, { poll }: JobWatch): Promise<Job | undefined> {
  return poll({ jobId, isFound: () => true, nextMs: nextTurnPollMs, endsAt: deadlineAt, readsAtOnce: true })
}

/**
 * Waits for the end of the job's present turn; undefined if the deadline passes before.
 * @param mayBeMissingUntil on the clock's scale: until then a job that was just created may not be found
 */
async function waitForEnd(
  job: Job,
  { deadlineAt }: Step,
  { poll }: JobWatch,
  mayBeMissingUntil?: number,
): Promise<Job | undefined> {
  if (!isRunning(job)) return job
  return poll({
    jobId: job.id,
    isFound: (read) => !isRunning(read),
    nextMs: nextPollMs,
    endsAt: deadlineAt,
    mayBeMissingUntil,
  })
}

/**
 * The link of a completed job may still come. Gives the next reading that says anything else than “completed, no link”; no
 * refusal takes back what the service has said of the job.
 */
function awaitLink({ id }: Job, { clock, deadlineAt }: Step, { poll }: JobWatch): Promise<Job | undefined> {
  const read = poll({
    jobId: id,
    isFound: ({ status, prLink, hasUnsafeLink }) =>
      status !== 'completed' || prLink !== undefined || hasUnsafeLink === true,
    nextMs: (_fixedMs, { reads, waitMs }) => Math.max(nextSettlePollMs(reads), waitMs),
    endsAt: Math.min(clock.now() + SETTLE_MS, deadlineAt),
    endsOnLongWait: true,
  })
  return unlessFailed(read)
}

/** Neither a pull request to show, nor none. */
function unusableLink(job: Job): TaskResult {
  const error = new ActionError(
    'unusable-link',
    'The agent finished, but the address of its pull request cannot be used: it is not a plain `https:` address.',
    { hint: 'Look for the pull request in the repository, and report it to those who run the service.' },
  )
  return { outcome: 'error', job, error }
}

/** What the end of a job means. A completed job without a link is read a few times more, and then the last reading counts. */
export async function resolveOutcome(ended: Job, step: Step, watch: JobWatch): Promise<TaskResult> {
  for (let job: Job | undefined = ended; job !== undefined; job = await waitForEnd(job, step, watch)) {
    if (job.status === 'failed' || job.status === 'archived') return { outcome: job.status, job }
    if (job.status === 'active') continue
    if (job.prLink !== undefined) return { outcome: 'pull-request', job }
    if (job.hasUnsafeLink === true) return unusableLink(job)
    const next: Job | undefined = await awaitLink(job, step, watch)
    if (next === undefined) return { outcome: 'no-changes', job }
    job = next
  }
  return { outcome: 'timed-out' }
}

/** Waits for the job and says what became of it. */
export async function waitForJob(
  job: Job,
  step: Step,
  watch: JobWatch,
  mayBeMissingUntil?: number,
): Promise<TaskResult> {
  const ended = await waitForEnd(job, step, watch, mayBeMissingUntil)
  return ended === undefined ? { outcome: 'timed-out' } : resolveOutcome(ended, step, watch)
}
