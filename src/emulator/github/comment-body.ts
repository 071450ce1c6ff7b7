import { associationOf } from './pull-body.ts'
import { type Call, NOT_FOUND, type Reply, created, invalid, ok, refusal, wireTime } from './reply.ts'
import { userBody } from './resource-body.ts'
import type { Comment, IssueState, Reaction } from './issue-state.ts'
import { takeId } from './state.ts'

const LONGEST_BODY = 65_536

export function commentBody(call: Call, comment: Comment): object {
  const { id, user, body, createdAtMs, updatedAtMs = createdAtMs, association } = comment
  return {
    id,
    body,
    user: userBody(call.state, user),
    author_association: association ?? associationOf(call, user),
    created_at: wireTime(createdAtMs),
    updated_at: wireTime(updatedAtMs),
  }
}

/** Those that were written or edited since the time that is asked for. */
export function changedSince<T extends Comment>({ query }: Call, comments: readonly T[]): readonly T[] {
  const sinceMs = Date.parse(query.get('since') ?? '')
  // Times are told to the second, and asked for as they were told.
  const secondOf = ({ createdAtMs, updatedAtMs = createdAtMs }: Comment): number =>
    Math.floor(updatedAtMs / 1_000) * 1_000
  return comments.filter((comment) => !(secondOf(comment) < sinceMs))
}

/** The text of a comment, once it is known that it may be written there. */
export function withText(issue: IssueState, { body }: Call, write: (text: string) => Reply): Reply {
  const text = body['body']
  if (issue.locked) return refusal(403, 'Unable to create comment because issue is locked.')
  if (typeof text !== 'string' || text === '') return invalid('IssueComment', 'body')
  if (text.length > LONGEST_BODY) return refusal(422, `Body is too long (maximum is ${LONGEST_BODY} characters)`)
  return write(text)
}

/** Answers with the comment that the path names, and with what it stands on. */
export function answerWithComment<Kind extends Comment, Issue extends IssueState>(
  call: Call,
  issues: readonly Issue[],
  commentsOf: (issue: Issue) => readonly Kind[],
  answer: (comment: Kind, call: Call, issue: Issue) => Reply,
): Reply {
  for (const issue of issues) {
    const comment = commentsOf(issue).find(({ id }) => String(id) === call.params['comment_id'])
    if (comment !== undefined) return answer(comment, call, issue)
  }
  return NOT_FOUND
}

/** Changes the text of a comment. */
export function edit<Kind extends Comment>(bodyOf: (call: Call, comment: Kind) => object) {
  return (comment: Kind, call: Call, issue: IssueState): Reply =>
    withText(issue, call, (text) => {
      comment.body = text
      comment.updatedAtMs = call.nowMs
      return ok(bodyOf(call, comment))
    })
}

function reactionBody({ state }: Call, { id, user, content, createdAtMs }: Reaction): object {
  return { id, user: userBody(state, user), content, created_at: wireTime(createdAtMs) }
}

/** Adds the reaction that the body names. A second one of the same kind by the same user changes nothing. */
export function react(reactions: Reaction[], call: Call): Reply {
  const { state, body, nowMs } = call
  const content = String(body['content'])
  const before = reactions.find((one) => one.user === state.identity && one.content === content)
  if (before !== undefined) return ok(reactionBody(call, before))
  const reaction = { id: takeId(state), user: state.identity, content, createdAtMs: nowMs }
  reactions.push(reaction)
  return created(reactionBody(call, reaction))
}
