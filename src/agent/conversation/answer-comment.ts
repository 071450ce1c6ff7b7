import { endingAt, openGitHub, type Step } from '../../action/step.ts'
import type { ListedComment } from '../../github/comments.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { AgentStep } from '../journal.ts'
import { renderReplyMarker } from '../marker.ts'
import { conclude } from '../report/outcomes.ts'
import { renderReply } from '../report/reply.ts'
import { redactReport } from '../report/report.ts'

/** The most that a reply may take, in milliseconds. */
const REPLY_MS = 20_000
/** How much of a short step's time is kept for it. */
const REPLY_SHARE = 0.1
/** As long after the deadline as the last read of a job: the step has to be over soon. */
const GRACE_MS = 1_000

/** The step as all but the reply sees it: of its time the reply has a part of its own, or a job that takes too long left none. */
export function keepTimeToReply(step: Step, { command, timeoutMs }: AgentStep['inputs']): Step {
  if (command === '') return step
  return endingAt(step, step.deadlineAt - Math.min(REPLY_MS, timeoutMs * REPLY_SHARE))
}

/**
 * Tells the author of the comment that asked what came of it, if one did. A reply of an earlier attempt of this run is
 * written anew; one that may have been written is not written twice.
 */
export async function answerComment(step: AgentStep): Promise<void> {
  const { core, inputs, journal } = step
  const context = { ...step.context, inputsHash: inputs.hash }
  const report = redactReport(journal.report(), core.redact)
  const { comment } = report
  if (comment === undefined || inputs.dryRun) return
  const body = core.redact(renderReply(report, conclude(report), comment, context))
  try {
    const github = openGitHub(step, REPLY_MS, GRACE_MS)
    const marker = renderReplyMarker(comment, context)
    const isReply = (body: string): boolean => body.startsWith(marker)
    // Nobody else's comment is written anew: an app may be anybody's, so the reply of one is not taken for ours.
    const isOurs = ({ author, body }: ListedComment): boolean => author === 'trusted' && isReply(body)
    const reply = (await github.listComments(comment, isReply)).find(isOurs)
    if (reply === undefined) await github.addComment(comment, body)
    else await github.editComment(comment, reply.id, body)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    journal.warn('The answer to the comment may not have been written', error)
  }
}
