import type { Redact } from '../text/redact.ts'
import { createAskGitHub, type AskGitHub, type GitHubOptions } from './ask-github.ts'
import { connectChecks } from './checks.ts'
import { connectComments } from './comments.ts'
import { connectCommits } from './commits.ts'
import { connectComparisons } from './comparisons.ts'
import { createConditionalRequests } from './conditional-requests.ts'
import { createDownload, type Download } from './download.ts'
import type { GitHub, Resources } from './github.ts'
import { connectJobLogs } from './job-log.ts'
import { connectLabels } from './labels.ts'
import { connectPermissions } from './permissions.ts'
import { connectPullRequests } from './pull-requests.ts'
import { connectReviewers } from './reviewers.ts'
import { connectTags } from './tags.ts'
import { connectWorkflowRuns } from './workflow-runs.ts'

/** @throws ActionError `proxy` if the proxy's address is none */
export function connectGitHub(options: GitHubOptions, requests = createConditionalRequests()): GitHub {
  return {
    ...connectResources(createAskGitHub(options, requests), createDownload(options), options.redact),
    usage: requests.usage,
    until: (deadlineAt, signal = options.signal) => connectGitHub({ ...options, deadlineAt, signal }, requests),
  }
}

/** @param redact for the logs, which come from elsewhere; all other answers are without secrets already */
export function connectResources(ask: AskGitHub, download: Download, redact: Redact): Resources {
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
    ...connectTags(ask),
    ...connectWorkflowRuns(ask),
  }
}
