import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import { isMarkerComment } from '../pull-request/marker.ts'

/**
 * Whether a job of this action opened a pull request: it has the label, or the comment that names the job.
 * @param labels of the pull request, where they are known
 * @throws ActionError if GitHub does not tell
 */
export async function isOwnPullRequest(
  { repository, number }: PullRequestAddress,
  label: string,
  github: GitHub,
  labels?: readonly string[],
): Promise<boolean> {
  if (hasLabel(label, labels ?? (await github.readPullRequest({ repository, number })).labels)) return true
  const comments = await github.listMarkerComments({ repository, number }, isMarkerComment)
  return comments.some(({ body, author }) => author === 'trusted' && isMarkerComment(body))
}
