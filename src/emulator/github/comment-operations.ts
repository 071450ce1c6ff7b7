import { type Comment, type IssueState, REACTIONS, type Reaction } from './issue-state.ts'
import {
  type IssueCall,
  ISSUES_OR_PULLS,
  operation,
  type Operations,
  PULLS,
  type PullCall,
  withIssue,
  withPull,
} from './operation.ts'
import { PAGE } from './parameters.ts'
import { makeLineComment } from './line-comments.ts'
import { nodeId } from './node-id.ts'
import { getAssociation, shownChange } from './pull-body.ts'
import type { ReviewComment } from './pull-state.ts'
import {
  type Call,
  NOT_FOUND,
  type Reply,
  apiUrl,
  created,
  invalid,
  listReply,
  noContent,
  ok,
  refusal,
  wireTime,
} from './reply.ts'
import { writeComment } from './repository-events.ts'
import type { RepositoryState } from './repository-state.ts'
import { reactionsBody, userBody } from './resource-body.ts'
import { takeId } from './state.ts'

const MAX_BODY = 65_536

/** In a conversation, or on a line of a pull request's change. */
type AnyComment = Comment | ReviewComment

interface CommentCall extends Call {
  readonly comment: AnyComment
  /** All comments of its kind where it stands. */
  readonly comments: AnyComment[]
  /** What it stands on. */
  readonly issue: IssueState
  readonly number: number
}

function getPlace({ repository: { pulls } }: Call, comment: ReviewComment): object {
  const {
    path,
    line,
    side = 'RIGHT',
    startLine = null,
    position = line,
    diffHunk,
    reviewId = null,
    inReplyTo,
  } = comment
  const headSha = Object.values(pulls).find(({ reviewComments }) => reviewComments.includes(comment))?.headSha
  return {
    path,
    line,
    original_line: line,
    side,
    start_line: startLine,
    original_start_line: startLine,
    start_side: startLine === null ? null : side,
    subject_type: 'line',
    position,
    original_position: position,
    commit_id: headSha,
    original_commit_id: headSha,
    diff_hunk: diffHunk,
    pull_request_review_id: reviewId,
    ...(inReplyTo === undefined ? {} : { in_reply_to_id: inReplyTo }),
  }
}

/** @param number of the issue or the pull request that it stands on */
export function commentBody(call: Call & { readonly number: number }, comment: AnyComment): object {
  const { baseUrl, name, number, repository } = call
  const page = `${baseUrl}/${name}/${number in repository.pulls ? 'pull' : 'issues'}/${number}`
  const { id, user, body, createdAtMs, updatedAtMs = createdAtMs, association, reactions } = comment
  const isInThread = 'diffHunk' in comment
  const url = apiUrl(call, `/${isInThread ? 'pulls' : 'issues'}/comments/${id}`)
  return {
    id,
    node_id: nodeId(isInThread ? 'PRRC' : 'IC', repository.id, id),
    url,
    body,
    html_url: `${page}#${isInThread ? 'discussion_r' : 'issuecomment-'}${id}`,
    ...(isInThread
      ? { pull_request_url: apiUrl(call, `/pulls/${number}`) }
      : { issue_url: apiUrl(call, `/issues/${number}`) }),
    user: userBody(call.state, user),
    author_association: association ?? getAssociation(call, user),
    created_at: wireTime(createdAtMs),
    updated_at: wireTime(updatedAtMs),
    reactions: reactionsBody(url, reactions),
    ...(isInThread ? getPlace(call, comment) : {}),
  }
}

/** Those that were written or edited since the time that is asked for, oldest first unless asked otherwise. */
function sortComments<C extends Comment>({ query }: Call, comments: readonly C[]): readonly C[] {
  const sinceMs = Date.parse(query.get('since') ?? '')
  // Times are written to the second, and asked for as they were written.
  const toSecond = ({ createdAtMs, updatedAtMs = createdAtMs }: Comment): number =>
    Math.floor(updatedAtMs / 1_000) * 1_000
  const changed = comments.filter((comment) => !(toSecond(comment) < sinceMs))
  if (query.get('sort') === 'updated') changed.sort((a, b) => toSecond(a) - toSecond(b))
  // Only together with `sort`, says GitHub's documentation.
  if (query.has('sort') && query.get('direction') === 'desc') changed.reverse()
  return changed
}

function listComments(call: Call & { readonly number: number }, comments: readonly AnyComment[]): Reply {
  return listReply(call, sortComments(call, comments), commentBody)
}

function listOfReview(call: PullCall): Reply {
  const found = call.pull.reviewComments.filter(({ reviewId }) => String(reviewId) === call.params['review_id'])
  return listReply(call, found, commentBody)
}

const TOO_LONG = refusal(422, 'Validation Failed', {
  errors: [
    {
      ...{ resource: 'IssueComment', code: 'unprocessable', field: 'data' },
      message: `Body is too long (maximum is ${MAX_BODY} characters)`,
    },
  ],
})

/** The text of a comment, once it is known that it may be written there. */
function withText({ issue, body }: Call & { readonly issue: IssueState }, write: (text: string) => Reply): Reply {
  const text = body['body']
  if (issue.locked) return refusal(403, 'Unable to create comment because issue is locked.')
  if (typeof text !== 'string' || text === '') return invalid('IssueComment', 'body')
  if (text.length > MAX_BODY) return TOO_LONG
  return write(text)
}

const LINE_COMMENT = 'PullRequestReviewComment'
const THREAD = 'pull_request_review_thread'

/** A comment on a line is a review of its own. */
function createLineComment(call: PullCall): Reply {
  const { pull, state, nowMs } = call
  const { in_reply_to: answered, commit_id: headSha } = call.body as { in_reply_to?: number; commit_id?: string }
  if (answered !== undefined) return replyInThread({ ...call, params: { comment_id: String(answered) } })
  return withText({ ...call, issue: pull }, () => {
    if (!shownChange(call, pull).ahead.some(({ sha }) => sha === headSha))
      return refusal(422, 'Validation Failed', {
        errors: [{ resource: LINE_COMMENT, field: `${THREAD}.commit`, code: 'invalid' }],
      })
    const comment = makeLineComment(call, call.body)
    if (comment === 'path') return invalid(LINE_COMMENT, `${THREAD}.path`, 'invalid')
    if (comment === 'line')
      return refusal(422, 'Validation Failed', {
        errors: [
          {
            ...{ resource: LINE_COMMENT, field: `${THREAD}.line`, code: 'custom' },
            message: `${THREAD}.line must be part of the diff`,
          },
        ],
      })
    const review = { id: takeId(state), user: state.identity, body: '', headSha: pull.headSha, submittedAtMs: nowMs }
    pull.reviews.push({ ...review, state: 'COMMENTED' })
    const written = { ...comment, reviewId: review.id }
    pull.reviewComments.push(written)
    return created(commentBody(call, written))
  })
}

/** A reply stands in the thread of the comment that began it, whichever of its comments was answered. */
function replyInThread(call: PullCall): Reply {
  const { pull, params, state, nowMs } = call
  return withText({ ...call, issue: pull }, (body) => {
    const answered = pull.reviewComments.find(({ id }) => String(id) === params['comment_id'])
    if (answered === undefined) return NOT_FOUND
    const { path, line, diffHunk, id, inReplyTo = id } = answered
    const written = { id: takeId(state), user: state.identity, body, createdAtMs: nowMs, reactions: [] }
    const comment = { path, line, diffHunk, inReplyTo, ...written }
    pull.reviewComments.push(comment)
    return created(commentBody(call, comment))
  })
}

/** What can be commented on, by number, with its comments of one kind. */
type Places = (
  repository: RepositoryState,
) => readonly (readonly [number: string, issue: IssueState, comments: AnyComment[]])[]

const conversations: Places = ({ issues, pulls }) =>
  [...Object.entries(issues), ...Object.entries(pulls)].map(([number, issue]) => [number, issue, issue.comments])
const threads: Places = ({ pulls }) =>
  Object.entries(pulls).map(([number, pull]) => [number, pull, pull.reviewComments as AnyComment[]])

/** Answers with the comment that the path names. */
function withComment(places: Places, answer: (call: CommentCall) => Reply): (call: Call) => Reply {
  return (call) => {
    for (const [number, issue, comments] of places(call.repository)) {
      const comment = comments.find(({ id }) => String(id) === call.params['comment_id'])
      if (comment !== undefined) return answer({ ...call, comment, comments, issue, number: Number(number) })
    }
    return NOT_FOUND
  }
}

function edit(call: CommentCall): Reply {
  const { comment, nowMs } = call
  return withText(call, (text) => {
    comment.body = text
    comment.updatedAtMs = nowMs
    return ok(commentBody(call, comment))
  })
}

function remove({ comment, comments, issue, nowMs }: CommentCall): Reply {
  comments.splice(comments.indexOf(comment), 1)
  issue.updatedAtMs = nowMs
  return noContent()
}

/** The comments of all issues and pull requests, oldest first. */
function listAll(call: Call): Reply {
  const all = conversations(call.repository).flatMap(([number, , comments]) =>
    comments.map((comment) => ({ number: Number(number), comment })),
  )
  const shown = sortComments(
    call,
    all.map(({ comment }) => comment),
  )
  return listReply(call, shown, (_call, comment) => {
    const { number = 0 } = all.find((one) => one.comment === comment) ?? {}
    return commentBody({ ...call, number }, comment)
  })
}

function listReactions(call: CommentCall): Reply {
  const content = call.query.get('content')
  const found = call.comment.reactions.filter((one) => content === null || one.content === content)
  return listReply(call, found, reactionBody)
}

function reactionBody({ state }: Call, { id, user, content, createdAtMs }: Reaction): object {
  return { id, user: userBody(state, user), content, created_at: wireTime(createdAtMs) }
}

/** Adds the reaction that the body names. A second one of the same kind by the same user changes nothing. */
function react(call: CommentCall): Reply {
  const { comment, state, body, nowMs } = call
  const { reactions } = comment
  const content = String(body['content'])
  const before = reactions.find((one) => one.user === state.identity && one.content === content)
  if (before !== undefined) return ok(reactionBody(call, before))
  const reaction = { id: takeId(state), user: state.identity, content, createdAtMs: nowMs }
  reactions.push(reaction)
  return created(reactionBody(call, reaction))
}

function createComment(call: IssueCall): Reply {
  const { issue, state, nowMs } = call
  return withText(call, (text) => created(commentBody(call, writeComment(state, issue, state.identity, text, nowMs))))
}

const OF_ISSUE = '/issues/{issue_number}/comments'
const OF_PULL = '/pulls/{pull_number}/comments'
const OF_REVIEW = '/pulls/{pull_number}/reviews/{review_id}/comments'
const COMMENT = '/issues/comments/{comment_id}'
const IN_THREAD = '/pulls/comments/{comment_id}'

const listOfIssue = withIssue((call) => listComments(call, call.issue.comments))
/** The comments of a review that is not submitted yet are not shown. */
const listOfPull = withPull((call) => {
  const { reviews, reviewComments } = call.pull
  const pending = reviews.filter(({ state }) => state === 'PENDING').map(({ id }) => id)
  return listComments(
    call,
    reviewComments.filter(({ reviewId = 0 }) => !pending.includes(reviewId)),
  )
})
const get = (call: CommentCall): Reply => ok(commentBody(call, call.comment))
const [deleteComment, deleteInThread] = [withComment(conversations, remove), withComment(threads, remove)]
const [getComment, getInThread] = [withComment(conversations, get), withComment(threads, get)]
const [editComment, editInThread] = [withComment(conversations, edit), withComment(threads, edit)]
const [reactTo, reactInThread] = [withComment(conversations, react), withComment(threads, react)]
const reply = withPull(replyInThread)

const SINCE = { ...PAGE, since: 'time' } as const
const SORTED = { ...SINCE, sort: ['created', 'updated'], direction: ['asc', 'desc'] } as const
const TEXT = { body: { body: 'text' }, required: ['body'] } as const
const SIDES = ['LEFT', 'RIGHT'] as const
const REACTION = { body: { content: REACTIONS }, required: ['content'] } as const

/** Comments of issues, of pull requests and of reviews, and reactions to them. */
export const COMMENT_OPERATIONS: Operations = {
  'issues/list-comments': operation('GET', OF_ISSUE, ISSUES_OR_PULLS, listOfIssue, { query: SINCE }),
  'issues/create-comment': operation('POST', OF_ISSUE, ISSUES_OR_PULLS, withIssue(createComment), TEXT),
  'issues/get-comment': operation('GET', COMMENT, ISSUES_OR_PULLS, getComment),
  'issues/list-comments-for-repo': operation('GET', '/issues/comments', ISSUES_OR_PULLS, listAll, { query: SORTED }),
  'issues/delete-comment': operation('DELETE', COMMENT, ISSUES_OR_PULLS, deleteComment),
  'reactions/list-for-issue-comment': operation(
    'GET',
    `${COMMENT}/reactions`,
    ISSUES_OR_PULLS,
    withComment(conversations, listReactions),
    { query: { ...PAGE, content: REACTIONS } },
  ),
  'issues/update-comment': operation('PATCH', COMMENT, ISSUES_OR_PULLS, editComment, TEXT),
  'reactions/create-for-issue-comment': operation('POST', `${COMMENT}/reactions`, ISSUES_OR_PULLS, reactTo, REACTION),
  'pulls/list-comments-for-review': operation('GET', OF_REVIEW, PULLS, withPull(listOfReview), { query: PAGE }),
  'pulls/list-review-comments': operation('GET', OF_PULL, PULLS, listOfPull, { query: SORTED }),
  'pulls/create-review-comment': operation('POST', OF_PULL, PULLS, withPull(createLineComment), {
    body: {
      ...TEXT.body,
      commit_id: 'text',
      path: 'text',
      line: 'integer',
      side: SIDES,
      start_line: 'integer',
      start_side: SIDES,
      position: 'integer',
      in_reply_to: 'integer',
    },
    required: ['body'],
    unplayed: ['subject_type'],
  }),
  'pulls/get-review-comment': operation('GET', IN_THREAD, PULLS, getInThread),
  'pulls/delete-review-comment': operation('DELETE', IN_THREAD, PULLS, deleteInThread),
  'pulls/create-reply-for-review-comment': operation('POST', `${OF_PULL}/{comment_id}/replies`, PULLS, reply, TEXT),
  'pulls/update-review-comment': operation('PATCH', IN_THREAD, PULLS, editInThread, TEXT),
  'reactions/create-for-pull-request-review-comment': operation(
    'POST',
    `${IN_THREAD}/reactions`,
    PULLS,
    reactInThread,
    REACTION,
  ),
}
