import { MARKER_BEGINNING, type CommentAddress } from '../../github/comments.ts'
import type { Context } from '../../action/context.ts'
import type { Conclusion } from '../../action/conclusion.ts'
import { ownPullRequest, type Report } from './report.ts'

/** The first line of a reply. It does not show, and names what is answered, so that there is one reply and no other. */
export function replyMarker({ kind, id }: CommentAddress, { runId }: Context): string {
  return `${MARKER_BEGINNING}reply run=${runId} ${kind}=${id} -->`
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
  context: Context,
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
