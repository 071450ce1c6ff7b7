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
import { connectJobLogs, type JobLogs } from './job-log.ts'
import { connectLabels, type Labels } from './labels.ts'
import { createTransport, sendThrough, type GitHubOptions, type Send, type Transport, type Usage } from './transport.ts'
import { connectWorkflowRuns, type WorkflowRuns } from './workflow-runs.ts'

/**
 * What this action asks of the host of a repository, named as `owner/name`. All of it throws `ActionError`, and any other
 * error only for a defect of this action; what each question means stands where it is asked.
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
  /** What of the requests so far GitHub has counted. */
  readonly usage: () => Usage
  /**
   * The same, with a deadline or a time budget of its own.
   * @param deadlineAt on the clock's scale
   * @param signal in the place of that which aborts when the run is cancelled
   */
  readonly until: (deadlineAt: number | Deadline, signal?: AbortSignal) => GitHub
}

/** GitHub, opened once for a step. */
export function connectGitHub(
  options: GitHubOptions,
  send: Send = sendThrough(options.env),
  transport: Transport = createTransport(options, send),
): GitHub {
  const withDeadline = (deadlineAt: number | Deadline, signal: AbortSignal): GitHub => {
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
      until: (deadlineAt, signal = options.signal) => withDeadline(deadlineAt, signal),
    }
  }
  return withDeadline(options.deadlineAt, options.signal)
}
