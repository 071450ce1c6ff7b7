import { type CrossReference, listCrossReferences } from './cross-references.ts'
import { type IssueState, isAssignedTo, isMentioned, createIssueState } from './issue-state.ts'
import { resolveLabels } from './label-operations.ts'
import { type IssueCall, ISSUES_OR_PULLS, defineOperation, type Operations, withIssue } from './operation.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { toIssueFields } from './pull-body.ts'
import {
  type Call,
  type Reply,
  getApiUrl,
  created,
  refuseField,
  createListReply,
  noContent,
  ok,
  refuse,
  findIgnoringCase,
  formatTime,
} from './reply.ts'
import { closeIssue, reopenIssue, takeNumber } from './repository-changes.ts'
import type { ReviewEvent } from './pull-state.ts'
import { toReactionsBody, toReviewerBody, toUserBody } from './resource-body.ts'

/** GitHub defines `popularity` as the number of comments. */
const SORT_KEYS: Readonly<Record<string, (issue: IssueState) => number>> = {
  created: ({ createdAtMs }) => createdAtMs,
  updated: ({ updatedAtMs }) => updatedAtMs,
  comments: ({ comments }) => comments.length,
  popularity: ({ comments }) => comments.length,
  'long-running': ({ createdAtMs }) => createdAtMs,
}

/** Filters by the query's `state`, and sorts by its `sort` and `direction`. */
export function selectIssues<T extends IssueState>(
  { query }: Pick<Call, 'query'>,
  issues: Readonly<Record<number, T>>,
  defaultDirection: 'asc' | 'desc',
): readonly (readonly [number: number, issue: T])[] {
  const stateFilter = query.get('state') ?? 'open'
  const key = SORT_KEYS[query.get('sort') ?? 'created'] ?? (() => 0)
  const sign = (query.get('direction') ?? defaultDirection) === 'asc' ? 1 : -1
  return Object.entries(issues)
    .map(([number, issue]) => [Number(number), issue] as const)
    .filter(([, { state }]) => stateFilter === 'all' || state === stateFilter)
    .sort(([a, first], [b, second]) => sign * (key(first) - key(second) || a - b))
}

/** The parameters that lists of issues and of pull requests share. */
export const LIST_PARAMETERS = { state: ['open', 'closed', 'all'], direction: ['asc', 'desc'] } as const

export function toIssueBody(call: Call, number: number, issue: IssueState): object {
  const { name, baseUrl } = call
  const page = `${baseUrl}/${name}/${'branch' in issue ? 'pull' : 'issues'}/${number}`
  const url = getApiUrl(call, `/issues/${number}`)
  const { stateReason = 'completed' } = issue
  return {
    ...toIssueFields(call, number, issue),
    url,
    repository_url: getApiUrl(call, ''),
    comments_url: `${url}/comments`,
    labels_url: `${url}/labels{/name}`,
    timeline_url: `${url}/timeline`,
    html_url: page,
    comments: issue.comments.length,
    reactions: toReactionsBody(url, []),
    ...('branch' in issue
      ? { pull_request: { url: getApiUrl(call, `/pulls/${number}`), html_url: page } }
      : { state_reason: issue.state === 'closed' || stateReason === 'reopened' ? stateReason : null }),
  }
}

/** Without permission to read pull requests, GitHub omits them instead of refusing the request. */
function listIssues(call: Call): Reply {
  const { issues, pulls } = call.repository
  const labels = call.query.get('labels')?.split(',') ?? []
  const visible = { ...issues, ...(call.state.permissions['pull-requests'] === undefined ? {} : pulls) }
  const [creator, since, assignee, mentioned] = ['creator', 'since', 'assignee', 'mentioned'].map((name) =>
    call.query.get(name),
  )
  const sinceMs = Date.parse(since ?? '') || -Infinity
  const found = selectIssues(call, visible, 'desc').filter(
    ([, issue]) =>
      labels.every((label) => findIgnoringCase(issue.labels, label) !== undefined) &&
      findIgnoringCase([issue.user], creator ?? issue.user) !== undefined &&
      (typeof assignee !== 'string' || isAssignedTo(issue, assignee)) &&
      (typeof mentioned !== 'string' || isMentioned(issue, mentioned)) &&
      issue.updatedAtMs >= sinceMs,
  )
  return createListReply(call, found, (_call, [number, issue]) => toIssueBody(call, number, issue))
}

interface IssueFields {
  readonly title?: string
  readonly body?: string | null
  readonly state?: 'open' | 'closed'
  readonly state_reason?: IssueState['stateReason'] | null
  readonly labels?: readonly unknown[]
  readonly assignees?: readonly string[]
}

/** A label is a string or an object with a name. */
const toNames = (labels: readonly unknown[]): readonly string[] =>
  labels.map((label) => (typeof label === 'string' ? label : String((label as { name?: unknown } | null)?.name)))

/** GitHub silently ignores users who cannot be assigned. */
function selectAssignees({ repository, state }: Call, logins: readonly string[]): readonly string[] {
  const known = [...Object.keys(repository.collaborators), state.identity]
  return logins.flatMap((login) => findIgnoringCase(known, login) ?? [])
}

function createIssue(call: Call): Reply {
  const { repository, state, nowMs } = call
  const { title = '', body, labels = [], assignees = [] } = call.body as IssueFields
  if (title.trim() === '') return refuseField('Issue', 'title')
  const resolved = resolveLabels(call, toNames(labels))
  if ('status' in resolved) return resolved
  const number = takeNumber(repository)
  const text = { title, body: body ?? '', user: state.identity }
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
  const known = [...selectAssignees(call, assignees)]
  const issue = createIssueState({ ...text, ...times, labels: [...resolved], assignees: known })
  repository.issues[number] = issue
  return created(toIssueBody(call, number, issue))
}

function updateIssue(call: IssueCall): Reply {
  const { repository, number, issue, nowMs } = call
  const { title, body, state, state_reason: reason, labels, assignees } = call.body as IssueFields
  if (title?.trim() === '') return refuseField('Issue', 'title')
  if ('merge' in issue && issue.merge !== undefined && state === 'open')
    return refuse(422, 'Validation Failed', {
      errors: [{ resource: 'Issue', field: 'state', code: 'invalid', message: 'The pull request cannot be reopened.' }],
    })
  const resolved = labels === undefined ? undefined : resolveLabels(call, toNames(labels))
  if (resolved !== undefined && 'status' in resolved) return resolved
  if (title !== undefined) issue.title = title
  if (body !== undefined) issue.body = body ?? ''
  if (resolved !== undefined) issue.labels.splice(0, Infinity, ...resolved)
  if (assignees !== undefined) issue.assignees.splice(0, Infinity, ...selectAssignees(call, assignees))
  if (state === 'closed' && issue.state === 'open') closeIssue(repository, issue, nowMs)
  if (state === 'open' && issue.state === 'closed') reopenIssue(issue, nowMs)
  if (reason !== undefined) issue.stateReason = reason ?? undefined
  issue.updatedAtMs = nowMs
  return ok(toIssueBody(call, number, issue))
}

const changeAssignees =
  (how: 'add' | 'remove') =>
  (call: IssueCall): Reply => {
    const { number, issue, nowMs } = call
    const { assignees = [] } = call.body as IssueFields
    for (const login of selectAssignees(call, assignees)) {
      const index = issue.assignees.indexOf(login)
      if (how === 'add' && index === -1) issue.assignees.push(login)
      if (how === 'remove' && index !== -1) issue.assignees.splice(index, 1)
    }
    issue.updatedAtMs = nowMs
    const body = toIssueBody(call, number, issue)
    return how === 'add' ? created(body) : ok(body)
  }

function lock({ issue, body }: IssueCall): Reply {
  issue.locked = true
  issue.lockReason = (body as { readonly lock_reason?: string }).lock_reason
  return noContent()
}

function unlock({ issue }: IssueCall): Reply {
  issue.locked = false
  issue.lockReason = undefined
  return noContent()
}

function toEventBody(call: Call, { id, event, actor, name, atMs }: ReviewEvent): object {
  if (event === 'reviewed') return { id, event, user: toUserBody(call.state, name), submitted_at: formatTime(atMs) }
  const [requester, reviewer] = [toUserBody(call.state, actor), toReviewerBody(call, name)]
  const requested = 'user' in reviewer ? { requested_reviewer: reviewer.user } : { requested_team: reviewer.team }
  return { id, event, actor: requester, review_requester: requester, created_at: formatTime(atMs), ...requested }
}

function toCrossReferenceBody(call: Call, { name, repository, number, issue, user, atMs }: CrossReference): object {
  const at = formatTime(atMs)
  const source = { type: 'issue', issue: toIssueBody({ ...call, name, repository }, number, issue) }
  return { event: 'cross-referenced', actor: toUserBody(call.state, user), created_at: at, updated_at: at, source }
}

/** Lists only events about reviews and cross-references. Other events are not recorded. */
function listEvents(call: IssueCall): Reply {
  const reviews = 'reviewEvents' in call.issue ? call.issue.reviewEvents : []
  const references = listCrossReferences(call.state, call.repository, call.number)
  const events = [
    ...reviews.map((event) => ({ atMs: event.atMs, body: toEventBody(call, event) })),
    ...references.map((reference) => ({ atMs: reference.atMs, body: toCrossReferenceBody(call, reference) })),
  ]
  return createListReply(
    call,
    events.toSorted((a, b) => a.atMs - b.atMs),
    (_call, { body }) => body,
  )
}

const ISSUE = '/issues/{issue_number}'
const ASSIGNEES = `${ISSUE}/assignees`
const LOCK = `${ISSUE}/lock`
const TEXT = { title: 'text', body: 'text or null', labels: 'any', assignees: 'texts' } as const
const UNSUPPORTED = ['assignee', 'milestone', 'issue_field_values', 'type'] as const

/** Issues, and the properties that pull requests share with them: state, assignees, locks, timeline. */
export const ISSUE_OPERATIONS: Operations = {
  'issues/list-for-repo': defineOperation('GET', '/issues', ['issues'], listIssues, {
    query: {
      ...PAGE_PARAMETERS,
      ...LIST_PARAMETERS,
      labels: 'text',
      creator: 'text',
      assignee: 'text',
      mentioned: 'text',
      since: 'time',
      sort: ['created', 'updated', 'comments'],
    },
    unsupported: ['milestone', 'type', 'issue_field_values'],
  }),
  'issues/create': defineOperation('POST', '/issues', ['issues'], createIssue, {
    body: TEXT,
    required: ['title'],
    unsupported: UNSUPPORTED,
  }),
  'issues/get': defineOperation(
    'GET',
    ISSUE,
    ISSUES_OR_PULLS,
    withIssue((call) => ok(toIssueBody(call, call.number, call.issue))),
  ),
  'issues/update': defineOperation('PATCH', ISSUE, ISSUES_OR_PULLS, withIssue(updateIssue), {
    body: {
      ...TEXT,
      state: ['open', 'closed'],
      state_reason: ['completed', 'not_planned', 'reopened'],
    },
    unsupported: [...UNSUPPORTED, 'duplicate_issue_id'],
  }),
  'issues/add-assignees': defineOperation('POST', ASSIGNEES, ISSUES_OR_PULLS, withIssue(changeAssignees('add')), {
    body: { assignees: 'texts' },
  }),
  'issues/remove-assignees': defineOperation(
    'DELETE',
    ASSIGNEES,
    ISSUES_OR_PULLS,
    withIssue(changeAssignees('remove')),
    {
      body: { assignees: 'texts' },
      required: ['assignees'],
    },
  ),
  'issues/lock': defineOperation('PUT', LOCK, ISSUES_OR_PULLS, withIssue(lock), {
    body: { lock_reason: ['off-topic', 'too heated', 'resolved', 'spam'] },
  }),
  'issues/unlock': defineOperation('DELETE', LOCK, ISSUES_OR_PULLS, withIssue(unlock)),
  'issues/list-events-for-timeline': defineOperation(
    'GET',
    `${ISSUE}/timeline`,
    ISSUES_OR_PULLS,
    withIssue(listEvents),
    {
      query: PAGE_PARAMETERS,
      unsupported: ['exclude'],
    },
  ),
}
