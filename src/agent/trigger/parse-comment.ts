import type { CommentAddress, Place } from '../../github/comments.ts'
import type { EventPayload } from '../../github/event-payload.ts'
import type { Context } from '../../action/context.ts'
import type { AskingComment } from '../prompt/comment.ts'

type ParsedComment =
  | { readonly kind: 'asks'; readonly comment: AskingComment }
  /** @property reason as a full sentence, without anything that others wrote */
  | { readonly kind: 'ignored'; readonly reason: string }

type Spoken = NonNullable<EventPayload['comment']>

const EVENTS: Readonly<Record<string, { readonly kind: CommentAddress['kind']; readonly action: string }>> = {
  issue_comment: { kind: 'comment', action: 'created' },
  pull_request_review_comment: { kind: 'review-comment', action: 'created' },
  pull_request_review: { kind: 'review', action: 'submitted' },
}

function placeOf({ path, line, startLine, diffHunk }: Spoken): Place | undefined {
  return path === undefined ? undefined : { path, line, startLine, hunk: diffHunk ?? '' }
}

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
export function parseComment({ eventName, payload, repository }: Context, command: string): ParsedComment {
  const expected = EVENTS[eventName]
  if (expected === undefined) return ignored('The event is no comment and no review.')
  const { action, comment, review, issue, pullRequest } = payload
  const spoken = expected.kind === 'review' ? review : comment
  const { number, title = '', body = '', state } = pullRequest ?? issue ?? {}
  if (spoken?.id === undefined || number === undefined)
    return ignored('The event does not say what was written, or where.')
  if (action !== expected.action)
    return ignored(`Only what was just ${expected.action} counts, and this was something else.`)

  const instruction = instructionOf(spoken.body ?? '', command)
  if (instruction === undefined) return ignored(`What was written does not begin with \`${command}\`.`)
  const { id, user, createdAt, submittedAt, inReplyToId } = spoken
  if (user?.type !== 'User' || user.id === undefined || (spoken.performedViaGithubApp ?? null) !== null)
    return ignored('A bot or an app wrote the comment.')
  const { base, head } = pullRequest ?? {}
  return {
    kind: 'asks',
    comment: {
      ...{ repository, number, id, instruction, title, kind: expected.kind },
      author: { login: user.login, id: user.id },
      threadId: inReplyToId ?? id,
      isOnPullRequest: pullRequest !== undefined || issue?.pullRequest !== undefined,
      writtenAt: createdAt ?? submittedAt ?? '',
      text: body,
      isOpen: state === 'open',
      ends: base === undefined || head === undefined ? undefined : { baseSha: base.sha, headSha: head.sha },
      place: expected.kind === 'review-comment' ? placeOf(spoken) : undefined,
    },
  }
}
