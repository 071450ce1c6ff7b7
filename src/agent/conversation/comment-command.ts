/**
 * Plans the turn that the command of a comment asks for, and replies with the result. Hides who may give a command, and
 * what the prompt quotes.
 */
import { type Context, openGitHub, endingAt, type Step, type Conclusion } from '../../action/step.ts'
import type { CommentAddress, ListedComment } from '../../github/comments.ts'
import { isOpen } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { orNotSent, ActionError } from '../../runtime/errors.ts'
import { formatSentences } from '../../text/markdown.ts'
import type { AgentStep } from '../journal.ts'
import { renderReplyMarker } from '../marker.ts'
import { isSkip, type NewJobTarget, type Plan, type RollingPullRequest, type Skip, skip } from '../plan.ts'
import {
  type CommandComment,
  changeSection,
  formatOpenPullRequest,
  MAX_CONTEXT_BYTES,
  renderCommentPrompt,
  renderSections,
} from '../prompt.ts'
import { ASK_IN_AN_ISSUE, conclude } from '../report/outcomes.ts'
import { redactReport, type Report } from '../report/report.ts'
import { getOwnLink } from '../report/turns.ts'
import { RETRY_COMMENT_HINT, OTHER_PLACE_HINT } from '../turn/decide-turn.ts'
import {
  canNameSource,
  formatUnconfirmed,
  warnOfReRun,
  findPullRequestJob,
  openSearch,
  type Search,
} from './choose-task.ts'

/** @returns the text after the command and one white space; undefined if the text does not begin with the command as a word */
function getInstruction(text: string, command: string): string | undefined {
  if (!text.startsWith(command)) return undefined
  const rest = text.slice(command.length)
  return rest === '' || /^\s/.test(rest) ? rest.replace(/^(?:\r\n|\s)/, '') : undefined
}

/**
 * Reads the command from the event payload alone, so that later edits have no effect. Does not check the author's
 * permission.
 * @returns a skip if there is no command; its reason quotes nothing from the comment
 */
export function parseComment({ event, repository }: Context, command: string): CommandComment | Skip {
  if (event.kind !== 'comment' && event.kind !== 'review') return skip('The event is neither a comment nor a review.')
  const { comment, subject } = event
  if (subject === undefined || subject.kind === 'discussion')
    return skip('The event is not a comment on an issue or a pull request.')
  if (!comment.isNew) return skip('The event is not about a new comment or review.')
  const instruction = getInstruction(comment.text, command)
  if (instruction === undefined) return skip(`The comment does not begin with \`${command}\`.`)
  if (comment.person === undefined) return skip('A bot or an app wrote the comment.')
  const { id, threadId, writtenAt, person: author, place } = comment
  const kind = event.kind === 'review' ? 'review' : place === undefined ? 'comment' : 'review-comment'
  const isOnPullRequest = subject.kind === 'pull-request'
  const address = { repository, number: subject.number, kind, id, threadId, isOnPullRequest, writtenAt } as const
  return { address, author, instruction, subject, place }
}

/** Finds the job that opened the pull request. The target is a new job if no job did. */
async function findRolling(address: CommentAddress, search: Search): Promise<RollingPullRequest | NewJobTarget | Skip> {
  const { number } = address
  const found = await findPullRequestJob(address, search)
  if ('jobId' in found) return found
  const { pullRequest, refusalReasons, isUndecided } = found
  if (!isOpen(pullRequest)) return skip(`Pull request #${number} is ${pullRequest.state}. ${OTHER_PLACE_HINT}`)
  if (refusalReasons.length === 0) return { kind: 'new-job', undecided: isUndecided === true ? [number] : [] }
  return skip(`Pull request #${number} cannot accept the follow-up: ${refusalReasons.join(', ')}. ${ASK_IN_AN_ISSUE}`)
}

/** Whether `change-context` already sends the changes of this pull request. `change-range` may name another one. */
function isAlreadySent({ repository, number }: CommentAddress, { inputs }: Search): boolean {
  const { changeContext, changeRange } = inputs
  if (changeContext === 'none' || changeRange.kind === 'between') return false
  if (changeRange.kind !== 'pull-request') return true
  return changeRange.number === number && isSameRepository(changeRange.repository ?? repository, repository)
}

/** Describes the changes of a pull request that is not the agent's, unless the prompt already includes them. */
async function formatChange({ address, subject }: CommandComment, search: Search): Promise<string> {
  const github = openGitHub(search)
  const { repository, number } = address
  if (subject.kind !== 'pull-request' || isAlreadySent(address, search)) return ''
  const { baseSha, headSha } = subject.ends ?? (await github.readPullRequest(address))
  const comparison = await github.compare(repository, baseSha, headSha)
  const section = changeSection({ ...comparison, repository, title: `pull request #${number}` }, 'diff')
  return renderSections([section], MAX_CONTEXT_BYTES).text
}

/**
 * Plans the turn that a comment or a review asks for. Skips a comment without a reply or reaction if its author has no write
 * access, so that outsiders cannot probe the action.
 * @returns undefined without `command`
 * @throws ActionError `not-sent` if something that the decision depends on cannot be read
 */
export async function fromComment(step: AgentStep): Promise<Plan | Skip | undefined> {
  const { command, task, dryRun } = step.inputs
  if (command === '') return undefined
  const comment = parseComment(step.context, command)
  if (isSkip(comment)) return comment
  warnOfReRun(step)
  const { address, author, instruction, subject } = comment
  const { isOnPullRequest, number } = address

  const search = openSearch(step)
  const github = openGitHub(search)
  const checkPermission = () => github.mayWrite(address.repository, author)
  if (
    !(await orNotSent('Could not determine whether the author has write access', checkPermission, RETRY_COMMENT_HINT))
  )
    return skip('The author of the comment does not have write access to this repository.')
  step.journal.recordComment(address)

  if (instruction.trim() === '')
    return skip(
      `There is no instruction after \`${command}\`. Write an instruction for the agent after the command, such as \`${command} Shorten the second paragraph.\``,
    )
  if (isOnPullRequest && !subject.isOpen) return skip(`Pull request #${number} is closed. ${OTHER_PLACE_HINT}`)
  const unknown = `Could not determine whether pull request #${number} comes from a job`
  const found = isOnPullRequest
    ? await orNotSent(unknown, () => findRolling(address, search), RETRY_COMMENT_HINT)
    : ({ kind: 'new-job' } as const)
  if (isSkip(found)) return found

  const isReview = address.kind === 'review'
  if (!isReview && !dryRun)
    await step.journal.orWarn('The reaction was not added to the comment', () => github.addEyes(address))
  const readReview = () => github.listReviewComments(address)
  const review = isReview
    ? await orNotSent('The comments of the review could not be read', readReview, RETRY_COMMENT_HINT)
    : []
  const prompt = renderCommentPrompt(comment, {
    rules: task.kind === 'create' ? task.prompt : '',
    includesSubject: 'kind' in found,
    reviewComments: review.filter(({ authorId }) => authorId === author.id),
    maxBytes: MAX_CONTEXT_BYTES,
  })
  if ('jobId' in found) {
    step.journal.setLogPlace(found)
    step.journal.note(
      `The comment is a follow-up to job ${found.jobId}, which opened pull request #${number}${formatUnconfirmed(step)}.`,
    )
    const { pullRequest } = found
    const about = formatOpenPullRequest(pullRequest, [], canNameSource(step, pullRequest))
    return {
      task: { kind: 'follow-up', jobId: found.jobId, prompt: prompt + about },
      target: { kind: 'pull-request', rolling: found, reason: 'comment', ended: [] },
    }
  }
  const change = await step.journal.orWarn('The prompt does not include the changes of the pull request', () =>
    formatChange(comment, search),
  )
  step.journal.note(`The comment on #${number} starts a new job.`)
  return { task: { kind: 'create', prompt: prompt + (change ?? '') }, target: found }
}

/** Adds a zero-width space after each `@`, so that GitHub does not notify anyone. */
const withoutMentions = (text: string): string => text.replaceAll('@', '@\u200b')

/**
 * Renders the reply to a comment as GitHub Markdown. It starts with a hidden line, so it never starts with a command. It
 * does not mention anybody, and does not quote the service or other users: the page of the run does.
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
