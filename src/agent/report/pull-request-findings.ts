import type { Check } from '../../github/commit-checks.ts'
import type { PullRequest } from '../../github/pull-requests.ts'

/** The value of the output `checks`. That none are registered is never the same as that all have passed. */
export type ChecksState = 'success' | 'failure' | 'pending' | 'none'

/** What GitHub knows of the pull request when the step ends. What is undefined was not asked, or not to be found out. */
export interface PullRequestFindings extends Partial<Pick<PullRequest, 'title' | 'state' | 'branch' | 'isBlocked'>> {
  /** The commit that `checks` and `outside` are about. */
  readonly headSha?: string
  readonly mergeable?: boolean
  /** Set if they were waited for; `failure` if one of `checkList` failed. */
  readonly checks?: ChecksState
  /** That nothing is expected of them before somebody approves them. */
  readonly waitsForApproval?: boolean
  /** All that count, if they were waited for. */
  readonly checkList?: readonly Check[]
  /** What does not match `allowed-paths`. */
  readonly outside?: readonly string[]
}

export function failedOf(checks: readonly Check[] = []): readonly Check[] {
  return checks.filter(({ state }) => state === 'failure')
}

/** Whether all its files match `allowed-paths`; undefined if that is not known. */
export function isInScope({ outside }: PullRequestFindings): boolean | undefined {
  return outside === undefined ? undefined : outside.length === 0
}

export function describePullRequest(pullRequest: PullRequest): PullRequestFindings {
  const { title, state, branch, headSha, mergeable, isBlocked } = pullRequest
  return { title, state, branch, headSha, isBlocked, ...(mergeable === undefined ? {} : { mergeable }) }
}
