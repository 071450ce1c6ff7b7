import { isSamePullRequest, isTerminal, type Job } from '../../docs-service/schemas.ts'
import type { AgentStep, ObservedEnd } from '../journal.ts'

/** Whether the service explicitly reports `active`. An unknown or missing status counts as running, but proves nothing. */
export function isReportedActive({ status, unlistedStatus, isAssumed }: Job): boolean {
  switch (status) {
    case 'active':
      return unlistedStatus === undefined && isAssumed === undefined
    case 'completed':
    case 'failed':
    case 'archived':
      return false
  }
}

/** Whether the job has completed without a pull request link. The link can lag behind the status. */
export function isWithoutLink({ status, prLink }: Job): boolean {
  switch (status) {
    case 'completed':
      return prLink === undefined
    case 'active':
    case 'failed':
    case 'archived':
      return false
  }
}

/** Whether the service accepts another prompt for the job, now or after the current turn. */
export function acceptsPrompts({ status }: Job): boolean {
  switch (status) {
    case 'active':
    case 'completed':
    case 'failed':
      return true
    case 'archived':
      return false
  }
}

/** Whether two reads show the same status and the same pull request. */
export function isSameEnd(a: Job, b: Job): boolean {
  if (a.status !== b.status) return false
  if (a.prLink === undefined || b.prLink === undefined) return a.prLink === b.prLink
  return isSamePullRequest(a.prLink, b.prLink)
}

/** The service's replicas may lag this long, so a terminal state is trusted only when it has not changed for this time. */
export const STABLE_END_MS = 15_000

/** Updates the observed ends, by job id, with a read. */
export function recordEnd(ends: Map<string, ObservedEnd>, read: Job, nowMs: number): void {
  const end = updateObservedEnd(ends.get(read.id), read, nowMs)
  if (end === undefined) ends.delete(read.id)
  else ends.set(read.id, end)
}

/** Returns the observed end after another read of the job, or `undefined` while the job is running. */
export function updateObservedEnd(before: ObservedEnd | undefined, read: Job, nowMs: number): ObservedEnd | undefined {
  if (!isTerminal(read)) return undefined
  const isSame = before !== undefined && isSameEnd(before.end, read)
  return { end: read, sinceMs: isSame ? before.sinceMs : nowMs, lastMs: nowMs }
}

/** Whether the end has been observed for as long as replicas may lag. */
export function isStable({ sinceMs, lastMs }: ObservedEnd): boolean {
  return lastMs - sinceMs >= STABLE_END_MS
}

/** Whether the step has seen the end of the job's newest turn. A single read of an end can be older than a running turn. */
export function hasSeenEnd(jobId: string, { activeJobs, jobEnds }: Pick<AgentStep, 'activeJobs' | 'jobEnds'>): boolean {
  const end = jobEnds.get(jobId)
  return end !== undefined && (activeJobs.has(jobId) || isStable(end))
}
