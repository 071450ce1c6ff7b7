import { MARKER_BEGINNING, type CommentAddress } from '../../github/comments.ts'
import type { Context } from '../../action/context.ts'
import type { Conclusion } from '../../action/conclusion.ts'
import { ownPullRequest, type Report } from './report.ts'

/** What a reply belongs to. */
export type ReplyPlace = Pick<Context, 'runId' | 'workflowJob' | 'runnerStepId'> & {
  /** Of all inputs but secrets. */
  readonly inputsHash: string
}

/** The runner's ids have no other characters. */
const toWord = (id: string): string => id.replaceAll(/[^\w.-]/g, '-')

/**
 * The hidden first line of a reply. It names the step and the comment, so that each step replies once to a comment: a later
 * attempt replaces the reply of its own step, and never the one of another step or of another leg of a matrix.
 */
export function replyMarker({ kind, id }: CommentAddress, place: ReplyPlace): string {
  const { runId, workflowJob, runnerStepId, inputsHash } = place
  const step = `step=${toWord(workflowJob)}/${toWord(runnerStepId)} inputs=${inputsHash}`
  return `${MARKER_BEGINNING}reply run=${runId} ${step} ${kind}=${id} -->`
}

/** A zero-width space behind it, without which GitHub would tell somebody that they were mentioned. */
const withoutMentions = (text: string): string => text.replaceAll('@', '@\u200b')

/**
 * The answer to a comment, as Markdown for GitHub. It begins with a hidden line, so never with a command, and mentions
 * nobody; what the service or others say is left to the run's own page.
 */
export function renderReply(
  report: Report,
  { title, text, advice }: Conclusion,
  address: CommentAddress,
  context: Context & ReplyPlace,
): string {
  const { skipReason } = report
  const { serverUrl, repository, runId } = context
  const link = ownPullRequest(report)
  const name = `Pull request${link?.number === undefined ? '' : ` #${link.number}`}`
  const blocks = [
    skipReason === undefined ? `**${title}.** ${text}` : `Nothing was sent to the agent. ${skipReason}`,
    skipReason === undefined && advice,
    link && `[${name}](${link.href.replaceAll('@', '%40')})`,
    `[The run](${serverUrl}/${repository}/actions/runs/${runId})`,
  ]
  return `${replyMarker(address, context)}\n${withoutMentions(blocks.filter(Boolean).join('\n\n'))}`
}
