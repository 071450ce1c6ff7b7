import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, unlessFailed } from '../../runtime/errors.ts'
import type { TaskResult } from '../report/report.ts'
import type { JobWatch } from './job-watch.ts'
import { nextSettlePollMs, nextTurnPollMs, SETTLE_MS } from './poll-schedule.ts'
import { isRunning } from './job-state.ts'

/** The first read of a job that should exist; undefined if the deadline passes without an answer. */
export function findJob(jobId: string, { poll }: JobWatch): Promise<Job | undefined> {
  return poll({ jobId, isFound: () => true, nextMs: nextTurnPollMs, readsAtOnce: true })
}

/**
 * Waits for the end of the job's present turn; undefined if the deadline passes before.
 * @param mayBeMissingUntil on the clock's scale: until then a job that was just created may not be found
 */
async function waitForEnd(job: Job, { poll }: JobWatch, mayBeMissingUntil?: number): Promise<Job | undefined> {
  return isRunning(job) ? poll({ jobId: job.id, isFound: (read) => !isRunning(read), mayBeMissingUntil }) : job
}

/**
 * The link of a completed job may still come. Gives the next reading that says anything else than “completed, no link”; no
 * refusal takes back what the service has said of the job.
 */
function awaitLink({ id }: Job, { poll, step: { clock, deadlineAt } }: JobWatch): Promise<Job | undefined> {
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
export async function resolveOutcome(ended: Job, watch: JobWatch): Promise<TaskResult> {
  for (let job: Job | undefined = ended; job !== undefined; job = await waitForEnd(job, watch)) {
    if (job.status === 'failed' || job.status === 'archived') return { outcome: job.status, job }
    if (job.status === 'active') continue
    if (job.prLink !== undefined) return { outcome: 'pull-request', job }
    if (job.hasUnsafeLink === true) return unusableLink(job)
    const next: Job | undefined = await awaitLink(job, watch)
    if (next === undefined) return { outcome: 'no-changes', job }
    job = next
  }
  return { outcome: 'timed-out' }
}

/** Waits for the job and says what became of it. */
export async function waitForJob(job: Job, watch: JobWatch, mayBeMissingUntil?: number): Promise<TaskResult> {
  const ended = await waitForEnd(job, watch, mayBeMissingUntil)
  return ended === undefined ? { outcome: 'timed-out' } : resolveOutcome(ended, watch)
}
