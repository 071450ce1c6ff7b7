import type { IssueState } from './issue-state.ts'
import { defineOperation, type Operations } from './operation.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { toIssueFields } from './pull-body.ts'
import { type GitHubCall, type Reply, getApiUrl, createListReply, findIgnoringCase } from './reply.ts'
import { toReactionsBody } from './resource-body.ts'

const SORT_KEYS: Readonly<Record<string, (issue: IssueState) => number>> = {
  created: ({ createdAtMs }) => createdAtMs,
  updated: ({ updatedAtMs }) => updatedAtMs,
}

/** Filters by the query's `state`, and sorts by its `sort` and `direction`. */
export function selectIssues<T extends IssueState>(
  { query }: Pick<GitHubCall, 'query'>,
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

export function toIssueBody(call: GitHubCall, number: number, issue: IssueState): object {
  const { name, baseUrl } = call
  const page = `${baseUrl}/${name}/${'branch' in issue ? 'pull' : 'issues'}/${number}`
  const url = getApiUrl(call, `/issues/${number}`)
  return {
    ...toIssueFields(call, number, issue),
    url,
    repository_url: getApiUrl(call, ''),
    comments_url: `${url}/comments`,
    labels_url: `${url}/labels{/name}`,
    timeline_url: `${url}/timeline`,
    html_url: page,
    comments: issue.comments.length,
    reactions: toReactionsBody(url, issue.reactions),
    ...('branch' in issue
      ? { pull_request: { url: getApiUrl(call, `/pulls/${number}`), html_url: page } }
      : { state_reason: issue.state === 'closed' ? 'completed' : null }),
  }
}

/** Without permission to read pull requests, GitHub omits them instead of refusing the request. */
function listIssues(call: GitHubCall): Reply {
  const { issues, pulls } = call.repository
  const labels = call.query.get('labels')?.split(',') ?? []
  const visible = { ...issues, ...(call.state.permissions['pull-requests'] === undefined ? {} : pulls) }
  const found = selectIssues(call, visible, 'desc').filter(([, issue]) =>
    labels.every((label) => findIgnoringCase(issue.labels, label) !== undefined),
  )
  return createListReply(call, found, (_call, [number, issue]) => toIssueBody(call, number, issue))
}

/** Lists of issues. */
export const ISSUE_OPERATIONS: Operations = {
  'issues/list-for-repo': defineOperation('GET', '/issues', ['issues'], listIssues, {
    query: {
      ...PAGE_PARAMETERS,
      ...LIST_PARAMETERS,
      labels: 'text',
      sort: ['created', 'updated'],
    },
    unsupported: [
      'sort=comments',
      'creator',
      'since',
      'assignee',
      'mentioned',
      'milestone',
      'type',
      'issue_field_values',
    ],
  }),
}
