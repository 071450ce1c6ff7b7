import type { MarkerComment } from '../../github/comments.ts'
import type { OpenPullRequest } from '../../github/open-pull-requests.ts'
import { parsePullRequestLink, isSamePullRequest } from '../../service/pull-request-link.ts'
import type { Job } from '../../service/schemas.ts'
import { ActionError } from '../../shared/errors.ts'
import { mayBeOurs, readMarker } from '../pull-request/pull-request-marker.ts'

/** After so many follow-ups to one pull request somebody has to look at it. */
export const MOST_FOLLOW_UPS = 20

/** An open pull request, and the job that has opened it. */
export interface Conversation {
  readonly pullRequest: OpenPullRequest
  readonly jobId: string
  /** The comment with the count; undefined if nobody who can be trusted has named the job. */
  readonly marker: MarkerComment | undefined
  readonly followUps: number
  /** Whether the job says that the pull request is its own. A busy one says nothing, and is asked again before the prompt. */
  readonly isProven: boolean
  /** Whether there are more open pull requests with the label. */
  readonly hasOthers?: boolean
}

/** More than this are no marks of ours. */
const MOST_JOBS = 10

/** The jobs that comments name, those of trusted authors first: strangers may name any job, and the service decides. */
export function jobsNamedIn(comments: readonly MarkerComment[]): readonly string[] {
  const inTurn = [true, false].flatMap((trust) => comments.filter((comment) => mayBeOurs(comment) === trust))
  const ids = inTurn.map(({ body }) => readMarker(body)?.jobId).filter((id) => id !== undefined)
  return [...new Set(ids)].slice(0, MOST_JOBS)
}

/** Why a pull request is not known to be a job's, or the job cannot be gone on with; undefined if all is well. */
export function objectionTo(
  job: Job | undefined,
  { repository, number }: OpenPullRequest,
  serverUrl: string,
): string | undefined {
  if (job === undefined) return 'is not known'
  if (job.status === 'archived' || job.status === 'failed') return `is ${job.status}`
  const link = parsePullRequestLink(`${serverUrl}/${repository}/pull/${number}`)
  if (job.prLink === undefined) return 'has no pull request'
  return link !== undefined && isSamePullRequest(job.prLink, link) ? undefined : 'has another pull request'
}

/**
 * Only what trusted authors wrote is counted: else a stranger could end the conversation. What apps wrote counts if nobody
 * else has named the job, as an earlier step may have had the token of one of them.
 */
export function conversationOf(
  pullRequest: OpenPullRequest,
  jobId: string,
  comments: readonly MarkerComment[],
  isProven: boolean,
): Conversation {
  const ours = comments
    .filter(mayBeOurs)
    .map((comment) => ({ comment, marker: readMarker(comment.body) }))
    .filter(({ marker }) => marker?.jobId === jobId)
  const trusted = ours.filter(({ comment }) => comment.author === 'trusted')
  const markers = trusted.length > 0 ? trusted : ours
  const followUps = Math.max(0, ...markers.map(({ marker }) => marker?.followUps ?? 0))
  return { pullRequest, jobId, marker: markers[0]?.comment, followUps, isProven }
}

/** Why a conversation that was chosen cannot be gone on with any more: a busy job names its pull request only when its turn has ended. */
export function objectionMeanwhile(conversation: Conversation, job: Job, serverUrl: string): string | undefined {
  const objection = objectionTo(job, conversation.pullRequest, serverUrl)
  return conversation.isProven && job.status === 'completed' ? undefined : objection
}

export function notGoneOnWith({ pullRequest, jobId }: Conversation, objection: string): ActionError {
  return new ActionError(
    'not-sent',
    `Pull request #${pullRequest.number} cannot be gone on with: job ${jobId} ${objection}.`,
    { hint: 'Run the step again: it looks for a pull request anew.' },
  )
}
