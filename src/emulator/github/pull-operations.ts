import {
  CONTENTS,
  type IssueCall,
  ISSUES_OR_PULLS,
  type Operations,
  PULLS,
  type PullCall,
  operation,
  withIssue,
  withPull,
} from './operation.ts'
import { isMergeable, issueFields, pullBody, shownChange, wholePullBody } from './pull-body.ts'
import { type Call, type Reply, created, listReply, ok, refusal, spelledIn, wireTime } from './reply.ts'
import { commitBody, labelBody, reviewerBody, userBody } from './resource-body.ts'
import { mergePull } from './repository-events.ts'
import type { IssueState } from './issue-state.ts'
import { type ReviewEvent, requestedReviewers } from './pull-state.ts'
import { takeId } from './state.ts'

const MOST_COMMITS = 250
const NOT_MERGEABLE = refusal(405, 'Pull Request is not mergeable')

/** Sorted and filtered as the lists of pull requests and of issues are: open ones, newest first, unless told otherwise. */
function sortIssues<T extends IssueState>(
  { query }: Call,
  issues: Readonly<Record<number, T>>,
): readonly (readonly [number: number, issue: T])[] {
  const wanted = query.get('state') ?? 'open'
  const time = query.get('sort') === 'updated' ? 'updatedAtMs' : 'createdAtMs'
  const sign = query.get('direction') === 'asc' ? 1 : -1
  return Object.entries(issues)
    .map(([number, issue]) => [Number(number), issue] as const)
    .filter(([, { state }]) => wanted === 'all' || state === wanted)
    .sort(([a, one], [b, other]) => sign * (one[time] - other[time] || a - b))
}

function listPulls(call: Call): Reply {
  const { query, name, state, nowMs } = call
  const owner = name.split('/')[0] ?? ''
  const head = query.get('head')
  const found = sortIssues(call, call.repository.pulls).filter(
    ([, pull]) =>
      nowMs >= pull.createdAtMs + state.lag.newPullMs && (head === null || head === `${owner}:${pull.branch}`),
  )
  return listReply(call, found, (_call, [number, pull]) => pullBody(call, number, pull))
}

function listCommits(call: PullCall): Reply {
  const commits = shownChange(call, call.pull).ahead.slice(0, MOST_COMMITS)
  return listReply(call, commits, commitBody)
}

function merge(call: PullCall): Reply {
  const { pull, number, repository, state, nowMs, body } = call
  const { sha, merge_method: method = 'merge' } = body
  if (pull.state !== 'open' || pull.draft || pull.blocked || isMergeable(call, pull) === false) return NOT_MERGEABLE
  if (sha !== undefined && sha !== pull.headSha)
    return refusal(409, 'Head branch was modified. Review and try the merge again.')
  // As in a repository that allows no other.
  if (method !== 'squash') return refusal(405, 'Merge commits are not allowed on this repository.')
  const made = mergePull(repository, number, state.identity, nowMs)
  if (made === undefined) return NOT_MERGEABLE
  return ok({ sha: made.sha, merged: true, message: 'Pull Request successfully merged' })
}

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
  return listReply(call, found, (_call, [number, issue]) => issueBody(call, number, issue))
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
  const asks = { event: 'review_requested', actor: state.identity, atMs: nowMs } as const
  for (const one of names.filter((one) => !due.includes(one)))
    pull.reviewEvents.push({ ...asks, id: takeId(state), name: one })
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
  return listReply(call, events, eventBody)
}

const PULL = '/pulls/{pull_number}'
const ISSUE = '/issues/{issue_number}'

const getPull = withPull((call) => ok(wholePullBody(call)))

/** Pull requests and issues: their lists, labels, commits and reviews, and merges. */
export const PULL_OPERATIONS: Operations = {
  'pulls/list': operation('GET', '/pulls', PULLS, listPulls),
  'pulls/get': operation('GET', PULL, PULLS, getPull),
  'pulls/list-commits': operation('GET', `${PULL}/commits`, PULLS, withPull(listCommits)),
  'pulls/merge': operation('PUT', `${PULL}/merge`, CONTENTS, withPull(merge)),
  'pulls/request-reviewers': operation('POST', `${PULL}/requested_reviewers`, PULLS, withPull(requestReviews)),
  'issues/list-for-repo': operation('GET', '/issues', ['issues'], listIssues),
  'issues/add-labels': operation('POST', `${ISSUE}/labels`, ISSUES_OR_PULLS, withIssue(addLabels)),
  'issues/list-events-for-timeline': operation('GET', `${ISSUE}/timeline`, ISSUES_OR_PULLS, withIssue(listEvents)),
}
