import { openGitHub } from '../../action/step.ts'
import { isSamePullRequest, parsePullRequestLink } from '../../docs-service/pull-request-link.ts'
import { STATUS_PHRASES, type Job } from '../../docs-service/schemas.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { ActionError, unlessFailed } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'

/** Why a pull request is not known to be a job's, or the job cannot take the follow-up; undefined if all is well. */
export function objectionTo(job: Job, { repository, number }: PullRequest, serverUrl: string): string | undefined {
  if (job.status === 'archived' || job.status === 'failed') return STATUS_PHRASES[job.status]
  const link = parsePullRequestLink(`${serverUrl}/${repository}/pull/${number}`)
  if (job.prLink === undefined) return 'has no pull request'
  return link !== undefined && isSamePullRequest(job.prLink, link) ? undefined : 'has another pull request'
}

/**
 * Why a job is not that of a pull request, or cannot take the follow-up; undefined if all is well.
 * @throws ActionError if GitHub does not tell, or the job has a link that does not say which pull request it is
 */
export async function findObjection(
  job: Job | undefined,
  pullRequest: PullRequest,
  step: AgentStep,
): Promise<string | undefined> {
  if (job === undefined) return 'is not known'
  const { prLink, status } = job
  if (status === 'completed' && job.hasUnsafeLink === true)
    throw new ActionError('rejected', `job ${job.id} has a pull request, and its link cannot be used.`)
  const { serverUrl } = step.context
  const { repository, number } = pullRequest
  const isOtherName = prLink?.repository !== undefined && prLink.repository.toLowerCase() !== repository.toLowerCase()
  if (!isOtherName || prLink.number !== String(number) || prLink.host !== new URL(serverUrl).host)
    return objectionTo(job, pullRequest, serverUrl)
  // If the repository was renamed, one of the two may have its older name. Who sees it by its name of today sees it by an older
  // one, too.
  const asked = openGitHub(step, step.questions).readPullRequest({ repository: prLink.repository, number })
  const today = (await unlessFailed(asked, 'not-found', 'forbidden'))?.repository ?? prLink.repository
  return objectionTo({ ...job, prLink: { ...prLink, repository: today } }, pullRequest, serverUrl)
}
