import { createAskGitHub, type GitHubOptions } from './ask-github.ts'
import { connectChecks, type Annotation } from './checks.ts'
import { connectPermissions, type Asked } from './comment-trust.ts'
import type { Check, OwnRun } from './commit-checks.ts'
import {
  connectComments,
  type CommentAddress,
  type CommentPlace,
  type MarkerComment,
  type ReviewComment,
} from './comments.ts'
import { connectCommits, type PullRequestCommit, type Tag } from './commits.ts'
import { connectComparisons, type Comparison } from './comparisons.ts'
import { connectJobLogs, createDownload, type Download } from './job-log.ts'
import { connectLabels } from './labels.ts'
import {
  connectPullRequests,
  type ListedPullRequest,
  type PullRequest,
  type PullRequestAddress,
} from './pull-requests.ts'
import { createRequests, type Requests, type Usage } from './requests.ts'
import { connectReviewers } from './reviewers.ts'
import { sendThrough } from './send.ts'
import { connectWorkflowRuns, type WorkflowBranch } from './workflow-runs.ts'

/**
 * What this action asks of the host of a repository, named as `owner/name`. All of it throws `ActionError` and nothing else;
 * what each question means stands where it is asked.
 */
export interface Resources {
  readonly readPullRequest: (pullRequest: PullRequestAddress) => Promise<PullRequest>
  readonly findPullRequestsOfCommit: (repository: string, sha: string) => Promise<readonly ListedPullRequest[]>
  readonly findPullRequestsEndingWith: (repository: string, sha: string) => Promise<readonly ListedPullRequest[]>
  readonly findPullRequestsOfBranch: (
    repository: string,
    branch: string,
    state: 'open' | 'all',
  ) => Promise<readonly ListedPullRequest[]>
  readonly listPullRequestCommits: (pullRequest: PullRequestAddress) => Promise<readonly PullRequestCommit[]>
  readonly listCommitsBetween: (repository: string, base: string, head: string) => Promise<readonly PullRequestCommit[]>
  readonly listTags: (repository: string) => Promise<readonly Tag[]>
  readonly compare: (repository: string, base: string, head: string) => Promise<Comparison>

  readonly addLabel: (pullRequest: PullRequestAddress, label: string) => Promise<void>
  readonly findLabelledPullRequests: (repository: string, label: string) => Promise<readonly PullRequestAddress[]>
  readonly listOpenPullRequests: (repository: string, label: string) => Promise<readonly PullRequestAddress[]>
  readonly listReviewersSoFar: (pullRequest: PullRequestAddress) => Promise<readonly string[]>
  readonly requestReview: (pullRequest: PullRequestAddress, name: string) => Promise<void>

  readonly listMarkerComments: (
    place: CommentPlace,
    matters?: (body: string) => boolean,
  ) => Promise<readonly MarkerComment[]>
  readonly readComment: (pullRequest: PullRequestAddress, commentId: number) => Promise<string>
  readonly addComment: (place: CommentPlace, body: string) => Promise<number | undefined>
  readonly editComment: (place: CommentPlace, commentId: number, body: string) => Promise<void>
  readonly addEyes: (comment: CommentAddress) => Promise<void>
  readonly listReviewComments: (review: CommentAddress) => Promise<readonly ReviewComment[]>
  readonly mayWrite: (repository: string, person: Asked) => Promise<boolean>

  readonly readChecks: (
    repository: string,
    sha: string,
    own: OwnRun,
    suffices?: (listed: readonly Check[]) => boolean,
  ) => Promise<readonly Check[]>
  readonly listAnnotations: (repository: string, checkRunId: number) => Promise<readonly Annotation[]>
  readonly readJobLog: (repository: string, jobId: number) => Promise<string>
  readonly findLastSuccesses: (before: WorkflowBranch) => Promise<readonly string[]>
}

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
  const ask = createAskGitHub(options, requests)
  return {
    ...connectChecks(ask),
    ...connectComments(ask),
    ...connectCommits(ask),
    ...connectComparisons(ask),
    // Logs come from elsewhere; all other answers are without secrets already.
    ...connectJobLogs(ask, download(options), redact),
    ...connectLabels(ask),
    ...connectPermissions(ask),
    ...connectPullRequests(ask),
    ...connectReviewers(ask),
    ...connectWorkflowRuns(ask),
    usage: requests.usage,
    until: (deadlineAt, end = signal) => connectGitHub({ ...options, deadlineAt, signal: end }, requests, download),
  }
}
