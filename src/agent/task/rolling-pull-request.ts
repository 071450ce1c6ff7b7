import type { MarkerComment } from '../../github/comments.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { parsePullRequestLink, isSamePullRequest } from '../../docs-service/pull-request-link.ts'
import { STATUS_PHRASES, type Job } from '../../docs-service/schemas.ts'
import type { LogPlace } from '../report/report.ts'
import { mostTrusted, readMarker } from '../pull-request/marker.ts'

/** An open pull request, and the job that has opened it. */
export interface RollingPullRequest extends LogPlace {
  readonly pullRequest: PullRequest
  /** Whether the job says that the pull request is its own. A busy one says nothing, and is asked again before the prompt. */
  readonly isProven: boolean
}

/** What comments say of a job that they name. */
type NamedJob = Omit<RollingPullRequest, 'pullRequest' | 'isProven'>

/** More than this are no marks of ours. Nobody pushes out what ours name. */
const MOST_JOBS = 10

/**
 * The jobs that comments name: those that count, oldest first, and those that anybody else names, newest first. Strangers may
 * name any job, and the service decides.
 */
export function jobsNamedIn(comments: readonly MarkerComment[]): Record<'ours' | 'others', readonly NamedJob[]> {
  const markers = comments.flatMap(({ id, author, body }) => {
    const marker = readMarker(body)
    return marker === undefined ? [] : [{ ...marker, id, author }]
  })
  const ours = new Set(mostTrusted(markers).map(({ jobId }) => jobId))
  const others = new Set(markers.map(({ jobId }) => jobId).filter((jobId) => !ours.has(jobId)))
  const toJobs = (jobIds: readonly string[]): readonly NamedJob[] =>
    jobIds.slice(0, MOST_JOBS).map((jobId) => {
      // Counts of others do not matter: they could end the rolling pull request. An older comment may be full.
      const counted = mostTrusted(markers.filter((marker) => marker.jobId === jobId))
      const followUps = Math.max(0, ...counted.map(({ followUps }) => followUps))
      return { jobId, commentId: counted.at(-1)?.id, followUps }
    })
  return { ours: toJobs([...ours]), others: toJobs([...others].toReversed()) }
}

/** Why a pull request is not known to be a job's, or the job cannot take the follow-up; undefined if all is well. */
export function objectionTo(job: Job, { repository, number }: PullRequest, serverUrl: string): string | undefined {
  if (job.status === 'archived' || job.status === 'failed') return STATUS_PHRASES[job.status]
  const link = parsePullRequestLink(`${serverUrl}/${repository}/pull/${number}`)
  if (job.prLink === undefined) return 'has no pull request'
  return link !== undefined && isSamePullRequest(job.prLink, link) ? undefined : 'has another pull request'
}

/** What to do if a question has no answer: who asked for one pull request must not get two because of it. */
export const ASK_AGAIN =
  'Run the step again when it can be asked. With `on-open-pr: new` nobody is asked, and each run starts a job.'
