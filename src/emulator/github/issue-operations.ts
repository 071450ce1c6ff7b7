import {
  type IssueCall,
  ISSUES_OR_PULLS,
  type Operations,
  PULLS,
  type PullCall,
  reads,
  withIssue,
  withPull,
  writes,
} from './operation.ts'
import { issueFields, pullBody } from './pull-body.ts'
import { sortIssues } from './pull-operations.ts'
import { type Call, type Reply, created, listReply, ok, refusal, spelledIn, wireTime } from './reply.ts'
import { labelBody, reviewerBody, userBody } from './resource-body.ts'
import type { IssueState } from './issue-state.ts'
import { type ReviewEvent, requestedReviewers } from './pull-state.ts'
import { takeId } from './state.ts'

function issueBody(call: Call, number: number, issue: IssueState): object {
  const { name, baseUrl } = call
  const page = `${baseUrl}/${name}/${'branch' in issue ? 'pull' : 'issues'}/${number}`
  return {
    ...issueFields(call, number, issue),
    html_url: page,
    comments: issue.comments.length,
    ...('branch' in issue ? { pull_request: { html_url: page } } : {}),
  }
}

/** Whoever may read no pull requests sees none in the list, and no refusal. */
function listIssues(call: Call): Reply {
  const { issues, pulls } = call.repository
  const labels = call.query.get('labels')?.split(',') ?? []
  const seen = { ...issues, ...(call.state.permissions['pull-requests'] === undefined ? {} : pulls) }
  const found = sortIssues(call, seen).filter(([, issue]) =>
    labels.every((label) => spelledIn(issue.labels, label) !== undefined),
  )
  return listReply(call, found, ([number, issue]) => issueBody(call, number, issue))
}

/** One that the repository does not know is made. */
function addLabels({ issue, body, repository, nowMs }: IssueCall): Reply {
  const given: readonly unknown[] = Array.isArray(body['labels']) ? body['labels'] : []
  for (const asked of given.filter((one) => typeof one === 'string')) {
    const label = spelledIn(repository.labels, asked) ?? asked
    if (spelledIn(issue.labels, label) === undefined) issue.labels.push(label)
    if (!repository.labels.includes(label)) repository.labels.push(label)
  }
  issue.updatedAtMs = nowMs
  return ok(issue.labels.map((name) => labelBody(repository, name)))
}

/** All who are named, or nobody: one who has no access stops the request, and so does the author. */
function requestReviews(call: PullCall): Reply {
  const { pull, number, state, repository, name, body, nowMs } = call
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

/** Of all that happens, what is about reviews. */
function listEvents(call: IssueCall): Reply {
  const events = 'reviewEvents' in call.issue ? call.issue.reviewEvents : []
  return listReply(call, events, (event) => eventBody(call, event))
}

const ISSUE = '/issues/{issue_number}'
const REVIEWERS = '/pulls/{pull_number}/requested_reviewers'

/** Issues, and what pull requests have in common with them: labels, and who is asked for reviews. */
export const ISSUE_OPERATIONS: Operations = {
  'issues/list-for-repo': reads('/issues', ['issues'], listIssues),
  'issues/add-labels': writes('POST', `${ISSUE}/labels`, ISSUES_OR_PULLS, withIssue(addLabels)),
  'issues/list-events-for-timeline': reads(`${ISSUE}/timeline`, ISSUES_OR_PULLS, withIssue(listEvents)),
  'pulls/request-reviewers': writes('POST', REVIEWERS, PULLS, withPull(requestReviews)),
}
