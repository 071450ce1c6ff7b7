import { endingAt, openGitHub, type Step } from '../../action/step.ts'
import type { ListedComment } from '../../github/comments.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { AgentStep } from '../journal.ts'
import { renderReplyMarker } from '../marker.ts'
import { conclude } from '../report/outcomes.ts'
import { renderReply } from '../report/reply.ts'
import { redactReport } from '../report/report.ts'

const MAX_REPLY_MS = 20_000
/** The share of a short `timeout-minutes` that is reserved for the reply. */
const REPLY_SHARE = 0.1
/** How long after the deadline the reply may end. The last read of a job has the same limit. */
const GRACE_MS = 1_000

/** Reserves time for the reply, so that a reply is still possible when the job uses up the rest of the time. */
export function reserveReplyTime(step: Step, { command, timeoutMs }: AgentStep['inputs']): Step {
  if (command === '') return step
  return endingAt(step, step.deadlineAt - Math.min(MAX_REPLY_MS, timeoutMs * REPLY_SHARE))
}

/**
 * Replies with the result to the comment that started the run, if there is one. Replaces the reply of an earlier attempt.
 * Does not resend a reply whose delivery is unknown.
 */
export async function replyToComment(step: AgentStep): Promise<void> {
  const { core, inputs, journal } = step
  const context = { ...step.context, inputsHash: inputs.hash }
  const report = redactReport(journal.report(), core.redact)
  const { comment } = report
  if (comment === undefined || inputs.dryRun) return
  const body = core.redact(renderReply(report, conclude(report), comment, context))
  try {
    const github = openGitHub(step, MAX_REPLY_MS, GRACE_MS)
    const marker = renderReplyMarker(comment, context)
    const isReply = (body: string): boolean => body.startsWith(marker)
    // Anybody can register an app, so a comment by an app may be forged and is never edited.
    const isOurs = ({ author, body }: ListedComment): boolean => author === 'trusted' && isReply(body)
    const reply = (await github.listComments(comment, isReply)).find(isOurs)
    if (reply === undefined) await github.addComment(comment, body)
    else await github.editComment(comment, reply.id, body)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    journal.warn('The reply to the comment may not have been written', error)
  }
}
