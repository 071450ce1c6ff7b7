/** One client for all requests to GitHub. */
import { Deadline, ENDING_MS } from '../runtime/deadline.ts'
import { createCall } from './pages.ts'
import { connectPullRequests, connectReviewers, type PullRequests, type Reviewers } from './pull-requests.ts'
import { connectChecks, type Checks } from './checks.ts'
import { type Comments, connectComments, connectPermissions, type Permissions } from './comments.ts'
import { type Commits, type Comparisons, connectCommits, connectComparisons } from './commits.ts'
import { connectJobLogs, type JobLogs, connectWorkflowRuns, type WorkflowRuns } from './workflow-runs.ts'
import { connectLabels, type Labels } from './labels.ts'
import {
  createRequestPolicy,
  type GitHubOptions,
  type LoadToolkit,
  type Octokit,
  openOctokit,
  type Send,
  sendThrough,
} from './transport.ts'

/**
 * All requests of this action to GitHub. Repositories are named `owner/name`. The methods throw `ActionError`; any
 * other error is a bug in this action.
 */
export interface Resources
  extends Checks, Comments, Commits, Comparisons, JobLogs, Labels, Permissions, PullRequests, Reviewers, WorkflowRuns {}

export interface GitHub extends Resources {
  /**
   * Returns the same resources for what is left to write at the end of a step: these requests have 30 seconds after the deadline,
   * and one second after a cancellation. The deadline of all other requests stays where it is.
   */
  readonly atEnd: () => Resources
}

/** Creates GitHub's client, once for a step. Octokit is loaded by the first request. */
export function connectGitHub(
  options: GitHubOptions,
  send: Send = sendThrough(options.env, options.apiUrl),
  load: LoadToolkit = () => import('@actions/github'),
): GitHub {
  const { deadlineAt, signal, clock } = options
  const policy = createRequestPolicy(options)
  let octokit: Promise<Octokit> | undefined
  const open = (): Promise<Octokit> => (octokit ??= openOctokit(options, policy, send, load))
  const connect = (deadline: Deadline): Resources => {
    const call = createCall(open, deadline, options)
    return {
      ...connectChecks(call),
      ...connectComments(call),
      ...connectCommits(call),
      ...connectComparisons(call),
      ...connectJobLogs(call, send, deadline, options),
      ...connectLabels(call),
      ...connectPermissions(call),
      ...connectPullRequests(call),
      ...connectReviewers(call),
      ...connectWorkflowRuns(call),
    }
  }
  const ending = new Deadline(deadlineAt + ENDING_MS, signal, clock)
  const last = connect(ending)
  return {
    ...connect(new Deadline(deadlineAt, signal, clock)),
    atEnd() {
      ending.resumeAfterCancel()
      return last
    },
  }
}
