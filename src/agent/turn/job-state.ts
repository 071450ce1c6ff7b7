import { isSamePullRequest, isTerminal, type Job } from '../../docs-service/schemas.ts'
import type { AgentStep, StandingEnd } from '../journal.ts'

/** Whether the service says `active` in so many words. An unknown status, or none, is taken for running and proves nothing. */
export function saysActive({ status, unlistedStatus, isAssumed }: Job): boolean {
  switch (status) {
    case 'active':
      return unlistedStatus === undefined && isAssumed === undefined
    case 'completed':
    case 'failed':
    case 'archived':
      return false
  }
}

/** Whether the job has completed and names no pull request. The link may still come, as it can lag behind the status. */
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
export function takesPrompts({ status }: Job): boolean {
  switch (status) {
    case 'active':
    case 'completed':
    case 'failed':
      return true
    case 'archived':
      return false
  }
}

/** Whether two readings show the same end: the same status and the same pull request. */
export function isSameEnd(a: Job, b: Job): boolean {
  if (a.status !== b.status) return false
  if (a.prLink === undefined || b.prLink === undefined) return a.prLink === b.prLink
  return isSamePullRequest(a.prLink, b.prLink)
}

/** How long the service's replicas may lag, and so how long a terminal state must be read before it is believed. */
export const STANDING_MS = 15_000

/** Updates the terminal states that jobs have shown, by job id, with one more read. */
export function seeEnd(ends: Map<string, StandingEnd>, read: Job, nowMs: number): void {
  const ending = standingAfter(ends.get(read.id), read, nowMs)
  if (ending === undefined) ends.delete(read.id)
  else ends.set(read.id, ending)
}

/** The standing end after one more read of the job; undefined while the job runs. */
export function standingAfter(before: StandingEnd | undefined, read: Job, nowMs: number): StandingEnd | undefined {
  if (!isTerminal(read)) return undefined
  const isSame = before !== undefined && isSameEnd(before.end, read)
  return { end: read, sinceMs: isSame ? before.sinceMs : nowMs, lastMs: nowMs }
}

export function hasStood({ sinceMs, lastMs }: StandingEnd): boolean {
  return lastMs - sinceMs >= STANDING_MS
}

/** Whether the step has seen the job's newest turn end. One read of an end may be older than a turn that runs. */
export function hasSeenEnd(jobId: string, { activeJobs, jobEnds }: Pick<AgentStep, 'activeJobs' | 'jobEnds'>): boolean {
  const standing = jobEnds.get(jobId)
  return standing !== undefined && (activeJobs.has(jobId) || hasStood(standing))
}
