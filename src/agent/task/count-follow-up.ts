import { ActionError } from '../../runtime/errors.ts'
import { openGitHub, type Step } from '../../action/step.ts'
import { pollUntil } from '../../runtime/poll.ts'
import { settlePauses } from '../job/poll-schedule.ts'
import { MOST_FOLLOW_UPS, readMarker, withFollowUps } from '../pull-request/marker.ts'
import { QUESTIONS_MS } from './prove-job.ts'
import type { RollingPullRequest } from './rolling-pull-request.ts'

/** Of runs that count at once, one is the last to write, and it is so more and more rarely that another is not. */
const MOST_ATTEMPTS = 4

const uncounted = (reason: string): ActionError => new ActionError('rejected', reason)

/**
 * Counts a follow-up in the comment that names the job. Two runs that count at once would write the same number, so that each
 * reads what it wrote, and counts again if another one has written since.
 * @returns false if there were as many as there may be
 * @throws ActionError if the count was not written
 */
export async function countFollowUp(
  { pullRequest, jobId, commentId, followUps }: Omit<RollingPullRequest, 'isProven'>,
  step: Step,
): Promise<boolean> {
  if (commentId === undefined)
    throw new ActionError(
      'not-sent',
      `The follow-ups to pull request #${pullRequest.number} cannot be counted: nobody whose marker counts wrote the comment that names its job.`,
      { hint: 'Remove the label from this pull request: the next run then starts a new job.' },
    )
  const github = openGitHub(step, QUESTIONS_MS)
  const { runId, runAttempt } = step.context
  const read = (): Promise<string> => github.readComment(pullRequest, commentId)
  let body = await read()
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const found = readMarker(body)
    if (found?.jobId !== jobId) throw uncounted('the comment that names its job was changed.')
    // While others worked on it, they may have counted.
    const count = Math.max(followUps, found.followUps) + 1
    if (count > MOST_FOLLOW_UPS) return false
    const countedBy = [runId, runAttempt, attempt, Math.floor(step.random() * 1e9)].join('.')
    await github.editComment(pullRequest, commentId, withFollowUps(body, count, countedBy))
    const before = body
    // GitHub's copies have their time to tell what was written.
    body = await pollUntil(read, (now) => now !== before, settlePauses(step), step)
    const now = readMarker(body)
    if (now?.followUps === count && now.countedBy === countedBy) return true
    if (body === before) throw uncounted('what was written is not there.')
  }
  throw uncounted('other runs count at the same time.')
}
