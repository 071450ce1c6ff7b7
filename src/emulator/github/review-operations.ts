import { type Operations, PULLS, type PullCall, defineOperation, withPull } from './operation.ts'
import { toNodeId } from './node-id.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { getAssociation, toPullBody } from './pull-body.ts'
import { type Review, listRequestedReviewers } from './pull-state.ts'
import {
  type Reply,
  getApiUrl,
  created,
  createListReply,
  replyWithError,
  findIgnoringCase,
  formatTime,
} from './reply.ts'
import { toUserBody } from './resource-body.ts'
import { takeId } from './state.ts'

export function toReviewBody(call: PullCall, review: Review): object {
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

/** Returns all named reviewers as the repository spells them, or GitHub's error response if one cannot be requested. */
function resolveReviewers({ pull, repository, name, body }: PullCall): readonly string[] | Reply {
  const readNames = (field: string, known: readonly string[]): readonly (string | undefined)[] =>
    Array.isArray(body[field]) ? body[field].map((reviewer) => findIgnoringCase(known, String(reviewer))) : []
  const users = readNames('reviewers', Object.keys(repository.collaborators))
  const teams = readNames('team_reviewers', repository.teams)
  if (users.includes(pull.user)) return replyWithError(422, 'Review cannot be requested from pull request author.')
  if (users.includes(undefined) || teams.includes(undefined))
    return replyWithError(
      422,
      `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${name} repository.`,
    )
  const owner = name.split('/')[0] ?? ''
  return [...users, ...teams.map((team) => `${owner}/${team ?? ''}`)].filter((reviewer) => reviewer !== undefined)
}

/** Requests all named reviews or none: a reviewer without access and the author make the request fail. */
function requestReviewers(call: PullCall): Reply {
  const { pull, number, state, nowMs } = call
  const names = resolveReviewers(call)
  if ('status' in names) return names
  const requested = listRequestedReviewers(pull)
  for (const name of names.filter((reviewer) => !requested.includes(reviewer)))
    pull.reviewEvents.push({
      id: takeId(state),
      event: 'review_requested',
      actor: state.identity,
      name,
      atMs: nowMs,
    })
  return created(toPullBody(call, number, pull))
}

const REVIEWS = '/pulls/{pull_number}/reviews'
const REQUESTED = '/pulls/{pull_number}/requested_reviewers'

/** Reviews of pull requests, and review requests. */
export const REVIEW_OPERATIONS: Operations = {
  'pulls/list-reviews': defineOperation(
    'GET',
    REVIEWS,
    PULLS,
    withPull((call) => createListReply(call, call.pull.reviews, toReviewBody)),
    { query: PAGE_PARAMETERS },
  ),
  'pulls/request-reviewers': defineOperation('POST', REQUESTED, PULLS, withPull(requestReviewers), {
    body: { reviewers: 'texts', team_reviewers: 'texts' },
  }),
}
