/**
 * The command of a comment or a review: makes the target of what it asks for, and replies with the result. Hides who may give a
 * command, and what the prompt quotes.
 */
import { type Conclusion, type Context, requireGitHub, requireGitHubAtEnd } from '../../action/step.ts'
import type { CommentAddress } from '../../github/comments.ts'
import { hasLabel } from '../../github/labels.ts'
import { isOpen } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { ActionError, orNotSent } from '../../runtime/errors.ts'
import { HIDDEN_NOTE, removeHidden } from '../../text/hidden.ts'
import { getOwnLink, getOperation, getPullRequestFacts } from '../selectors.ts'
import type { Run } from '../record.ts'
import { redactRun } from '../redact-run.ts'
import type { Acts, Reads } from '../step.ts'
import { ASK_IN_AN_ISSUE, plainTarget, type Target } from '../turn/target.ts'
import { filterFiles } from '../path-filter.ts'
import { findJobOfPullRequest, type JobOfPullRequest } from '../find-job.ts'
import { formatTrackingGrant } from '../permissions.ts'
import { createFollowUp, formatUnconfirmed } from '../follow-up.ts'
import {
  type CommandComment,
  isNotQuoted,
  changeSection,
  MAX_CONTEXT_BYTES,
  renderCommentPrompt,
  renderSections,
} from '../prompt.ts'
import { isSkip, type Skip, skip } from '../skip.ts'
import { compareOrList } from '../change/compare.ts'
import { linkCommits } from '../words.ts'
import { formatSentences } from '../../text/markdown.ts'
import { conclude } from '../conclude.ts'
import { field, isGiven, inputThat, textInput } from '../../action/inputs.ts'

/** No text of this action begins with `/`, so its own comments are never commands. */
const commandWord = textInput(
  /^(?:\/[A-Za-z0-9][\w-]{0,49})?$/,
  'must be one word that begins with `/`, such as `/docs`, of letters, digits, `_` and `-`',
)

const commandInput = inputThat(commandWord, (command, raw) => {
  if (command === '') return false
  if (isGiven(raw, 'job-id')) return 'cannot be combined with `job-id`: the comment determines the job'
  return !isGiven(raw, 'github-token') && 'needs `github-token` to check who is allowed to use commands'
})

export const COMMAND_FIELDS = { command: field('command', '', commandInput) }

/** White space, and characters that nobody sees. */
const BLANKS = String.raw`[\s\p{Default_Ignorable_Code_Point}]*`
const LEADING_BLANKS = new RegExp(`^${BLANKS}`, 'u')

/**
 * What may stand between the command and the instruction: a mark, also as Chinese and Japanese keyboards write it
 * (ChatGPTNextWeb/NextChat#5175), and one white space.
 */
const AFTER_COMMAND = /^\p{Default_Ignorable_Code_Point}*(?:$|[:,：，、]|(?=\s))(?:\r\n|\s)?/u

/** GitHub shows an address in a mail reply like this. */
const HIDDEN_ADDRESS = '***@***.***'

/** Whether a mail program has put this line above the text that it quotes. */
const isIntroduction = (line: string): boolean =>
  (line.startsWith('On ') && line.endsWith('wrote:')) ||
  (line.includes(HIDDEN_ADDRESS) && line.endsWith(':')) ||
  // Zoho and Outlook (dependabot/feedback#277).
  /^-{2,} ?(?:On .* wrote|Original Message) ?-{2,}$/i.test(line)

/** Outlook quotes a mail after its headers, in the language of the user: `From: Ann ***@***.***>`, `Sent: …`. */
const MAIL_HEADER = /^\*{0,2}\p{L}+(?: \p{L}+){0,2} ?[:：]/u

/** Cuts a mail reply before the text that it quotes, which GitHub's page folds away. */
function cutMailReply(text: string): { readonly instruction: string; readonly isMailReply: boolean } {
  const lines = text.split('\n').map((line) => line.trim())
  const at = lines.findIndex((line, index) => {
    if (isIntroduction(line)) return true
    // A mail program may break the introduction after the line with the date.
    const next = lines[index + 1] ?? ''
    if (MAIL_HEADER.test(line) && line.includes(HIDDEN_ADDRESS) && MAIL_HEADER.test(next)) return true
    // NetEase and QQ Mail: `---- Replied Message ----`, in the language of the user, and the sender below it.
    if (line.startsWith('--') && line.endsWith('--') && next.includes(HIDDEN_ADDRESS)) return true
    if (!/\d/.test(line)) return false
    if (/^<?\*{3}@/.test(next)) return next.endsWith(':')
    return line.startsWith('On ') && next.endsWith('wrote:') && !isIntroduction(next)
  })
  if (at === -1) return { instruction: text, isMailReply: false }
  return { instruction: text.split('\n').slice(0, at).join('\n'), isMailReply: true }
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
  // Phones and people write the command in any case, after blanks, and with `:` or `,` after it.
  const text = comment.text.replace(LEADING_BLANKS, '')
  const afterCommand = text.slice(command.length)
  const startsWithCommand = text.slice(0, command.length).toLowerCase() === command.toLowerCase()
  if (!startsWithCommand || !AFTER_COMMAND.test(afterCommand))
    return skip(`The comment does not begin with \`${command}\`.`)
  if (comment.person === undefined) return skip('A bot or an app wrote the comment.')
  const { instruction, isMailReply } = cutMailReply(afterCommand.replace(AFTER_COMMAND, ''))
  const { id, threadId, writtenAt, person: author, place } = comment
  const kind = event.kind === 'review' ? 'review' : place === undefined ? 'comment' : 'review-comment'
  const isOnPullRequest = subject.kind === 'pull-request'
  const address = { repository, number: subject.number, kind, id, threadId, isOnPullRequest, writtenAt } as const
  return { address, author, instruction, isMailReply, subject, place }
}

/** Whether the event is a comment or review by a person that begins with the command. */
export const hasCommand = (context: Context, command: string): boolean =>
  command !== '' && !isSkip(parseComment(context, command))

/** Finds the job that opened the pull request. Returns `undefined` if no job of this action did. */
async function findJob(address: CommentAddress, step: Acts): Promise<JobOfPullRequest | Skip | undefined> {
  const { number } = address
  const lookup = await findJobOfPullRequest(address, step)
  if (lookup.kind === 'job') return lookup
  const { pullRequest, reason } = lookup
  if (!isOpen(pullRequest)) return skip(`Pull request #${number} is ${pullRequest.state}. ${OTHER_PLACE_HINT}`)
  if (reason !== undefined)
    return skip(`Pull request #${number} cannot accept the follow-up: ${reason}. ${ASK_IN_AN_ISSUE}`)
  const isOfAgent = hasLabel(step.inputs.label, pullRequest.labels) && pullRequest.author.type === 'Bot'
  if (isOfAgent)
    step.journal.notice(
      'The history comment is missing',
      `Pull request #${number} has the label, but no history comment names its job, so the comment starts a new job. Somebody may have deleted the history comment. To write it again, run a step with the \`job-id\` of the pull request and without a prompt.`,
    )
  return undefined
}

/** Describes the changes of a pull request that is not the agent's, unless the prompt already includes them. */
async function formatChange({ address, subject }: CommandComment, step: Reads): Promise<string> {
  const github = requireGitHub(step)
  const { repository, number } = address
  const { changeContext, changeRange, paths } = step.inputs
  if (subject.kind !== 'pull-request') return ''
  // `change-context` already sends these changes, unless `change-range` names other ones.
  const isInRange =
    changeRange.kind === 'pull-request'
      ? changeRange.number === number && isSameRepository(changeRange.repository ?? repository, repository)
      : changeRange.kind !== 'between'
  if (changeContext !== 'none' && isInRange) return ''
  const { baseSha, headSha } = subject.ends ?? (await github.readPullRequest(address, { mayBeNew: true }))
  const comparison = await compareOrList({ repository, base: baseSha, head: headSha, number, mayBeNew: true }, github)
  if (comparison.problem !== undefined && paths.length > 0) throw comparison.problem
  const isFiltered = paths.length > 0
  const files = isFiltered ? await filterFiles(paths, comparison.files, step) : comparison.files
  const section = changeSection(
    { ...comparison, files, isFiltered, repository, title: `pull request #${number}` },
    'diff',
  )
  return renderSections([section], MAX_CONTEXT_BYTES).text
}

/**
 * Accepts the command of a comment or a review whose author has write access: the step replies to it when it ends. Skips any
 * other comment without a reply or reaction, so that outsiders cannot probe the action.
 * @throws ActionError `not-sent` if the permission cannot be read
 */
export async function acceptCommand(step: Reads): Promise<CommandComment | Skip> {
  const { command } = step.inputs
  const comment = parseComment(step.context, command)
  if (isSkip(comment)) return comment
  const { address, author } = comment
  const mayCommand = await orNotSent(
    'Could not determine whether the author has write access',
    () => requireGitHub(step).mayWrite(address.repository, author),
    RETRY_COMMENT_HINT,
    formatTrackingGrant(step, address.repository),
  )
  return mayCommand ? comment : skip('The author of the comment does not have write access to this repository.')
}

/** Returns why an accepted comment starts nothing, for its reply. */
export function checkInstruction({ address, instruction, subject }: CommandComment, command: string): Skip | undefined {
  const ownLines = removeHidden(instruction).replace(HIDDEN_NOTE, '').split('\n').filter(isNotQuoted)
  if (ownLines.join('').trim() === '')
    return skip(
      `There is no instruction after \`${command}\`. Write an instruction for the agent after the command, such as \`${command} Shorten the second paragraph.\``,
    )
  if (address.isOnPullRequest && !subject.isOpen)
    return skip(`Pull request #${address.number} is closed. ${OTHER_PLACE_HINT}`)
  return undefined
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
  const job = isOnPullRequest
    ? await orNotSent(unknown, () => findJob(address, step), RETRY_COMMENT_HINT, grant)
    : undefined
  if (job?.kind === 'skip') return job

  const isReview = address.kind === 'review'
  if (!isReview && !dryRun)
    await step.journal.orWarn('The reaction was not added to the comment', () => github.addEyes(address))
  const unreadReview = 'The comments of the review could not be read'
  const review = isReview
    ? await orNotSent(unreadReview, () => github.listReviewComments(address), RETRY_COMMENT_HINT, grant)
    : []
  const prompt = renderCommentPrompt(comment, {
    rules: task.kind === 'create' ? task.prompt : '',
    includesSubject: job === undefined,
    reviewComments: review.filter(({ authorId }) => authorId === author.id),
    maxBytes: MAX_CONTEXT_BYTES,
  })
  if (job !== undefined) {
    step.journal.note(
      `The comment is a follow-up to job ${job.jobId}, which opened pull request #${number}${formatUnconfirmed(step)}.`,
    )
    return createFollowUp(job, { prompt, reason: 'comment', isCounted: false, hint: RETRY_COMMENT_HINT }, step)
  }
  const unread = `The changes of pull request #${number} could not be read`
  const change = await orNotSent(unread, () => formatChange(comment, step), RETRY_COMMENT_HINT, grant)
  step.journal.note(`The comment on #${number} starts a new job.`)
  return plainTarget({ kind: 'create', prompt: prompt + change })
}

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
export function renderReplyMarker({ kind, id }: Pick<CommentAddress, 'kind' | 'id'>, key: ReplyKey): string {
  const { runId, workflowJob, runnerStepId, inputsHash } = key
  const step = `step=${toWord(workflowJob)}/${toWord(runnerStepId)} inputs=${inputsHash}`
  return `<!-- docs-agent-action: reply run=${runId} ${step} ${kind}=${id} -->`
}

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

const ON_PAGE_OF_RUN = 'The page of the run says what to do.'

/**
 * Renders the reply to a comment as GitHub Markdown. It starts with a hidden line, so it never starts with a command. It
 * does not mention anybody, and does not quote the service or other users: the page of the run does.
 * @param namesInputs whether a text names inputs, which say nothing to people who do not maintain the workflow
 */
export function renderReply(
  run: Run,
  conclusion: Conclusion,
  address: CommentAddress,
  context: Context & { readonly inputsHash: string; readonly command: string },
  namesInputs: (text: string) => boolean,
): string {
  const { skipReason, isMailReply = false } = run
  const { title, text, advice = '' } = conclusion
  const link = getOwnLink(run)
  // Comments in another repository do not start the workflow.
  const startsWorkflow = link !== undefined && isSameRepository(link.repository ?? '', context.repository)
  const blocks = [
    formatSentences(
      skipReason === undefined ? `**${title}.** ${text}` : `Nothing was sent to the agent. ${skipReason}`,
    ),
    isMailReply && 'The text that the mail quotes was left out.',
    skipReason === undefined && (namesInputs(advice) ? ON_PAGE_OF_RUN : formatSentences(advice)),
    renderLinks(run, context),
    startsWorkflow &&
      isOpen(getPullRequestFacts(run)) &&
      `To ask for another change, begin a comment on the pull request with \`${context.command}\`.`,
  ]
  // With a zero-width space after each `@`, GitHub does not notify anyone.
  const body = blocks.filter(Boolean).join('\n\n').replaceAll('@', '@\u200b')
  return `${renderReplyMarker(address, context)}\n${body}`
}

/**
 * Replies with the result to the comment that started the run, if there is one. Replaces the reply of an earlier attempt.
 */
export async function replyToComment(known: Run, step: Acts, namesInputs: (text: string) => boolean): Promise<void> {
  const { runner, inputs, journal } = step
  const run = redactRun(known, runner.redact)
  const { comment } = run
  if (comment === undefined || inputs.dryRun) return
  const context = { ...step.context, inputsHash: await inputs.hash(), command: inputs.command }
  const body = runner.redact(renderReply(run, conclude(run), comment, context, namesInputs))
  try {
    const github = requireGitHubAtEnd(step)
    const marker = renderReplyMarker(comment, context)
    const isReply = (body: string): boolean => body.startsWith(marker)
    const replies = step.context.runAttempt > 1 ? await github.listComments(comment, isReply) : []
    // Anybody can register an app, so a comment by an app may be forged and is never edited.
    const reply = replies.find(({ author, body }) => author === 'trusted' && isReply(body))
    if (reply === undefined) await github.addComment(comment, body)
    else await github.editComment(comment, reply.id, body)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    journal.warn('The reply to the comment may not have been written', error)
  }
}
