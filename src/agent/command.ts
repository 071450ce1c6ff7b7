/**
 * The command of a comment or a review: makes the target of what it asks for. Hides who may give a command, and what the
 * prompt quotes.
 */
import { type Context, requireGitHub } from '../action/step.ts'
import type { CommentAddress } from '../github/comments.ts'
import { hasLabel } from '../github/labels.ts'
import { isOpen } from '../github/pull-requests.ts'
import { isSameRepository } from '../github/schemas.ts'
import { orNotSent } from '../runtime/errors.ts'
import { HIDDEN_NOTE, removeHidden } from '../text/hidden.ts'
import type { Acts, Facts, Reads } from './record.ts'
import { ASK_IN_AN_ISSUE } from './outcome.ts'
import { filterFiles } from './path-filter.ts'
import { findJobOfPullRequest, type JobOfPullRequest } from './pull-request/find-job.ts'
import { formatTrackingGrant } from './pull-request/mark.ts'
import { createFollowUp, formatUnconfirmed } from './pull-request/follow-up.ts'
import { type CommandComment, changeSection, MAX_CONTEXT_BYTES, renderCommentPrompt, renderSections } from './prompt.ts'
import { isSkip, type Skip, skip } from './skip.ts'
import { plainTarget, type Target } from './turn/target.ts'

/** White space, and characters that nobody sees. */
const BLANKS = String.raw`[\s\p{Default_Ignorable_Code_Point}]*`
const LEADING_BLANKS = new RegExp(`^${BLANKS}`, 'u')
/** What may stand between the command and the instruction: a mark, and one white space. */
const AFTER_COMMAND = /^\p{Default_Ignorable_Code_Point}*(?:$|[:,]|(?=\s))(?:\r\n|\s)?/u

/**
 * Reads the command as phones and people write it: in any case, after blanks, and with `:` or `,` after it.
 * @returns the text after the command and one white space; undefined if the text does not begin with the command as a word
 */
export function readInstruction(text: string, command: string): string | undefined {
  const trimmed = text.replace(LEADING_BLANKS, '')
  if (trimmed.slice(0, command.length).toLowerCase() !== command.toLowerCase()) return undefined
  const rest = trimmed.slice(command.length)
  return AFTER_COMMAND.test(rest) ? rest.replace(AFTER_COMMAND, '') : undefined
}

/** What to do if it is unknown whether the command of a comment may be run. */
const RETRY_COMMENT_HINT = 'Run the workflow again later, or post the comment again.'
/** What to do if the pull request of a comment was merged or closed. */
const OTHER_PLACE_HINT = 'Ask in an open pull request or in an issue.'

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
  const instruction = readInstruction(comment.text, command)
  if (instruction === undefined) return skip(`The comment does not begin with \`${command}\`.`)
  if (comment.person === undefined) return skip('A bot or an app wrote the comment.')
  const { id, threadId, writtenAt, person: author, place } = comment
  const kind = event.kind === 'review' ? 'review' : place === undefined ? 'comment' : 'review-comment'
  const isOnPullRequest = subject.kind === 'pull-request'
  const address = { repository, number: subject.number, kind, id, threadId, isOnPullRequest, writtenAt } as const
  return { address, author, instruction, subject, place }
}

/** Whether the event is a comment or review by a person that begins with the command. */
export const hasCommand = (context: Context, command: string): boolean =>
  command !== '' && !isSkip(parseComment(context, command))

const NO_HISTORY_TITLE = 'The history comment is missing'
const formatNoHistory = (number: number): string =>
  `Pull request #${number} has the label, but no history comment names its job, so the comment starts a new job. Somebody may have deleted the history comment. To write it again, run a step with the \`job-id\` of the pull request and without a prompt.`

/** Finds the job that opened the pull request. Returns `undefined` if no job of this action did. */
async function findJob(address: CommentAddress, step: Acts): Promise<JobOfPullRequest | Skip | undefined> {
  const { number } = address
  const found = await findJobOfPullRequest(address, step)
  if (found.kind === 'job') return found
  const { pullRequest, reason } = found
  if (!isOpen(pullRequest)) return skip(`Pull request #${number} is ${pullRequest.state}. ${OTHER_PLACE_HINT}`)
  const isOfAgent = hasLabel(step.inputs.label, pullRequest.labels) && pullRequest.author.type === 'Bot'
  if (reason === undefined && isOfAgent) step.record.notice(NO_HISTORY_TITLE, formatNoHistory(number))
  if (reason === undefined) return undefined
  return skip(`Pull request #${number} cannot accept the follow-up: ${reason}. ${ASK_IN_AN_ISSUE}`)
}

/** Whether `change-context` already sends the changes of this pull request. `change-range` may name another one. */
function isAlreadySent({ repository, number }: CommentAddress, { inputs }: Facts): boolean {
  const { changeContext, changeRange } = inputs
  if (changeContext === 'none' || changeRange.kind === 'between') return false
  if (changeRange.kind !== 'pull-request') return true
  return changeRange.number === number && isSameRepository(changeRange.repository ?? repository, repository)
}

/** Describes the changes of a pull request that is not the agent's, unless the prompt already includes them. */
async function formatChange({ address, subject }: CommandComment, step: Reads): Promise<string> {
  const github = requireGitHub(step)
  const { repository, number } = address
  if (subject.kind !== 'pull-request' || isAlreadySent(address, step)) return ''
  const { baseSha, headSha } = subject.ends ?? (await github.readPullRequest(address))
  const comparison = await github.compare(repository, baseSha, headSha)
  const { paths } = step.inputs
  const isFiltered = paths.length > 0
  const files = isFiltered ? await filterFiles(paths, comparison.files, step) : comparison.files
  const section = changeSection(
    { ...comparison, files, isFiltered, repository, title: `pull request #${number}` },
    'diff',
  )
  return renderSections([section], MAX_CONTEXT_BYTES).text
}

/**
 * Decides from the event and the author's permission whether to carry out the command of a comment or a review. Skips a comment
 * without a reply or reaction if its author has no write access, so that outsiders cannot probe the action. Otherwise, the step
 * replies when it ends.
 * @throws ActionError `not-sent` if the permission cannot be read
 */
export async function acceptCommand(step: Acts): Promise<CommandComment | Skip> {
  const { command } = step.inputs
  const comment = parseComment(step.context, command)
  if (isSkip(comment)) return comment
  const { address, author, instruction, subject } = comment

  const checkPermission = () => requireGitHub(step).mayWrite(address.repository, author)
  const unknown = 'Could not determine whether the author has write access'
  const grant = formatTrackingGrant(step, address.repository)
  if (!(await orNotSent(unknown, checkPermission, RETRY_COMMENT_HINT, grant)))
    return skip('The author of the comment does not have write access to this repository.')
  step.record.add({ comment: address })

  if (removeHidden(instruction).replace(HIDDEN_NOTE, '').trim() === '')
    return skip(
      `There is no instruction after \`${command}\`. Write an instruction for the agent after the command, such as \`${command} Shorten the second paragraph.\``,
    )
  if (address.isOnPullRequest && !subject.isOpen)
    return skip(`Pull request #${address.number} is closed. ${OTHER_PLACE_HINT}`)
  return comment
}

/**
 * Makes the target of what a comment or a review asks for.
 * @throws ActionError `not-sent` if something that the decision depends on cannot be read
 */
export async function chooseCommandTarget(comment: CommandComment, step: Acts): Promise<Target | Skip> {
  const { task, dryRun } = step.inputs
  const { address, author } = comment
  const { isOnPullRequest, number } = address
  const github = requireGitHub(step)
  const grant = formatTrackingGrant(step, address.repository)
  const unknown = `Could not determine whether pull request #${number} comes from a job`
  const found = isOnPullRequest
    ? await orNotSent(unknown, () => findJob(address, step), RETRY_COMMENT_HINT, grant)
    : undefined
  if (found?.kind === 'skip') return found

  const isReview = address.kind === 'review'
  if (!isReview && !dryRun)
    await step.record.orWarn('The reaction was not added to the comment', () => github.addEyes(address))
  const readReview = () => github.listReviewComments(address)
  const review = isReview
    ? await orNotSent('The comments of the review could not be read', readReview, RETRY_COMMENT_HINT, grant)
    : []
  const prompt = renderCommentPrompt(comment, {
    rules: task.kind === 'create' ? task.prompt : '',
    includesSubject: found === undefined,
    reviewComments: review.filter(({ authorId }) => authorId === author.id),
    maxBytes: MAX_CONTEXT_BYTES,
  })
  if (found !== undefined) {
    step.record.note(
      `The comment is a follow-up to job ${found.jobId}, which opened pull request #${number}${formatUnconfirmed(step)}.`,
    )
    return createFollowUp(found, { prompt, reason: 'comment', isCounted: false, hint: RETRY_COMMENT_HINT }, step)
  }
  const change = await step.record.orWarn('The prompt does not include the changes of the pull request', () =>
    formatChange(comment, step),
  )
  step.record.note(`The comment on #${number} starts a new job.`)
  return plainTarget({ kind: 'create', prompt: prompt + (change ?? '') })
}
