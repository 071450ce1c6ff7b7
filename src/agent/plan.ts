/** What to send next and to whom, as values that the parts pass on, or why the step is skipped. */
import type { Check } from '../github/checks.ts'
import type { PullRequest, PullRequestAddress } from '../github/pull-requests.ts'
import type { PullRequestLink } from '../docs-service/schemas.ts'
import type { Task } from './inputs.ts'
import type { ListedLogComment, LogPlace } from './report/report.ts'
import type { FollowUpReason } from './report/turn.ts'

/** An open pull request, and the job that opened it. */
export interface RollingPullRequest extends LogPlace<ListedLogComment> {
  readonly pullRequest: PullRequest
  /** Whether the job names the pull request as its own. A busy job names none, so it is read again before the prompt is sent. */
  readonly isProven: boolean
}

/** A follow-up to the job of an open pull request. */
export interface PullRequestTarget {
  readonly kind: 'pull-request'
  readonly rolling: RollingPullRequest
  /** `pull-request`: the follow-up is counted before it is sent, and another plan may replace it. */
  readonly reason: FollowUpReason
  /** The numbers of the pull requests that were chosen before this one and then merged or closed before the prompt was sent. */
  readonly ended: readonly number[]
}

/** A follow-up that sends the failed checks to the agent. */
export interface FixRoundTarget {
  readonly kind: 'fix-round'
  readonly address: PullRequestAddress
  readonly link: PullRequestLink
  readonly examinedHead: string
  readonly failing: readonly Check[]
  /** The newest read of the pull request, and its time on the clock's scale. */
  readonly lastRead: { readonly pullRequest: PullRequest; readonly atMs: number }
  /** Logged directly before the round is sent. */
  readonly announcement: string
}

export interface NewJobTarget {
  readonly kind: 'new-job'
  /** The numbers of open pull requests that may be the agent's. Only in a dry run without a key, which cannot read their jobs. */
  readonly undecided?: readonly number[]
}

/** The recipient of a prompt. */
export type Target =
  | NewJobTarget
  /** The job that `job-id` names. */
  | { readonly kind: 'job' }
  | PullRequestTarget
  | FixRoundTarget

/** The task and the target of a turn. */
export interface Plan {
  readonly task: Task
  readonly target: Target
}

/** The step sends no prompt. */
export interface Skip {
  readonly kind: 'skip'
  /** A full sentence, rendered as Markdown. */
  readonly reason: string
}

export const skip = (reason: string): Skip => ({ kind: 'skip', reason })

export const isSkip = (found: object): found is Skip => 'kind' in found && found.kind === 'skip'
