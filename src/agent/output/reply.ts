/** Replies to the comment that started the run. */
import { type Conclusion, type Context, requireGitHubAtEnd } from '../../action/step.ts'
import type { CommentAddress, ListedComment } from '../../github/comments.ts'
import { isOpen } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import { formatSentences } from '../../text/markdown.ts'
import { conclude, namesInputs } from '../outcome.ts'
import { linkCommits } from '../pull-request-status.ts'
import { type Acts, getPullRequestFacts, getOperation, getOwnLink, redactRun, type Run } from '../record.ts'

/** Identifies the step that replies. */
interface ReplyKey {
  readonly runId: number
  readonly workflowJob: string
  readonly runnerStepId: string
  /** The hash of all inputs except secrets. */
  readonly inputsHash: string
}

/** The runner's ids contain only these characters. */
const toWord = (id: string): string => id.replaceAll(/[^\w.-]/g, '-')

/**
 * Renders the hidden first line of a reply. It names the step and the comment, so that each step replies once to a comment. A
 * later attempt replaces only the reply of its own step, never the reply of another step or another job of a matrix.
 */
export function renderReplyMarker({ kind, id }: Pick<CommentAddress, 'kind' | 'id'>, place: ReplyKey): string {
  const { runId, workflowJob, runnerStepId, inputsHash } = place
  const step = `step=${toWord(workflowJob)}/${toWord(runnerStepId)} inputs=${inputsHash}`
  return `<!-- docs-agent-action: reply run=${runId} ${step} ${kind}=${id} -->`
}

/** Adds a zero-width space after each `@`, so that GitHub does not notify anyone. */
const withoutMentions = (text: string): string => text.replaceAll('@', '@\u200b')

/** Links to the new commits, the pull request and the run. */
function renderLinks(run: Run, { serverUrl, repository, runId }: Context): string {
  const link = getOwnLink(run)
  const at = link?.repository === undefined ? undefined : `${serverUrl}/${link.repository}`
  const commits = at !== undefined && getOperation(run) === 'updated' ? linkCommits(run.turns, at) : undefined
  const links = [
    commits && `[${commits.text}](${commits.url})`,
    link && `[pull request${link.number === undefined ? '' : ` #${link.number}`}](${link.href.replaceAll('@', '%40')})`,
    `[run](${serverUrl}/${repository}/actions/runs/${runId})`,
  ]
  return links
    .filter(Boolean)
    .join(' · ')
    .replace(/^\[./, (first) => first.toUpperCase())
}

/** Comments in another repository do not start the workflow. */
function canAskAgain(run: Run, { repository }: Context): boolean {
  const link = getOwnLink(run)
  return link !== undefined && isSameRepository(link.repository ?? '', repository) && isOpen(getPullRequestFacts(run))
}

const ON_PAGE_OF_RUN = 'The page of the run says what to do.'

/**
 * Renders the reply to a comment as GitHub Markdown. It starts with a hidden line, so it never starts with a command. It
 * does not mention anybody, and does not quote the service or other users: the page of the run does.
 */
export function renderReply(
  run: Run,
  conclusion: Conclusion,
  address: CommentAddress,
  context: Context & { readonly inputsHash: string; readonly command: string },
): string {
  const { skipReason } = run
  const { title, text, advice = '' } = conclusion
  const blocks = [
    formatSentences(
      skipReason === undefined ? `**${title}.** ${text}` : `Nothing was sent to the agent. ${skipReason}`,
    ),
    skipReason === undefined && (namesInputs(advice) ? ON_PAGE_OF_RUN : formatSentences(advice)),
    renderLinks(run, context),
    canAskAgain(run, context) &&
      `To ask for another change, begin a comment on the pull request with \`${context.command}\`.`,
  ]
  return `${renderReplyMarker(address, context)}\n${withoutMentions(blocks.filter(Boolean).join('\n\n'))}`
}

/**
 * Replies with the result to the comment that started the run, if there is one. Replaces the reply of an earlier attempt.
 */
export async function replyToComment(step: Acts): Promise<void> {
  const { runner, inputs, record } = step
  const run = redactRun(record.read(), runner.redact)
  const { comment } = run
  if (comment === undefined || inputs.dryRun) return
  const context = { ...step.context, inputsHash: await inputs.hash(), command: inputs.command }
  const body = runner.redact(renderReply(run, conclude(run), comment, context))
  try {
    const github = requireGitHubAtEnd(step)
    const marker = renderReplyMarker(comment, context)
    const isReply = (body: string): boolean => body.startsWith(marker)
    // Anybody can register an app, so a comment by an app may be forged and is never edited.
    const isOurs = ({ author, body }: ListedComment): boolean => author === 'trusted' && isReply(body)
    const mayHaveReplied = step.context.runAttempt > 1
    const reply = mayHaveReplied ? (await github.listComments(comment, isReply)).find(isOurs) : undefined
    if (reply === undefined) await github.addComment(comment, body)
    else await github.editComment(comment, reply.id, body)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    record.warn('The reply to the comment may not have been written', error)
  }
}
