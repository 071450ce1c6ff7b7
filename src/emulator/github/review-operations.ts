import { type Operations, PULLS, type PullCall, defineOperation, withPull } from './operation.ts'
import { type LineFields, makeLineComment } from './line-comments.ts'
import { toNodeId } from './node-id.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { getAssociation, toPullBody } from './pull-body.ts'
import { type Review, type ReviewComment, listRequestedReviewers } from './pull-state.ts'
import {
  type Call,
  NOT_FOUND,
  type Reply,
  getApiUrl,
  created,
  createListReply,
  ok,
  refuse,
  findIgnoringCase,
  formatTime,
} from './reply.ts'
import { toReviewerBody, toUserBody } from './resource-body.ts'
import { takeId } from './state.ts'

/** The review state that each event of a request results in. */
const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const
const EVENTS = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const

function toReviewBody(call: PullCall, review: Review): object {
  const { id, user, body, state, headSha, submittedAtMs } = review
  return {
    id,
    node_id: toNodeId('PRR', call.repository.id, id),
    user: toUserBody(call.state, user),
    body,
    state,
    html_url: `${call.baseUrl}/${call.name}/pull/${call.number}#pullrequestreview-${id}`,
    pull_request_url: getApiUrl(call, `/pulls/${call.number}`),
    commit_id: headSha,
    author_association: getAssociation(call, user),
    ...(submittedAtMs !== undefined && { submitted_at: formatTime(submittedAtMs) }),
  }
}

const refuseReview = (problem: string): Reply => refuse(422, 'Unprocessable Entity', { errors: [problem] })

type ReviewEvent = keyof typeof STATES

/** Returns GitHub's error response to a review that is not allowed, or undefined. */
function findReviewBlocker(call: PullCall, event: ReviewEvent | undefined, isEmpty: boolean): Reply | undefined {
  const { pull, state, repository } = call
  const isAuthor = pull.user === state.identity
  if (event === 'APPROVE' && state.identity === 'github-actions[bot]' && !repository.canActionsCreatePulls)
    return refuseReview('GitHub Actions is not permitted to approve pull requests.')
  if (event === 'APPROVE' && isAuthor) return refuseReview('Can not approve your own pull request')
  if (event === 'REQUEST_CHANGES' && isAuthor) return refuseReview('Can not request changes on your own pull request')
  if (event !== undefined && event !== 'APPROVE' && isEmpty) return refuseReview('Body cannot be blank')
  return undefined
}

/** Submits a review. It completes a pending request to its author. */
function submit({ pull, nowMs }: PullCall, review: Review, event: ReviewEvent): void {
  review.state = STATES[event]
  review.submittedAtMs = nowMs
  const { user: actor, id } = review
  pull.reviewEvents.push({ id, event: 'reviewed', actor, name: actor, atMs: nowMs })
  pull.updatedAtMs = nowMs
}

interface ReviewFields {
  readonly body?: string
  readonly event?: ReviewEvent
  readonly commit_id?: string
  readonly comments?: readonly LineFields[]
}

/** Creates comments on lines of the diff, all or none. */
function makeComments(call: PullCall, fields: readonly LineFields[]): readonly ReviewComment[] | Reply {
  const results = fields.map((commentFields) => makeLineComment(call, commentFields))
  if (results.includes('path')) return refuseReview('Path could not be resolved')
  if (results.includes('line')) return refuseReview('Line could not be resolved')
  return results as readonly ReviewComment[]
}

function createReview(call: PullCall): Reply {
  const { pull, state } = call
  const { body: text = '', event, commit_id: headSha = pull.headSha, comments = [] } = call.body as ReviewFields
  const blocker = findReviewBlocker(call, event, text === '' && comments.length === 0)
  if (blocker !== undefined) return blocker
  const { identity: user } = state
  const isPending = (review: Review): boolean => review.user === user && review.state === 'PENDING'
  if (pull.reviews.some(isPending)) return refuseReview('User can only have one pending review per pull request')
  const lineComments = makeComments(call, comments)
  if ('status' in lineComments) return lineComments
  const review: Review = { id: takeId(state), user, body: text, state: 'PENDING', headSha, submittedAtMs: undefined }
  pull.reviews.push(review)
  pull.reviewComments.push(...lineComments.map((comment) => ({ ...comment, reviewId: review.id })))
  if (event !== undefined) submit(call, review, event)
  return ok(toReviewBody(call, review))
}

function withReview(handle: (call: PullCall, review: Review) => Reply): (call: Call) => Reply {
  return withPull((call) => {
    const review = call.pull.reviews.find(({ id }) => String(id) === call.params['review_id'])
    return review === undefined ? NOT_FOUND : handle(call, review)
  })
}

function submitReview(call: PullCall, review: Review): Reply {
  const { body: text = review.body, event = 'COMMENT' } = call.body as ReviewFields
  if (review.state !== 'PENDING') return refuseReview('Could not submit pull request review.')
  const hasComments = call.pull.reviewComments.some(({ reviewId }) => reviewId === review.id)
  const blocker = findReviewBlocker(call, event, text === '' && !hasComments)
  if (blocker !== undefined) return blocker
  review.body = text
  submit(call, review, event)
  return ok(toReviewBody(call, review))
}

function dismissReview(call: PullCall, review: Review): Reply {
  if (!['APPROVED', 'CHANGES_REQUESTED'].includes(review.state))
    return refuse(422, 'Can not dismiss a commented pull request review')
  review.state = 'DISMISSED'
  call.pull.updatedAtMs = call.nowMs
  return ok(toReviewBody(call, review))
}

/** Returns all named reviewers as the repository spells them, or GitHub's error response if one cannot be requested. */
function resolveReviewers({ pull, repository, name, body }: PullCall): readonly string[] | Reply {
  const readNames = (field: string, known: readonly string[]): readonly (string | undefined)[] =>
    Array.isArray(body[field]) ? body[field].map((reviewer) => findIgnoringCase(known, String(reviewer))) : []
  const users = readNames('reviewers', Object.keys(repository.collaborators))
  const teams = readNames('team_reviewers', repository.teams)
  if (users.includes(pull.user)) return refuse(422, 'Review cannot be requested from pull request author.')
  if (users.includes(undefined) || teams.includes(undefined))
    return refuse(
      422,
      `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${name} repository.`,
    )
  const owner = name.split('/')[0] ?? ''
  return [...users, ...teams.map((team) => `${owner}/${team ?? ''}`)].filter((reviewer) => reviewer !== undefined)
}

/** Changes all named requests or none: a reviewer without access and the author make the request fail. */
const changeRequests =
  (event: 'review_requested' | 'review_request_removed') =>
  (call: PullCall): Reply => {
    const { pull, number, state, nowMs } = call
    const names = resolveReviewers(call)
    if ('status' in names) return names
    const requested = listRequestedReviewers(pull)
    const changes = names.filter((name) => requested.includes(name) === (event === 'review_request_removed'))
    for (const name of changes)
      pull.reviewEvents.push({ id: takeId(state), event, actor: state.identity, name, atMs: nowMs })
    const body = toPullBody(call, number, pull)
    return event === 'review_requested' ? created(body) : ok(body)
  }

function listRequested(call: PullCall): Reply {
  const shown = listRequestedReviewers(call.pull).map((name) => toReviewerBody(call, name))
  return ok({
    users: shown.flatMap((reviewer) => ('user' in reviewer ? [reviewer.user] : [])),
    teams: shown.flatMap((reviewer) => ('team' in reviewer ? [reviewer.team] : [])),
  })
}

const REVIEWS = '/pulls/{pull_number}/reviews'
const REVIEW = `${REVIEWS}/{review_id}`
const REQUESTED = '/pulls/{pull_number}/requested_reviewers'
const REVIEWERS = { reviewers: 'texts', team_reviewers: 'texts' } as const

/** Reviews of pull requests, and review requests. */
export const REVIEW_OPERATIONS: Operations = {
  'pulls/list-reviews': defineOperation(
    'GET',
    REVIEWS,
    PULLS,
    withPull((call) => createListReply(call, call.pull.reviews, toReviewBody)),
    { query: PAGE_PARAMETERS },
  ),
  'pulls/create-review': defineOperation('POST', REVIEWS, PULLS, withPull(createReview), {
    body: { body: 'text', event: EVENTS, commit_id: 'text', comments: 'objects' },
  }),
  'pulls/get-review': defineOperation(
    'GET',
    REVIEW,
    PULLS,
    withReview((call, review) => ok(toReviewBody(call, review))),
  ),
  'pulls/submit-review': defineOperation('POST', `${REVIEW}/events`, PULLS, withReview(submitReview), {
    body: { body: 'text', event: EVENTS },
    required: ['event'],
  }),
  'pulls/dismiss-review': defineOperation('PUT', `${REVIEW}/dismissals`, PULLS, withReview(dismissReview), {
    body: { message: 'text', event: ['DISMISS'] },
    required: ['message'],
  }),
  'pulls/list-requested-reviewers': defineOperation('GET', REQUESTED, PULLS, withPull(listRequested)),
  'pulls/request-reviewers': defineOperation('POST', REQUESTED, PULLS, withPull(changeRequests('review_requested')), {
    body: REVIEWERS,
  }),
  'pulls/remove-requested-reviewers': defineOperation(
    'DELETE',
    REQUESTED,
    PULLS,
    withPull(changeRequests('review_request_removed')),
    { body: REVIEWERS, required: ['reviewers'] },
  ),
}
