import type { Context } from '../../action/context.ts'
import type { AskingComment } from '../prompt/behind-prompt.ts'

type ParsedComment =
  | { readonly kind: 'asks'; readonly comment: AskingComment }
  /** @property reason as a full sentence, without anything that others wrote */
  | { readonly kind: 'ignored'; readonly reason: string }

/** Undefined if the text does not begin with the command as a word. The one character that ends the word goes with it. */
function instructionOf(text: string, command: string): string | undefined {
  if (!text.startsWith(command)) return undefined
  const rest = text.slice(command.length)
  return rest === '' || /^\s/.test(rest) ? rest.replace(/^(?:\r\n|\s)/, '') : undefined
}

const ignored = (reason: string): ParsedComment => ({ kind: 'ignored', reason })

/**
 * What a comment or a review asks for, from the event alone: what is edited later changes nothing. Who wrote it is not yet
 * known to be somebody who may.
 */
export function parseComment({ event, repository }: Context, command: string): ParsedComment {
  if (event.kind !== 'comment' && event.kind !== 'review')
    return ignored('The event is neither a comment nor a review.')
  const { comment, subject } = event
  if (subject === undefined || subject.kind === 'discussion')
    return ignored('The event is not a comment on an issue or a pull request.')
  if (!comment.isNew) return ignored('Only what was just written counts, and this was something else.')
  const instruction = instructionOf(comment.text, command)
  if (instruction === undefined) return ignored(`What was written does not begin with \`${command}\`.`)
  if (comment.person === undefined) return ignored('A bot or an app wrote the comment.')
  const { id, threadId, writtenAt, person: author, place } = comment
  const kind = event.kind === 'review' ? 'review' : place === undefined ? 'comment' : 'review-comment'
  return {
    kind: 'asks',
    comment: {
      ...{ repository, kind, id, threadId, writtenAt, author, instruction, place },
      ...{ subject, number: subject.number, isOnPullRequest: subject.kind === 'pull-request' },
    },
  }
}
