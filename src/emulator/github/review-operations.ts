import { answerWithComment, commentBody, edit, react, withText } from './comment-body.ts'
import { type Operations, reads, withPull, writes } from './operation.ts'
import { type Call, NOT_FOUND, type Reply, created, listReply } from './reply.ts'
import type { PullState, ReviewComment } from './pull-state.ts'
import { takeId } from './state.ts'

function reviewCommentBody(call: Call, comment: ReviewComment): object {
  const { path, line, diffHunk, reviewId, inReplyTo } = comment
  return {
    ...commentBody(call, comment),
    path,
    line,
    diff_hunk: diffHunk,
    pull_request_review_id: reviewId ?? null,
    ...(inReplyTo === undefined ? {} : { in_reply_to_id: inReplyTo }),
  }
}

function withReviewComment(
  answer: (comment: ReviewComment, call: Call, pull: PullState) => Reply,
): (call: Call) => Reply {
  return (call) => answerWithComment(call, Object.values(call.repository.pulls), (pull) => pull.reviewComments, answer)
}

/** A reply stands in the thread of the comment that began it, whichever of its comments was answered. */
function replyInThread(pull: PullState, call: Call): Reply {
  return withText(pull, call, (body) => {
    const answered = pull.reviewComments.find(({ id }) => String(id) === call.params['comment_id'])
    if (answered === undefined) return NOT_FOUND
    const { path, line, diffHunk, id, inReplyTo = id } = answered
    const { identity: user } = call.state
    const place = { path, line, diffHunk, inReplyTo }
    const comment = { ...place, id: takeId(call.state), user, body, createdAtMs: call.nowMs, reactions: [] }
    pull.reviewComments.push(comment)
    return created(reviewCommentBody(call, comment))
  })
}

/** The comments of reviews. */
export const REVIEW_OPERATIONS: Operations = {
  'pulls/list-comments-for-review': reads(
    '/pulls/{pull_number}/reviews/{review_id}/comments',
    ['pull-requests'],
    withPull(({ reviewComments }, _number, call) => {
      const found = reviewComments.filter(({ reviewId }) => String(reviewId) === call.params['review_id'])
      return listReply(call, found, (comment) => reviewCommentBody(call, comment))
    }),
  ),
  'pulls/list-review-comments': reads(
    '/pulls/{pull_number}/comments',
    ['pull-requests'],
    withPull(({ reviewComments }, _number, call) =>
      listReply(call, reviewComments, (comment) => reviewCommentBody(call, comment)),
    ),
  ),
  'pulls/create-reply-for-review-comment': writes(
    'POST',
    '/pulls/{pull_number}/comments/{comment_id}/replies',
    ['pull-requests'],
    withPull((pull, _number, call) => replyInThread(pull, call)),
  ),
  'pulls/update-review-comment': writes(
    'PATCH',
    '/pulls/comments/{comment_id}',
    ['pull-requests'],
    withReviewComment(edit(reviewCommentBody)),
  ),
  'reactions/create-for-pull-request-review-comment': writes(
    'POST',
    '/pulls/comments/{comment_id}/reactions',
    ['pull-requests'],
    withReviewComment(({ reactions }, call) => react(reactions, call)),
  ),
}
