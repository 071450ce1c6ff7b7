import type { MarkerComment } from '../../github/comments.ts'
import type { GitHub } from '../../github/github.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { ActionError } from '../../runtime/errors.ts'
import { openGitHub } from '../../action/step.ts'
import type { AgentStep } from '../report/journal.ts'
import { addToLog, toLogEntry } from '../report/pull-request-log.ts'
import type { LogPlace } from '../report/report.ts'
import { isMarkerComment, markerComment, MOST_FOLLOW_UPS, mostTrusted, readMarker } from './marker.ts'

/**
 * The comment of ours that names the job, as it is now: another run may have written since this one has seen it. Another app
 * could be taken for us this way, and gains nothing by it.
 */
async function findComment(
  { pullRequest, jobId, commentId }: LogPlace,
  github: GitHub,
): Promise<Pick<MarkerComment, 'id' | 'body'> | undefined> {
  if (commentId === 'none') return undefined
  if (commentId !== undefined) return { id: commentId, body: await github.readComment(pullRequest, commentId) }
  return mostTrusted(await github.listMarkerComments(pullRequest, (body) => isMarkerComment(body, jobId)))[0]
}

/** Sees to it that a comment names the job. The end of the step writes it, unless that is far: who finds none then starts another job. */
export async function nameJob({ repository, number }: PullRequest, jobId: string, step: AgentStep): Promise<void> {
  const { inputs, journal } = step
  const { log } = journal.report()
  if (log?.jobId === jobId && log.pullRequest.number === number) return
  const pullRequest = { repository, number }
  // To the pull request of this step's own job nobody else has written of it.
  const isNew = journal.turns[0].task.kind === 'create'
  const place: LogPlace = { pullRequest, jobId, commentId: isNew ? 'none' : undefined }
  const write = async (): Promise<number | undefined> => {
    const github = openGitHub(step)
    return (await findComment(place, github))?.id ?? github.addComment(pullRequest, markerComment(jobId))
  }
  const commentId = inputs.waitForChecks
    ? await journal.bestEffort('The comment that names the job was not written', write)
    : place.commentId
  journal.add({ log: { ...place, commentId } })
}

/** The most that it may take, in milliseconds. */
const LOG_MS = 20_000
/** How long after the deadline, as the last read of a job may end there: the step has to be over soon. */
const GRACE_MS = 1_500
/** The runner gives a cancelled step some seconds in all. */
const CANCELLED_MS = 1_000
const LOST = 'The log in the pull request may not have been written'

/** GitHub for the end of a step: whatever ended it, its log is written. */
function openAtEnd(step: AgentStep): GitHub {
  const github = openGitHub(step, LOG_MS, GRACE_MS)
  return step.signal.aborted ? github.until(step.clock.now() + CANCELLED_MS, new AbortController().signal) : github
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
    const comment = await findComment(log, github)
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
