import { type StoredComment, type IssueState, REACTIONS, type Reaction } from './issue-state.ts'
import {
  type IssueCall,
  ISSUES_OR_PULLS,
  defineOperation,
  type Operations,
  PULLS,
  type PullCall,
  withIssue,
  withPull,
} from './operation.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { toNodeId } from './node-id.ts'
import { getAssociation } from './pull-body.ts'
import type { StoredReviewComment } from './pull-state.ts'
import {
  type GitHubCall,
  NOT_FOUND,
  type Reply,
  getApiUrl,
  created,
  refuseField,
  createListReply,
  ok,
  replyWithError,
  formatTime,
} from './reply.ts'
import { writeComment } from './repository-changes.ts'
import type { RepositoryState } from './repository-state.ts'
import { toReactionsBody, toUserBody } from './resource-body.ts'
import { takeId } from './state.ts'

const MAX_BODY_LENGTH = 65_536

/** A comment in a conversation or on a line of a diff. */
type AnyComment = StoredComment | StoredReviewComment

interface CommentCall extends GitHubCall {
  readonly comment: AnyComment
  /** The issue or pull request of the comment. */
  readonly issue: IssueState
  readonly number: number
}

function toLineFields({ repository: { pulls } }: GitHubCall, comment: StoredReviewComment): object {
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

/** @param call with the number of the comment's issue or pull request */
export function toCommentBody(call: GitHubCall & { readonly number: number }, comment: AnyComment): object {
  const { baseUrl, name, number, repository } = call
  const page = `${baseUrl}/${name}/${number in repository.pulls ? 'pull' : 'issues'}/${number}`
  const { id, user, body, createdAtMs, updatedAtMs = createdAtMs, association, reactions } = comment
  const isInThread = 'diffHunk' in comment
  const url = getApiUrl(call, `/${isInThread ? 'pulls' : 'issues'}/comments/${id}`)
  return {
    id,
    node_id: toNodeId(isInThread ? 'PRRC' : 'IC', repository.id, id),
    url,
    body,
    html_url: `${page}#${isInThread ? 'discussion_r' : 'issuecomment-'}${id}`,
    ...(isInThread
      ? { pull_request_url: getApiUrl(call, `/pulls/${number}`) }
      : { issue_url: getApiUrl(call, `/issues/${number}`) }),
    user: toUserBody(call.state, user),
    author_association: association ?? getAssociation(call, user),
    created_at: formatTime(createdAtMs),
    updated_at: formatTime(updatedAtMs),
    reactions: toReactionsBody(url, reactions),
    ...(isInThread ? toLineFields(call, comment) : {}),
  }
}

/** Applies the query's `since`. Oldest first. */
function selectComments<C extends StoredComment>({ query }: GitHubCall, comments: readonly C[]): readonly C[] {
  const sinceMs = Date.parse(query.get('since') ?? '')
  // Responses have times in whole seconds, which clients send back as `since`.
  const getUpdatedSecondMs = ({ createdAtMs, updatedAtMs = createdAtMs }: StoredComment): number =>
    Math.floor(updatedAtMs / 1_000) * 1_000
  return comments.filter((comment) => !(getUpdatedSecondMs(comment) < sinceMs))
}

function listComments(call: GitHubCall & { readonly number: number }, comments: readonly AnyComment[]): Reply {
  return createListReply(call, selectComments(call, comments), toCommentBody)
}

function listReviewComments(call: PullCall): Reply {
  const found = call.pull.reviewComments.filter(({ reviewId }) => String(reviewId) === call.params['review_id'])
  return createListReply(call, found, toCommentBody)
}

const TOO_LONG = replyWithError(422, 'Validation Failed', {
  errors: [
    {
      resource: 'IssueComment',
      code: 'unprocessable',
      field: 'data',
      message: `Body is too long (maximum is ${MAX_BODY_LENGTH} characters)`,
    },
  ],
})

/** Validates the text of a comment before it is written. */
function withText({ issue, body }: GitHubCall & { readonly issue: IssueState }, write: (text: string) => Reply): Reply {
  const text = body['body']
  if (issue.locked) return replyWithError(403, 'Unable to create comment because issue is locked.')
  if (typeof text !== 'string' || text === '') return refuseField('IssueComment', 'body')
  if (text.length > MAX_BODY_LENGTH) return TOO_LONG
  return write(text)
}

/** A reply refers to the first comment of its thread, whichever comment it replies to. */
function replyInThread(call: PullCall): Reply {
  const { pull, params, state, nowMs } = call
  return withText({ ...call, issue: pull }, (body) => {
    const repliedTo = pull.reviewComments.find(({ id }) => String(id) === params['comment_id'])
    if (repliedTo === undefined) return NOT_FOUND
    const { path, line, diffHunk, id, inReplyTo = id } = repliedTo
    const written = { id: takeId(state), user: state.identity, body, createdAtMs: nowMs, reactions: [] }
    const comment = { path, line, diffHunk, inReplyTo, ...written }
    pull.reviewComments.push(comment)
    return created(toCommentBody(call, comment))
  })
}

/** This operation takes the comment that began a thread. GitHub's documentation supports no reply to a reply. */
function replyToTopLevel(call: PullCall): Reply {
  const parent = call.pull.reviewComments.find(({ id }) => String(id) === call.params['comment_id'])
  return parent?.inReplyTo === undefined ? replyInThread(call) : NOT_FOUND
}

/** Lists the issues and pull requests that can have comments of one kind, with these comments. */
type ListCommentable = (
  repository: RepositoryState,
) => readonly (readonly [number: string, issue: IssueState, comments: AnyComment[]])[]

const listConversations: ListCommentable = ({ issues, pulls }) =>
  [...Object.entries(issues), ...Object.entries(pulls)].map(([number, issue]) => [number, issue, issue.comments])
const listThreads: ListCommentable = ({ pulls }) =>
  Object.entries(pulls).map(([number, pull]) => [number, pull, pull.reviewComments as AnyComment[]])

/** Finds the comment that the path names. Responds with 404 if it does not exist. */
function withComment(
  listCommentable: ListCommentable,
  handle: (call: CommentCall) => Reply,
): (call: GitHubCall) => Reply {
  return (call) => {
    for (const [number, issue, comments] of listCommentable(call.repository)) {
      const comment = comments.find(({ id }) => String(id) === call.params['comment_id'])
      if (comment !== undefined) return handle({ ...call, comment, issue, number: Number(number) })
    }
    return NOT_FOUND
  }
}

function edit(call: CommentCall): Reply {
  const { comment, nowMs } = call
  return withText(call, (text) => {
    comment.body = text
    comment.updatedAtMs = nowMs
    return ok(toCommentBody(call, comment))
  })
}

function toReactionBody({ state }: GitHubCall, { id, user, content, createdAtMs }: Reaction): object {
  return { id, user: toUserBody(state, user), content, created_at: formatTime(createdAtMs) }
}

/** Adds a reaction. If the user already has the same reaction, returns it with 200 instead of 201. */
function react(call: GitHubCall, reactions: Reaction[]): Reply {
  const { state, body, nowMs } = call
  const content = String(body['content'])
  const before = reactions.find((reaction) => reaction.user === state.identity && reaction.content === content)
  if (before !== undefined) return ok(toReactionBody(call, before))
  const reaction = { id: takeId(state), user: state.identity, content, createdAtMs: nowMs }
  reactions.push(reaction)
  return created(toReactionBody(call, reaction))
}

function createComment(call: IssueCall): Reply {
  const { issue, state, nowMs } = call
  return withText(call, (text) => created(toCommentBody(call, writeComment(state, issue, state.identity, text, nowMs))))
}

const ISSUE_COMMENTS = '/issues/{issue_number}/comments'
const PULL_COMMENTS = '/pulls/{pull_number}/comments'
const REVIEW_COMMENTS = '/pulls/{pull_number}/reviews/{review_id}/comments'
const COMMENT = '/issues/comments/{comment_id}'
const PULL_COMMENT = '/pulls/comments/{comment_id}'

const listIssueComments = withIssue((call) => listComments(call, call.issue.comments))
/** Omits the comments of pending reviews. */
const listPullComments = withPull((call) => {
  const { reviews, reviewComments } = call.pull
  const pending = reviews.filter(({ state }) => state === 'PENDING').map(({ id }) => id)
  return listComments(
    call,
    reviewComments.filter(({ reviewId = 0 }) => !pending.includes(reviewId)),
  )
})
const get = (call: CommentCall): Reply => ok(toCommentBody(call, call.comment))
const getComment = withComment(listConversations, get)
const [editComment, editInThread] = [withComment(listConversations, edit), withComment(listThreads, edit)]
const reactToComment = (call: CommentCall): Reply => react(call, call.comment.reactions)
const reactTo = withComment(listConversations, reactToComment)
const reactInThread = withComment(listThreads, reactToComment)
const reactToIssue = withIssue((call) => react(call, call.issue.reactions))
const reply = withPull(replyToTopLevel)

const SINCE = { ...PAGE_PARAMETERS, since: 'time' } as const
const TEXT = { body: { body: 'text' }, required: ['body'] } as const
const REACTION = { body: { content: REACTIONS }, required: ['content'] } as const

/** Comments of issues, pull requests and reviews, and their reactions. */
export const COMMENT_OPERATIONS: Operations = {
  'issues/list-comments': defineOperation('GET', ISSUE_COMMENTS, ISSUES_OR_PULLS, listIssueComments, { query: SINCE }),
  'issues/create-comment': defineOperation('POST', ISSUE_COMMENTS, ISSUES_OR_PULLS, withIssue(createComment), TEXT),
  'issues/get-comment': defineOperation('GET', COMMENT, ISSUES_OR_PULLS, getComment),
  'issues/update-comment': defineOperation('PATCH', COMMENT, ISSUES_OR_PULLS, editComment, TEXT),
  'reactions/create-for-issue': defineOperation(
    'POST',
    '/issues/{issue_number}/reactions',
    ISSUES_OR_PULLS,
    reactToIssue,
    REACTION,
  ),
  'reactions/create-for-issue-comment': defineOperation(
    'POST',
    `${COMMENT}/reactions`,
    ISSUES_OR_PULLS,
    reactTo,
    REACTION,
  ),
  'pulls/list-comments-for-review': defineOperation('GET', REVIEW_COMMENTS, PULLS, withPull(listReviewComments), {
    query: PAGE_PARAMETERS,
  }),
  'pulls/list-review-comments': defineOperation('GET', PULL_COMMENTS, PULLS, listPullComments, {
    query: SINCE,
    unsupported: ['sort', 'direction'],
  }),
  'pulls/create-reply-for-review-comment': defineOperation(
    'POST',
    `${PULL_COMMENTS}/{comment_id}/replies`,
    PULLS,
    reply,
    TEXT,
  ),
  'pulls/update-review-comment': defineOperation('PATCH', PULL_COMMENT, PULLS, editInThread, TEXT),
  'reactions/create-for-pull-request-review-comment': defineOperation(
    'POST',
    `${PULL_COMMENT}/reactions`,
    PULLS,
    reactInThread,
    REACTION,
  ),
}
