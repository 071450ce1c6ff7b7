import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, unlessFailed } from '../../runtime/errors.ts'
import type { Ended, UnusableLink } from '../report/turn.ts'
import { isRunning } from './job-state.ts'
import type { JobWatch } from './job-watch.ts'
import { LINK_LAG_MS, nextSettlePollMs, nextTurnPollMs } from './poll-schedule.ts'

/** The first read of a job that should exist; undefined if the deadline passes without an answer. */
export function findJob(jobId: string, { poll }: JobWatch): Promise<Job | undefined> {
  return poll(jobId, () => true, { nextMs: nextTurnPollMs, readsAtOnce: true })
}

/** How long the one repetition of a read may take that failed at the end of the wait for a link, in milliseconds. */
const REPEATED_READ_MS = 10_000

/**
 * Reads a completed job without a link until a read says anything else, for as long as replicas may lag. No refused read takes
 * back that the job completed.
 * @returns the read that says something else; `none` if no link came; `cut` if the deadline ended the wait early
 */
async function awaitLink(jobId: string, watch: JobWatch): Promise<Job | 'none' | 'cut'> {
  const { client, clock, deadlineAt } = watch.step
  const endsAt = clock.now() + LINK_LAG_MS
  const saysMore = ({ status, prLink, hasUnsafeLink }: Job): boolean =>
    status !== 'completed' || prLink !== undefined || hasUnsafeLink === true
  const polled = watch.poll(jobId, saysMore, {
    nextMs: (_fixedMs, { reads, minDelayMs }) => Math.max(nextSettlePollMs(reads), minDelayMs),
    withinMs: LINK_LAG_MS,
    endsOnLongWait: true,
  })
  let read = await unlessFailed(polled)
  const { lastProblem } = watch.reads
  // The last read has little time, so a slow response is cut off.
  if (read === undefined && lastProblem !== undefined && lastProblem.code !== 'rate-limited') {
    const repeated = await unlessFailed(client.getJob(jobId, Math.min(clock.now() + REPEATED_READ_MS, deadlineAt)))
    if (repeated !== undefined) watch.observe(repeated)
    if (repeated !== undefined && saysMore(repeated)) read = repeated
  }
  return read ?? (endsAt > deadlineAt ? 'cut' : 'none')
}

/** Neither a pull request to show, nor none. */
function unusableLink(job: Job): UnusableLink {
  const error = new ActionError(
    'unusable-link',
    'The agent finished, but the address of its pull request cannot be used: it is not a plain `https:` address.',
    { hint: 'Look for the pull request in the repository, and report it to those who run the service.' },
  )
  return { kind: 'unusable-link', job, error }
}

/** What a terminal state of a job means. */
export type JobEnd = Ended | UnusableLink

/**
 * What a terminal state of the job means. A completed job without a link is read for a while first.
 * @returns the newest read, if it contradicts the state; undefined if the time ran out
 */
export async function settleEnd(job: Job, watch: JobWatch): Promise<JobEnd | Job | undefined> {
  const { id, status, prLink, hasUnsafeLink } = job
  if (status === 'failed' || status === 'archived' || prLink !== undefined)
    return { kind: 'ended', job, work: { kind: 'unknown' } }
  if (hasUnsafeLink === true) return unusableLink(job)
  const read = await awaitLink(id, watch)
  if (read === 'none') return { kind: 'ended', job, work: { kind: 'none' } }
  return read === 'cut' ? undefined : read
}

/**
 * Waits for the end of the job's present turn and says what it means; undefined if the time ran out.
 * @param mayBeMissingUntil on the clock's scale: until then a job that was just created may not be found
 */
export async function waitForJob(
  present: Job,
  watch: JobWatch,
  mayBeMissingUntil?: number,
): Promise<JobEnd | undefined> {
  for (let job: Job | undefined = present; job !== undefined;) {
    if (isRunning(job)) job = await watch.poll(present.id, (read) => !isRunning(read), { mayBeMissingUntil })
    else {
      const settled: JobEnd | Job | undefined = await settleEnd(job, watch)
      if (settled === undefined || 'kind' in settled) return settled
      job = settled
    }
  }
  return undefined
}
