import { createAskGitHub } from './ask-github.ts'
import { connectChecks, type Checks } from './checks.ts'
import { connectPermissions, type Permissions } from './comment-trust.ts'
import { connectComments, type Comments } from './comments.ts'
import { connectCommits, type Commits } from './commits.ts'
import { connectComparisons, type Comparisons } from './comparisons.ts'
import { connectJobLogs, type JobLogs } from './job-log.ts'
import { connectLabels, type Labels } from './labels.ts'
import { sendThrough, type Send } from './octokit.ts'
import { connectPullRequests, type PullRequests } from './pull-requests.ts'
import type { Deadline } from '../runtime/time-budget.ts'
import { createRequests, type GitHubOptions, type Requests, type Usage } from './requests.ts'
import { connectReviewers, type Reviewers } from './reviewers.ts'
import { connectWorkflowRuns, type WorkflowRuns } from './workflow-runs.ts'

/**
 * What this action asks of the host of a repository, named as `owner/name`. All of it throws `ActionError`, and any other
 * error only for a defect of this action; what each question means stands where it is asked.
 */
export interface Resources
  extends Checks, Comments, Commits, Comparisons, JobLogs, Labels, Permissions, PullRequests, Reviewers, WorkflowRuns {}

export interface GitHub extends Resources {
  /** What of the requests so far GitHub has counted. */
  readonly usage: () => Usage
  /**
   * The same, with a deadline or a time budget of its own.
   * @param deadlineAt on the clock's scale
   * @param signal in the place of that which aborts when the run is cancelled
   */
  readonly until: (deadlineAt: number | Deadline, signal?: AbortSignal) => GitHub
}

export function connectGitHub(
  options: GitHubOptions,
  send: Send = sendThrough(options.env),
  requests: Requests = createRequests(options, send),
): GitHub {
  const ask = createAskGitHub(options, requests)
  return {
    ...connectChecks(ask),
    ...connectComments(ask),
    ...connectCommits(ask),
    ...connectComparisons(ask),
    ...connectJobLogs(ask, send, options),
    ...connectLabels(ask),
    ...connectPermissions(ask),
    ...connectPullRequests(ask),
    ...connectReviewers(ask),
    ...connectWorkflowRuns(ask),
    usage: requests.usage,
    until: (deadlineAt, signal = options.signal) => connectGitHub({ ...options, deadlineAt, signal }, send, requests),
  }
}
