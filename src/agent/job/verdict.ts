import type { Job } from '../../service/schemas.ts'
import type { Outcome } from '../report/report.ts'

export type Verdict =
  | { readonly kind: 'running' }
  /** The agent finished; the link may follow a moment later. */
  | { readonly kind: 'completed-without-link' }
  | { readonly kind: 'settled'; readonly outcome: Outcome }

/** What an answer of the service means (sections 2.1 and 3). Three of the four states are final. */
export function judge({ status, prLink }: Job): Verdict {
  switch (status) {
    case 'active':
      return { kind: 'running' }
    case 'completed':
      return prLink === undefined ? { kind: 'completed-without-link' } : { kind: 'settled', outcome: 'pull-request' }
    case 'failed':
    case 'archived':
      return { kind: 'settled', outcome: status }
  }
}

export function isRunning(job: Job): boolean {
  return judge(job).kind === 'running'
}

/**
 * Whether an answer proves that the turn of a follow-up began. Right after a message a finished job may still read as it
 * did before, so only a difference counts: it runs, it ended in another way, or it has another pull request. A first one
 * proves nothing: it may be the late link of the turn before.
 */
export function showsNewTurn(before: Job, now: Job): boolean {
  if (now.isAssumed) return false
  if (isRunning(now) || now.status !== before.status) return true
  return before.prLink !== undefined && now.prLink !== undefined && now.prLink !== before.prLink
}
