import type { Context } from '../../action/context.ts'
import { openGitHub } from '../../action/step.ts'
import type { CommentAddress } from '../../github/comments.ts'
import { isOpen } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { orNotSent } from '../../runtime/errors.ts'
import { isSkip, type NewJobTarget, type Plan, type RollingPullRequest, type Skip, skip } from '../plan.ts'
import { type AskingComment, changeSection, formatOpenPullRequest, promptOfComment, renderSections } from '../prompt.ts'
import type { AgentStep } from '../journal.ts'
import { ASK_IN_AN_ISSUE } from '../report/outcomes.ts'
import { AGAIN, ELSEWHERE } from '../turn/decide-turn.ts'
import { canNameSource, formatUnread, warnOfAttempt } from './choose-task.ts'
import { findJobOf, openSearch, type Search } from './prove-job.ts'

/** Undefined if the text does not begin with the command as a word. The one character that ends the word goes with it. */
function getInstruction(text: string, command: string): string | undefined {
  if (!text.startsWith(command)) return undefined
  const rest = text.slice(command.length)
  return rest === '' || /^\s/.test(rest) ? rest.replace(/^(?:\r\n|\s)/, '') : undefined
}

/**
 * What a comment or a review asks for, from the event alone: what is edited later changes nothing. Who wrote it is not yet
 * known to be somebody who may.
 * @returns a reason to skip without anything that others wrote, if it asks for nothing
 */
export function parseComment({ event, repository }: Context, command: string): AskingComment | Skip {
  if (event.kind !== 'comment' && event.kind !== 'review') return skip('The event is neither a comment nor a review.')
  const { comment, subject } = event
  if (subject === undefined || subject.kind === 'discussion')
    return skip('The event is not a comment on an issue or a pull request.')
  if (!comment.isNew) return skip('Only what was just written counts, and this was something else.')
  const instruction = getInstruction(comment.text, command)
  if (instruction === undefined) return skip(`What was written does not begin with \`${command}\`.`)
  if (comment.person === undefined) return skip('A bot or an app wrote the comment.')
  const { id, threadId, writtenAt, person: author, place } = comment
  const kind = event.kind === 'review' ? 'review' : place === undefined ? 'comment' : 'review-comment'
  const isOnPullRequest = subject.kind === 'pull-request'
  const address = { repository, number: subject.number, kind, id, threadId, isOnPullRequest, writtenAt } as const
  return { address, author, instruction, subject, place }
}

/** The job whose pull request this is, or a new job if it is a pull request like any. */
async function findRolling(address: CommentAddress, search: Search): Promise<RollingPullRequest | NewJobTarget | Skip> {
  const { number } = address
  const found = await findJobOf(address, search)
  if ('jobId' in found) return found
  const { pullRequest, objections, isUndecided } = found
  if (!isOpen(pullRequest)) return skip(`Pull request #${number} is ${pullRequest.state}. ${ELSEWHERE}`)
  if (objections.length === 0) return { kind: 'new-job', undecided: isUndecided === true ? [number] : [] }
  return skip(`Pull request #${number} cannot take the follow-up: ${objections.join(', ')}. ${ASK_IN_AN_ISSUE}`)
}

/** Whether `change-context` sends the change of the pull request: `change-range` may name another one. */
function isSentAlready({ repository, number }: CommentAddress, { inputs }: Search): boolean {
  const { changeContext, changeRange } = inputs
  if (changeContext === 'none' || changeRange.kind === 'between') return false
  if (changeRange.kind !== 'pull-request') return true
  return changeRange.number === number && isSameRepository(changeRange.repository ?? repository, repository)
}

/** The change of a pull request that is none of the agent's, unless it is sent already. */
async function formatChange({ address, subject }: AskingComment, search: Search): Promise<string> {
  const { changeContextBytes } = search.inputs
  const github = openGitHub(search)
  const { repository, number } = address
  if (subject.kind !== 'pull-request' || isSentAlready(address, search)) return ''
  const { baseSha, headSha } = subject.ends ?? (await github.readPullRequest(address))
  const comparison = await github.compare(repository, baseSha, headSha)
  const section = changeSection({ ...comparison, repository, title: `pull request #${number}` }, 'diff')
  return renderSections([section], changeContextBytes).text
}

/**
 * What a comment or a review asks for; undefined without `command`. A comment
 * by somebody who may not write in the repository is passed over without a word, so that nobody else learns anything.
 * @throws ActionError if what has to be known is not told: nothing may be sent then
 */
export async function fromComment(step: AgentStep): Promise<Plan | Skip | undefined> {
  const { command, task, changeContextBytes, dryRun } = step.inputs
  if (command === '') return undefined
  const comment = parseComment(step.context, command)
  if (isSkip(comment)) return comment
  warnOfAttempt(step)
  const { address, author, instruction, subject } = comment
  const { isOnPullRequest, number } = address

  const search = openSearch(step)
  const github = openGitHub(search)
  const mayAsk = () => github.mayWrite(address.repository, author)
  if (!(await orNotSent('Could not tell whether the author may ask', mayAsk, AGAIN)))
    return skip('The author of the comment may not write in this repository.')
  step.journal.recordComment(address)

  if (instruction.trim() === '')
    return skip(
      `There is no instruction behind \`${command}\`. Write it behind the command, in words for the agent: \`${command} Shorten the second paragraph.\``,
    )
  if (isOnPullRequest && !subject.isOpen) return skip(`Pull request #${number} is closed. ${ELSEWHERE}`)
  const unknown = `Could not tell whether pull request #${number} comes from a job`
  const found = isOnPullRequest
    ? await orNotSent(unknown, () => findRolling(address, search), AGAIN)
    : ({ kind: 'new-job' } as const)
  if (isSkip(found)) return found

  const isReview = address.kind === 'review'
  if (!isReview && !dryRun)
    await step.journal.orWarn('The reaction was not put on the comment', () => github.addEyes(address))
  const readReview = () => github.listReviewComments(address)
  const review = isReview ? await orNotSent('The comments of the review could not be read', readReview, AGAIN) : []
  const prompt = promptOfComment(comment, {
    rules: task.kind === 'create' ? task.prompt : '',
    tellsSubject: 'kind' in found,
    reviewComments: review.filter(({ authorId }) => authorId === author.id),
    maxBytes: changeContextBytes,
  })
  if ('jobId' in found) {
    step.journal.setLogPlace(found)
    step.journal.note(`A comment asks job ${found.jobId} to add to pull request #${number}${formatUnread(step)}.`)
    const { pullRequest } = found
    const whole = prompt + formatOpenPullRequest(pullRequest, [], canNameSource(step, pullRequest))
    return {
      task: { kind: 'follow-up', jobId: found.jobId, prompt: whole },
      target: { kind: 'pull-request', rolling: found, reason: 'comment', ended: [] },
    }
  }
  const change = await step.journal.orWarn('The agent is not told what the pull request changes', () =>
    formatChange(comment, search),
  )
  step.journal.note(`A comment on #${number} asks for a new job.`)
  return { task: { kind: 'create', prompt: prompt + (change ?? '') }, target: found }
}
