import { answerWithComment, changedSince, commentBody, edit, react, withText } from './comment-body.ts'
import { type Operations, reads, withIssue, withPull, writes } from './operation.ts'
import { pullBody } from './pull-body.ts'
import { type Call, NOT_FOUND, type Reply, created, listReply, refusal, spelledIn, wireTime } from './reply.ts'
import { reviewerBody, userBody } from './resource-body.ts'
import { type PullState, type ReviewComment, type ReviewEvent, requestedReviewers } from './pull-state.ts'
import { takeId } from './state.ts'

function reviewCommentBody(call: Call, comment: ReviewComment): object {
  const { path, line, diffHunk, reviewId, inReplyTo } = comment
  const { pulls } = call.repository
  const headSha = Object.values(pulls).find(({ reviewComments }) => reviewComments.includes(comment))?.headSha
  return {
    ...commentBody(call, comment),
    path,
    line,
    position: line,
    original_position: line,
    commit_id: headSha,
    original_commit_id: headSha,
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

/** All who are named, or nobody: one who has no access stops the request, and so does the author. */
function requestReviews(pull: PullState, number: number, call: Call): Reply {
  const { state, repository, name, body, nowMs } = call
  const named = (field: string, known: readonly string[]): readonly (string | undefined)[] =>
    Array.isArray(body[field]) ? body[field].map((one) => spelledIn(known, String(one))) : []
  const users = named('reviewers', Object.keys(repository.collaborators))
  const teams = named('team_reviewers', repository.teams)
  if (users.includes(pull.user)) return refusal(422, 'Review cannot be requested from pull request author.')
  if (users.includes(undefined) || teams.includes(undefined))
    return refusal(
      422,
      `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${name} repository.`,
    )
  const owner = name.split('/')[0] ?? ''
  const names = [...users, ...teams.map((team) => `${owner}/${team ?? ''}`)].filter((one) => one !== undefined)
  const due = requestedReviewers(pull)
  for (const one of names.filter((one) => !due.includes(one)))
    pull.reviewEvents.push({
      id: takeId(state),
      event: 'review_requested',
      actor: state.identity,
      name: one,
      atMs: nowMs,
    })
  return created(pullBody(call, number, pull))
}

function eventBody(call: Call, { id, event, actor, name, atMs }: ReviewEvent): object {
  if (event === 'reviewed') return { id, event, user: userBody(call.state, name), submitted_at: wireTime(atMs) }
  const [requester, whom] = [userBody(call.state, actor), reviewerBody(call, name)]
  const who = 'user' in whom ? { requested_reviewer: whom.user } : { requested_team: whom.team }
  return { id, event, actor: requester, review_requester: requester, created_at: wireTime(atMs), ...who }
}

/** Who is asked for reviews, and the comments of reviews. */
export const REVIEW_OPERATIONS: Operations = {
  'issues/list-events-for-timeline': reads(
    '/issues/{issue_number}/timeline',
    ['issues', 'pull-requests'],
    // Of all that happens, what is about reviews.
    withIssue((issue, _number, call) =>
      listReply(call, 'reviewEvents' in issue ? issue.reviewEvents : [], (event) => eventBody(call, event)),
    ),
  ),
  'pulls/request-reviewers': writes(
    'POST',
    '/pulls/{pull_number}/requested_reviewers',
    ['pull-requests'],
    withPull(requestReviews),
  ),
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
      listReply(call, changedSince(call, reviewComments), (comment) => reviewCommentBody(call, comment)),
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
