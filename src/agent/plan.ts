import type { Check } from '../github/checks.ts'
import type { PullRequest, PullRequestAddress } from '../github/pull-requests.ts'
import type { PullRequestLink } from '../docs-service/schemas.ts'
import type { Task } from './inputs.ts'
import type { LogPlace } from './report/report.ts'
import type { FollowUpReason } from './report/turn.ts'

/** An open pull request, and the job that has opened it. */
export interface RollingPullRequest extends LogPlace {
  readonly pullRequest: PullRequest
  /** Whether the job says that the pull request is its own. A busy one says nothing, and is asked again before the prompt. */
  readonly isProven: boolean
}

/** A follow-up to the job of an open pull request. */
export interface PullRequestTarget {
  readonly kind: 'pull-request'
  readonly rolling: RollingPullRequest
  /** `pull-request`: the follow-up is counted before it is sent, and another plan may replace it. */
  readonly reason: FollowUpReason
  /** The numbers of those that were chosen before it, and ended before the prompt could be sent. */
  readonly ended: readonly number[]
}

/** A follow-up that sends failing checks back. */
export interface FixRoundTarget {
  readonly kind: 'fix-round'
  readonly address: PullRequestAddress
  readonly link: PullRequestLink
  readonly examinedHead: string
  readonly failing: readonly Check[]
  /** The newest read of the pull request, and when it was made, on the clock's scale. */
  readonly lastRead: { readonly pullRequest: PullRequest; readonly atMs: number }
  /** What the log says directly before the round is sent. */
  readonly announcement: string
}

export interface NewJobTarget {
  readonly kind: 'new-job'
  /** The numbers of open pull requests that may be the agent's: a dry run without a key cannot ask the service. */
  readonly undecided?: readonly number[]
}

/** Where a prompt goes. */
export type Target =
  | NewJobTarget
  /** The one that `job-id` names. */
  | { readonly kind: 'job' }
  | PullRequestTarget
  | FixRoundTarget

/** What a turn begins with. */
export interface Plan {
  readonly task: Task
  readonly target: Target
}

/** There is nothing to send. */
export interface Skip {
  readonly kind: 'skip'
  /** Why, as a full sentence. It is shown as Markdown. */
  readonly reason: string
}

export const skip = (reason: string): Skip => ({ kind: 'skip', reason })

export const isSkip = (found: object): found is Skip => 'kind' in found && found.kind === 'skip'
