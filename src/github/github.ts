/** One client for all requests to GitHub. */
import type { Deadline } from '../runtime/time-budget.ts'
import { createCall } from './pages.ts'
import {
  type ChangedFiles,
  connectChangedFiles,
  connectPullRequests,
  connectReviewers,
  type PullRequests,
  type Reviewers,
} from './pull-requests.ts'
import { connectChecks, type Checks } from './checks.ts'
import { type Comments, connectComments, connectPermissions, type Permissions } from './comments.ts'
import { type Commits, type Comparisons, connectCommits, connectComparisons } from './commits.ts'
import { connectJobLogs, type JobLogs, connectWorkflowRuns, type WorkflowRuns } from './workflow-runs.ts'
import { connectLabels, type Labels } from './labels.ts'
import { createTransport, sendThrough, type GitHubOptions, type Send, type Transport, type Usage } from './transport.ts'

/**
 * All requests of this action to GitHub. Repositories are named `owner/name`. The methods throw `ActionError`; any
 * other error is a bug in this action.
 */
export interface Resources
  extends
    ChangedFiles,
    Checks,
    Comments,
    Commits,
    Comparisons,
    JobLogs,
    Labels,
    Permissions,
    PullRequests,
    Reviewers,
    WorkflowRuns {}

export interface GitHub extends Resources {
  /** Returns GitHub's count of the requests so far. */
  readonly usage: () => Usage
  /**
   * Returns the same client with another deadline.
   * @param deadlineAt a timestamp of `clock.now()`, or a deadline that can move
   * @param signal replaces the signal that aborts when the run is cancelled
   */
  readonly until: (deadlineAt: number | Deadline, signal?: AbortSignal) => GitHub
}

/** Creates GitHub's client, once for a step. */
export function connectGitHub(
  options: GitHubOptions,
  send: Send = sendThrough(options.env),
  transport: Transport = createTransport(options, send),
): GitHub {
  const connect = (deadlineAt: number | Deadline, signal: AbortSignal): GitHub => {
    const call = createCall(transport, { ...options, deadlineAt, signal })
    return {
      ...connectChangedFiles(call),
      ...connectChecks(call),
      ...connectComments(call),
      ...connectCommits(call),
      ...connectComparisons(call),
      ...connectJobLogs(call, send, options),
      ...connectLabels(call),
      ...connectPermissions(call),
      ...connectPullRequests(call),
      ...connectReviewers(call),
      ...connectWorkflowRuns(call),
      usage: transport.usage,
      until: (deadlineAt, signal = options.signal) => connect(deadlineAt, signal),
    }
  }
  return connect(options.deadlineAt, options.signal)
}
