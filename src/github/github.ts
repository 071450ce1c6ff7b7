import type { Redact } from '../text/redact.ts'
import { createAskGitHub, type AskGitHub, type GitHubOptions } from './ask-github.ts'
import { connectChecks } from './checks.ts'
import { connectPermissions } from './comment-trust.ts'
import { connectComments } from './comments.ts'
import { connectCommits } from './commits.ts'
import { connectComparisons } from './comparisons.ts'
import { connectJobLogs, createDownload, type Download } from './job-log.ts'
import { connectLabels } from './labels.ts'
import { connectPullRequests } from './pull-requests.ts'
import { createRequests, type Requests, type Usage } from './requests.ts'
import { connectReviewers } from './reviewers.ts'
import { sendThrough } from './send.ts'
import { connectWorkflowRuns } from './workflow-runs.ts'

/** @param redact for the logs, which come from elsewhere; all other answers are without secrets already */
function connectResources(ask: AskGitHub, download: Download, redact: Redact) {
  return {
    ...connectChecks(ask),
    ...connectComments(ask),
    ...connectCommits(ask),
    ...connectComparisons(ask),
    ...connectJobLogs(ask, download, redact),
    ...connectLabels(ask),
    ...connectPermissions(ask),
    ...connectPullRequests(ask),
    ...connectReviewers(ask),
    ...connectWorkflowRuns(ask),
  }
}

export type Resources = ReturnType<typeof connectResources>

/** What this action asks of the host of a repository. All of it throws `ActionError` and nothing else. */
export interface GitHub extends Resources {
  /** What of the requests so far GitHub has counted. */
  readonly usage: () => Usage
  /**
   * The same, with a deadline of its own, on the clock's scale.
   * @param signal in the place of that which aborts when the run is cancelled
   */
  readonly until: (deadlineAt: number, signal?: AbortSignal) => GitHub
}

export function connectGitHub(
  options: GitHubOptions,
  requests: Requests = createRequests(options, sendThrough(options.env)),
  download: (options: GitHubOptions) => Download = createDownload,
): GitHub {
  const { redact, signal } = options
  return {
    ...connectResources(createAskGitHub(options, requests), download(options), redact),
    usage: requests.usage,
    until: (deadlineAt, end = signal) => connectGitHub({ ...options, deadlineAt, signal: end }, requests, download),
  }
}
