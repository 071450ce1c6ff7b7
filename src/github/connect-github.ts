import { listAnnotations, type Annotation } from './annotations.ts'
import type { Redact } from '../shared/redact.ts'
import { createAskGitHub, type AskGitHub, type GitHubOptions } from './ask-github.ts'
import { readChecks, type Check } from './checks.ts'
import {
  addEyes,
  addReply,
  editReply,
  findReply,
  listReviewComments,
  type CommentAddress,
  type ReviewComment,
} from './comments.ts'
import { compareCommits, type ComparedCommit, type Comparison } from './comparisons.ts'
import { editComment, listComments, type PullRequestComment } from './marker-comments.ts'
import { listOpenPullRequests, listPeoplesCommits, type OpenPullRequest } from './open-pull-requests.ts'
import { readPermission, type Permission } from './permissions.ts'
import { readPullRequestEnds } from './pull-request-ends.ts'
import { addComment, addLabel, listMarkerComments, type MarkerComment } from './pull-request-marks.ts'
import { createDownload, type Download } from './download.ts'
import { readJobLog } from './job-log.ts'
import { listPullRequestCommits, type PullRequestCommit } from './pull-request-commits.ts'
import {
  findPullRequestsOfCommit,
  listPullRequestFiles,
  readPullRequest,
  type CommitPullRequest,
  type PullRequest,
  type PullRequestAddress,
  type PullRequestFile,
} from './pull-requests.ts'
import { listTags } from './tags.ts'
import { findLastSuccess, type WorkflowBranch } from './workflow-runs.ts'

/** What this action asks of GitHub. All of it throws `ActionError` and nothing else. */
export interface GitHub {
  compare(repository: string, base: string, head: string): Promise<Comparison>
  findLastSuccess(query: WorkflowBranch): Promise<string | undefined>
  /** The names of all tags, in no order that means something. */
  listTags(repository: string): Promise<readonly string[]>
  findPullRequestsOfCommit(repository: string, sha: string): Promise<readonly CommitPullRequest[]>
  listOpenPullRequests(repository: string, label: string): Promise<readonly OpenPullRequest[]>
  readPullRequest(address: PullRequestAddress): Promise<PullRequest>
  listPullRequestFiles(address: PullRequestAddress): Promise<readonly PullRequestFile[]>
  listPeoplesCommits(address: PullRequestAddress): Promise<readonly ComparedCommit[]>
  listComments(address: PullRequestAddress): Promise<readonly PullRequestComment[]>
  /** All that begin as a marker does. */
  listMarkerComments(address: PullRequestAddress): Promise<readonly MarkerComment[]>
  /** Those of them that may be believed. */
  listTrustedComments(address: PullRequestAddress): Promise<readonly Pick<MarkerComment, 'body'>[]>
  listPullRequestCommits(address: PullRequestAddress): Promise<readonly PullRequestCommit[]>
  addLabel(address: PullRequestAddress, label: string): Promise<void>
  addComment(address: PullRequestAddress, body: string): Promise<void>
  editComment(repository: string, commentId: number, body: string): Promise<void>
  readChecks(repository: string, sha: string, ownRunId: number): Promise<readonly Check[]>
  readPullRequestEnds(address: PullRequestAddress): Promise<{ readonly base: string; readonly head: string }>
  readPermission(repository: string, login: string): Promise<Permission>
  addEyes(address: CommentAddress): Promise<void>
  listReviewComments(review: CommentAddress): Promise<readonly ReviewComment[]>
  findReply(address: CommentAddress, marker: string): Promise<number | undefined>
  addReply(address: CommentAddress, body: string): Promise<void>
  editReply(address: CommentAddress, replyId: number, body: string): Promise<void>
  listAnnotations(repository: string, checkRunId: number): Promise<readonly Annotation[]>
  /** The end of the log of a job of GitHub Actions, around its last error. */
  readJobLog(repository: string, jobId: number): Promise<string>
  /** The same, with a deadline of its own, on the clock's scale. */
  until(deadlineAt: number): GitHub
}

/** @throws ActionError `proxy` if the proxy's address is none */
export function connectGitHub(options: GitHubOptions): GitHub {
  return {
    ...methods(createAskGitHub(options), createDownload(options), options.redact),
    until: (deadlineAt) => connectGitHub({ ...options, deadlineAt }),
  }
}

/** @param redact for the logs, which come from elsewhere; all other answers are without secrets already */
export function methods(ask: AskGitHub, download: Download, redact: Redact): Omit<GitHub, 'until'> {
  return {
    compare: (repository, base, head) => compareCommits(ask, repository, base, head),
    findLastSuccess: (query) => findLastSuccess(ask, query),
    listTags: (repository) => listTags(ask, repository),
    findPullRequestsOfCommit: (repository, sha) => findPullRequestsOfCommit(ask, repository, sha),
    listOpenPullRequests: (repository, label) => listOpenPullRequests(ask, repository, label),
    readPullRequest: (address) => readPullRequest(ask, address),
    listPullRequestFiles: (address) => listPullRequestFiles(ask, address),
    listPeoplesCommits: (address) => listPeoplesCommits(ask, address),
    listComments: (address) => listComments(ask, address),
    listMarkerComments: (address) => listMarkerComments(ask, address),
    listTrustedComments: async (address) =>
      (await listMarkerComments(ask, address)).filter(({ author }) => author === 'trusted'),
    listPullRequestCommits: (address) => listPullRequestCommits(ask, address),
    addLabel: (address, label) => addLabel(ask, address, label),
    addComment: (address, body) => addComment(ask, address, body),
    editComment: (repository, commentId, body) => editComment(ask, repository, commentId, body),
    readChecks: (repository, sha, ownRunId) => readChecks(ask, repository, sha, ownRunId),
    readPullRequestEnds: (address) => readPullRequestEnds(ask, address),
    readPermission: (repository, login) => readPermission(ask, repository, login),
    addEyes: (address) => addEyes(ask, address),
    listReviewComments: (review) => listReviewComments(ask, review),
    findReply: (address, marker) => findReply(ask, address, marker),
    addReply: (address, body) => addReply(ask, address, body),
    editReply: (address, replyId, body) => editReply(ask, address, replyId, body),
    listAnnotations: (repository, checkRunId) => listAnnotations(ask, repository, checkRunId),
    readJobLog: async (repository, jobId) => redact(await readJobLog(ask, download, repository, jobId)),
  }
}
