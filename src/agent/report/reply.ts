import type { Context, Conclusion } from '../../action/step.ts'
import type { CommentAddress } from '../../github/comments.ts'
import { formatSentences } from '../../text/markdown.ts'
import { renderReplyMarker } from '../marker.ts'
import type { Report } from './report.ts'
import { getOwnLink } from './step-end.ts'

/** Adds a zero-width space after each `@`, so that GitHub does not notify anyone. */
const withoutMentions = (text: string): string => text.replaceAll('@', '@\u200b')

/**
 * Renders the reply to a comment as GitHub Markdown. It starts with a hidden line, so it never starts with a command. It
 * mentions nobody, and does not quote the service or other users: the page of the run does.
 */
export function renderReply(
  report: Report,
  { title, text, advice }: Conclusion,
  address: CommentAddress,
  context: Context & { readonly inputsHash: string },
): string {
  const { skipReason } = report
  const { serverUrl, repository, runId } = context
  const link = getOwnLink(report)
  const name = `Pull request${link?.number === undefined ? '' : ` #${link.number}`}`
  const blocks = [
    formatSentences(
      skipReason === undefined ? `**${title}.** ${text}` : `Nothing was sent to the agent. ${skipReason}`,
    ),
    skipReason === undefined && advice && formatSentences(advice),
    link && `[${name}](${link.href.replaceAll('@', '%40')})`,
    `[The run](${serverUrl}/${repository}/actions/runs/${runId})`,
  ]
  return `${renderReplyMarker(address, context)}\n${withoutMentions(blocks.filter(Boolean).join('\n\n'))}`
}
