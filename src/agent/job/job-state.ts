import { isSamePullRequest } from '../../docs-service/pull-request-link.ts'
import type { Job } from '../../docs-service/schemas.ts'

/** Whether the agent is at work, as far as the service says (sections 2.1 and 3). The three other states are final. */
export function isRunning({ status }: Job): boolean {
  return status === 'active'
}

/** Whether the service says `active` in so many words. An unknown status, or none, is taken for running and proves nothing. */
export function saysActive({ status, unlistedStatus, isAssumed }: Job): boolean {
  return status === 'active' && unlistedStatus === undefined && isAssumed === undefined
}

/** Whether two readings show the same end: the same status and the same pull request. */
export function isSameEnd(a: Job, b: Job): boolean {
  if (a.status !== b.status) return false
  if (a.prLink === undefined || b.prLink === undefined) return a.prLink === b.prLink
  return isSamePullRequest(a.prLink, b.prLink)
}
