import type { Context } from '../../action/context.ts'
import type { AskingComment } from '../prompt/behind-prompt.ts'

/** Undefined if the text does not begin with the command as a word. The one character that ends the word goes with it. */
function instructionOf(text: string, command: string): string | undefined {
  if (!text.startsWith(command)) return undefined
  const rest = text.slice(command.length)
  return rest === '' || /^\s/.test(rest) ? rest.replace(/^(?:\r\n|\s)/, '') : undefined
}

/**
 * What a comment or a review asks for, from the event alone: what is edited later changes nothing. Who wrote it is not yet
 * known to be somebody who may.
 * @returns why it asks for nothing, as a full sentence, without anything that others wrote, if that is so
 */
export function parseComment({ event, repository }: Context, command: string): AskingComment | string {
  if (event.kind !== 'comment' && event.kind !== 'review') return 'The event is neither a comment nor a review.'
  const { comment, subject } = event
  if (subject === undefined || subject.kind === 'discussion')
    return 'The event is not a comment on an issue or a pull request.'
  if (!comment.isNew) return 'Only what was just written counts, and this was something else.'
  const instruction = instructionOf(comment.text, command)
  if (instruction === undefined) return `What was written does not begin with \`${command}\`.`
  if (comment.person === undefined) return 'A bot or an app wrote the comment.'
  const { id, threadId, writtenAt, person: author, place } = comment
  const kind = event.kind === 'review' ? 'review' : place === undefined ? 'comment' : 'review-comment'
  const isOnPullRequest = subject.kind === 'pull-request'
  const address = { repository, number: subject.number, kind, id, threadId, isOnPullRequest, writtenAt } as const
  return { address, author, instruction, subject, place }
}
