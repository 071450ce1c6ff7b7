import type { Redact } from '../text/redact.ts'
import { listAnnotations } from './annotations.ts'
import { createAskGitHub, type AskGitHub, type GitHubOptions } from './ask-github.ts'
import { readChecks } from './checks.ts'
import { addComment, addEyes, editComment, listMarkerComments, listReviewComments, readComment } from './comments.ts'
import { compareCommits } from './comparisons.ts'
import { createDownload, type Download } from './download.ts'
import { readJobLog } from './job-log.ts'
import { addLabel } from './labels.ts'
import { findLabelledPullRequests, listOpenPullRequests } from './open-pull-requests.ts'
import { mayWrite, type Person } from './permissions.ts'
import { listCommitsBetween, listPullRequestCommits } from './pull-request-commits.ts'
import {
  findPullRequestsEndingWith,
  findPullRequestsOfBranch,
  findPullRequestsOfCommit,
  readPullRequest,
} from './pull-requests.ts'
import { listTags } from './tags.ts'
import { findLastSuccesses } from './workflow-runs.ts'

/** Each asks GitHub one thing, and gets `ask` as its first argument. */
const QUESTIONS = {
  addComment,
  addEyes,
  addLabel,
  compare: compareCommits,
  editComment,
  findLabelledPullRequests,
  findLastSuccesses,
  findPullRequestsEndingWith,
  findPullRequestsOfBranch,
  findPullRequestsOfCommit,
  listAnnotations,
  listCommitsBetween,
  listMarkerComments,
  listOpenPullRequests,
  listPullRequestCommits,
  listReviewComments,
  listTags,
  readChecks,
  readComment,
  readPullRequest,
  mayWrite: (ask: AskGitHub, repository: string, person: Person) =>
    ask({ permission: 'metadata: read', repository }, (octokit) => mayWrite(octokit, repository, person)),
}

type Asked<Question> = Question extends (ask: AskGitHub, ...about: infer About) => infer Answer
  ? (...about: About) => Answer
  : never

/** What this action asks of GitHub. All of it throws `ActionError` and nothing else. */
export type GitHub = { readonly [Name in keyof typeof QUESTIONS]: Asked<(typeof QUESTIONS)[Name]> } & {
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
  const asked = Object.entries(QUESTIONS).map(([name, question]) => [
    name,
    (...about: never[]) => (question as (ask: AskGitHub, ...about: never[]) => unknown)(ask, ...about),
  ])
  return {
    ...(Object.fromEntries(asked) as Omit<GitHub, 'until' | 'readJobLog'>),
    readJobLog: async (repository, jobId) => redact(await readJobLog(ask, download, repository, jobId)),
  }
}
