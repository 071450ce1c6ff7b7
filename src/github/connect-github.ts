import { listAnnotations, type Annotation } from './annotations.ts'
import type { Redact } from '../shared/redact.ts'
import { createAskGitHub, type AskGitHub, type GitHubOptions } from './ask-github.ts'
import { readChecks, type Check } from './checks.ts'
import { compareCommits, type Comparison } from './comparisons.ts'
import { createDownload, type Download } from './download.ts'
import { readJobLog } from './job-log.ts'
import { listPullRequestCommits, type PullRequestCommit } from './pull-request-commits.ts'
import { addComment, addLabel, listTrustedComments, type TrustedComment } from './pull-request-marks.ts'
import {
  findPullRequestsOfCommit,
  listPullRequestFiles,
  readPullRequest,
  type CommitPullRequest,
  type PullRequest,
  type PullRequestAddress,
  type PullRequestFile,
} from './pull-requests.ts'
import { findLastSuccess, type WorkflowBranch } from './workflow-runs.ts'

/** What this action asks of GitHub. All of it throws `ActionError` and nothing else. */
export interface GitHub {
  compare(repository: string, base: string, head: string): Promise<Comparison>
  findLastSuccess(query: WorkflowBranch): Promise<string | undefined>
  findPullRequestsOfCommit(repository: string, sha: string): Promise<readonly CommitPullRequest[]>
  readPullRequest(address: PullRequestAddress): Promise<PullRequest>
  listPullRequestFiles(address: PullRequestAddress): Promise<readonly PullRequestFile[]>
  listPullRequestCommits(address: PullRequestAddress): Promise<readonly PullRequestCommit[]>
  listTrustedComments(address: PullRequestAddress): Promise<readonly TrustedComment[]>
  addLabel(address: PullRequestAddress, label: string): Promise<void>
  addComment(address: PullRequestAddress, body: string): Promise<void>
  readChecks(repository: string, sha: string, ownRunId: number): Promise<readonly Check[]>
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
    findPullRequestsOfCommit: (repository, sha) => findPullRequestsOfCommit(ask, repository, sha),
    readPullRequest: (address) => readPullRequest(ask, address),
    listPullRequestFiles: (address) => listPullRequestFiles(ask, address),
    listPullRequestCommits: (address) => listPullRequestCommits(ask, address),
    listTrustedComments: (address) => listTrustedComments(ask, address),
    addLabel: (address, label) => addLabel(ask, address, label),
    addComment: (address, body) => addComment(ask, address, body),
    readChecks: (repository, sha, ownRunId) => readChecks(ask, repository, sha, ownRunId),
    listAnnotations: (repository, checkRunId) => listAnnotations(ask, repository, checkRunId),
    readJobLog: async (repository, jobId) => redact(await readJobLog(ask, download, repository, jobId)),
  }
}
