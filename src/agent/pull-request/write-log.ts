import type { MarkerComment } from '../../github/comments.ts'
import type { GitHub } from '../../github/github.ts'
import { ActionError } from '../../runtime/errors.ts'
import { openGitHub } from '../../action/step.ts'
import type { AgentStep } from '../report/journal.ts'
import { addToLog, toLogEntry } from '../report/pull-request-log.ts'
import type { LogPlace } from '../report/report.ts'
import { isMarkerComment, markerComment, MOST_FOLLOW_UPS, readMarker } from './marker.ts'
import { findMarker } from './track-pull-request.ts'

/** The most that it may take, in milliseconds. */
const LOG_MS = 20_000
/** How long after the deadline, as the last read of a job may end there: the step has to be over soon. */
const GRACE_MS = 1_500
/** The runner gives a cancelled step some seconds in all. */
const CANCELLED_MS = 1_000

/** GitHub for the end of a step: whatever ended it, its log is written. */
function openAtEnd(step: AgentStep): GitHub {
  const github = openGitHub(step, LOG_MS, GRACE_MS)
  return step.signal.aborted ? github.until(step.clock.now() + CANCELLED_MS, new AbortController().signal) : github
}

/** The comment as it is now: another run may have written since this one has seen it. */
async function readLog(
  { pullRequest, jobId, commentId }: LogPlace,
  github: GitHub,
): Promise<Pick<MarkerComment, 'id' | 'body'> | undefined> {
  if (commentId === undefined) return findMarker(pullRequest, jobId, github)
  return commentId === 'none' ? undefined : { id: commentId, body: await github.readComment(pullRequest, commentId) }
}

/**
 * Adds the step's turns to the log in the pull request, once and at the end of the step, a red one too. If it cannot be
 * written, nothing else is lost.
 */
export async function writeLog(step: AgentStep): Promise<void> {
  const { inputs, journal } = step
  const report = journal.report()
  const { log } = report
  if (log === undefined || inputs.label === '') return
  const { pullRequest, jobId } = log
  try {
    const github = openAtEnd(step)
    const comment = await readLog(log, github)
    const body = comment?.body ?? markerComment(jobId)
    if (!isMarkerComment(body, jobId)) throw new ActionError('rejected', 'The comment that names its job was changed.')
    const used = readMarker(body)?.followUps ?? 0
    const now = step.clock.wallTime()
    const text = addToLog(body, toLogEntry(journal.turns, report, step.context, now, [used, MOST_FOLLOW_UPS]))
    if (text === undefined) throw new ActionError('rejected', 'The comment is full.')
    const safe = step.core.redact(text)
    await (comment === undefined
      ? github.addComment(pullRequest, safe)
      : github.editComment(pullRequest, comment.id, safe))
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    journal.reportSkipped(LOST, error)
  }
}

const LOST = 'The log in the pull request may not have been written'
