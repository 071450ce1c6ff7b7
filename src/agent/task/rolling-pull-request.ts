import type { MarkerComment } from '../../github/comments.ts'
import type { RollingPullRequest } from '../report/plan.ts'
import { mostTrusted, pickLogComment, readMarker } from '../pull-request/marker.ts'

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
    return marker === undefined ? [] : [{ ...marker, id, author, body }]
  })
  const ours = new Set(mostTrusted(markers).map(({ jobId }) => jobId))
  const others = new Set(markers.map(({ jobId }) => jobId).filter((jobId) => !ours.has(jobId)))
  const toJobs = (jobIds: readonly string[]): readonly NamedJob[] =>
    jobIds.slice(0, MOST_JOBS).map((jobId) => {
      // Counts of others do not matter: they could end the rolling pull request.
      const named = markers.filter((marker) => marker.jobId === jobId)
      const followUps = Math.max(0, ...mostTrusted(named).map(({ followUps }) => followUps))
      return { jobId, commentId: pickLogComment(named)?.id, followUps }
    })
  return { ours: toJobs([...ours]), others: toJobs([...others].toReversed()) }
}
