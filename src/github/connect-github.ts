import { createAskGitHub, type AskGitHub, type GitHubOptions } from './ask-github.ts'
import { readChecks, type Check } from './checks.ts'
import { compareCommits, type Comparison } from './comparisons.ts'
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
import { listTags } from './tags.ts'
import { findLastSuccess, type WorkflowBranch } from './workflow-runs.ts'

/** What this action asks of GitHub. All of it throws `ActionError` and nothing else. */
export interface GitHub {
  compare(repository: string, base: string, head: string): Promise<Comparison>
  findLastSuccess(query: WorkflowBranch): Promise<string | undefined>
  /** The names of all tags, in no order that means something. */
  listTags(repository: string): Promise<readonly string[]>
  findPullRequestsOfCommit(repository: string, sha: string): Promise<readonly CommitPullRequest[]>
  readPullRequest(address: PullRequestAddress): Promise<PullRequest>
  listPullRequestFiles(address: PullRequestAddress): Promise<readonly PullRequestFile[]>
  listTrustedComments(address: PullRequestAddress): Promise<readonly TrustedComment[]>
  addLabel(address: PullRequestAddress, label: string): Promise<void>
  addComment(address: PullRequestAddress, body: string): Promise<void>
  readChecks(repository: string, sha: string, ownRunId: number): Promise<readonly Check[]>
  /** The same, with a deadline of its own, on the clock's scale. */
  until(deadlineAt: number): GitHub
}

/** @throws ActionError `proxy` if the proxy's address is none */
export function connectGitHub(options: GitHubOptions): GitHub {
  return {
    ...methods(createAskGitHub(options)),
    until: (deadlineAt) => connectGitHub({ ...options, deadlineAt }),
  }
}

function methods(ask: AskGitHub): Omit<GitHub, 'until'> {
  return {
    compare: (repository, base, head) => compareCommits(ask, repository, base, head),
    findLastSuccess: (query) => findLastSuccess(ask, query),
    listTags: (repository) => listTags(ask, repository),
    findPullRequestsOfCommit: (repository, sha) => findPullRequestsOfCommit(ask, repository, sha),
    readPullRequest: (address) => readPullRequest(ask, address),
    listPullRequestFiles: (address) => listPullRequestFiles(ask, address),
    listTrustedComments: (address) => listTrustedComments(ask, address),
    addLabel: (address, label) => addLabel(ask, address, label),
    addComment: (address, body) => addComment(ask, address, body),
    readChecks: (repository, sha, ownRunId) => readChecks(ask, repository, sha, ownRunId),
  }
}
