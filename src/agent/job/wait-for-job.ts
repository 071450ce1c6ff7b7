import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, unlessFailed } from '../../runtime/errors.ts'
import type { TaskResult } from '../report/report.ts'
import { isRunning } from './job-state.ts'
import type { JobWatch } from './job-watch.ts'
import { nextSettlePollMs, nextTurnPollMs, SETTLE_MS } from './poll-schedule.ts'

/** The first read of a job that should exist; undefined if the deadline passes without an answer. */
export function findJob(jobId: string, { poll }: JobWatch): Promise<Job | undefined> {
  return poll(jobId, () => true, { nextMs: nextTurnPollMs, readsAtOnce: true })
}

/**
 * The link of a completed job may still come. Gives the next reading that says anything else than “completed, no link”; no
 * refusal takes back what the service has said of the job.
 */
function awaitLink(jobId: string, { poll }: JobWatch): Promise<Job | undefined> {
  const saysMore = ({ status, prLink, hasUnsafeLink }: Job): boolean =>
    status !== 'completed' || prLink !== undefined || hasUnsafeLink === true
  const read = poll(jobId, saysMore, {
    nextMs: (_fixedMs, { reads, minDelayMs }) => Math.max(nextSettlePollMs(reads), minDelayMs),
    withinMs: SETTLE_MS,
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

/**
 * Waits for the end of the job's present turn and says what it means. A completed job without a link is read a few times more,
 * and then the last reading counts.
 * @param mayBeMissingUntil on the clock's scale: until then a job that was just created may not be found
 */
export async function waitForJob(present: Job, watch: JobWatch, mayBeMissingUntil?: number): Promise<TaskResult> {
  const { id: jobId } = present
  for (let job: Job | undefined = present; job !== undefined;) {
    const { status, prLink, hasUnsafeLink } = job
    if (status === 'failed' || status === 'archived') return { outcome: status, job }
    if (status === 'active') job = await watch.poll(jobId, (read) => !isRunning(read), { mayBeMissingUntil })
    else if (prLink !== undefined) return { outcome: 'pull-request', job }
    else if (hasUnsafeLink === true) return unusableLink(job)
    else {
      const next = await awaitLink(jobId, watch)
      if (next === undefined) return { outcome: 'no-changes', job }
      job = next
    }
  }
  return { outcome: 'timed-out' }
}
