import { openGitHub } from '../../action/step.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import type { LogPlace } from '../report/report.ts'
import { MAX_FOLLOW_UPS } from './marker.ts'
import { updateMarkerComment } from './marker-comment.ts'

/**
 * Counts a follow-up in the comment that names the job.
 * @returns where it was counted, or `used-up` if there were as many as are allowed
 * @throws ActionError if it may not have been counted
 */
export async function countFollowUp(rolling: LogPlace, step: AgentStep): Promise<LogPlace | 'used-up'> {
  const { pullRequest, jobId, commentId, followUps } = rolling
  if (commentId === undefined)
    throw new ActionError(
      'not-sent',
      `The follow-ups to pull request #${pullRequest.number} cannot be counted: nobody whose marker counts wrote the comment that names its job.`,
      { hint: 'Remove the label from this pull request: the next run then starts a new job.' },
    )
  const { clock, context, inputs, questions, random } = step
  const access = { ...step, deadlineAt: questions.at, github: openGitHub(step, questions) }
  const now = clock.wallTime().getTime()
  const signature = [context.runId, context.runAttempt, now, Math.floor(random() * 1e6)].join('.')
  const update = { label: inputs.label, followUps, signature, maxFollowUps: MAX_FOLLOW_UPS, rows: [], left: undefined }
  const result = await updateMarkerComment(rolling, { id: commentId }, update, access)
  return result === 'used-up' ? result : { pullRequest, jobId, followUps, signature, ...result }
}
