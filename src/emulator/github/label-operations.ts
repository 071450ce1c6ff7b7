import { type IssueCall, ISSUES_OR_PULLS, defineOperation, type Operations, withIssue } from './operation.ts'
import {
  type GitHubCall,
  NOT_FOUND,
  type Reply,
  created,
  createListReply,
  formatTime,
  getApiUrl,
  refuseField,
  ok,
  replyWithError,
  findIgnoringCase,
} from './reply.ts'
import { toNodeId } from './node-id.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { toLabelBody, toUserBody } from './resource-body.ts'
import { takeId } from './state.ts'

/**
 * Returns the label names of a body. Names are strings or objects with a name, in an array or in the field `labels`.
 * @returns undefined for an invalid body
 */
function readNames(body: IssueCall['body']): readonly string[] | undefined {
  const given = Array.isArray(body) ? (body as readonly unknown[]) : body['labels']
  if (!Array.isArray(given)) return undefined
  const names = given.map((label: unknown) =>
    typeof label === 'object' && label !== null ? (label as { name?: unknown }).name : label,
  )
  return names.every((name) => typeof name === 'string' && name.trim() !== '') ? (names as string[]) : undefined
}

/**
 * Returns labels as the repository spells them, and creates missing ones. Creating a label requires `issues: write`, even for
 * a pull request (actions/labeler#870). Adding an existing label does not.
 */
export function resolveLabels(
  { repository, state }: Pick<GitHubCall, 'repository' | 'state'>,
  names: readonly string[],
): readonly string[] | Reply {
  const unknown = names.filter((name) => findIgnoringCase(repository.labels, name) === undefined)
  if (unknown.length > 0 && state.permissions.issues !== 'write')
    return replyWithError(403, 'You do not have permission to create labels on this repository.', {
      errors: [{ resource: 'Repository', field: 'label', code: 'unauthorized' }],
    })
  for (const name of unknown) if (findIgnoringCase(repository.labels, name) === undefined) repository.labels.push(name)
  return names.map((name) => findIgnoringCase(repository.labels, name) ?? name)
}

const isReply = (value: readonly string[] | Reply): value is Reply => 'status' in value

/** Adds all labels or none. */
function addLabels(call: IssueCall): Reply {
  const { issue, body, nowMs, state } = call
  const names = readNames(body)
  if (names === undefined)
    return replyWithError(422, "Invalid request.\n\nFor 'links/1/schema', the body is not an array of labels.")
  const labels = resolveLabels(call, names)
  if (isReply(labels)) return labels
  for (const label of labels) {
    if (issue.labels.includes(label)) continue
    issue.labels.push(label)
    issue.labelEvents.push({ id: takeId(state), label, user: state.identity, atMs: nowMs })
  }
  issue.updatedAtMs = nowMs
  return ok(issue.labels.map((name) => toLabelBody(call, name)))
}

/** Lists the events of an issue or a pull request. Only those of its labels are played. */
function listEvents(call: IssueCall): Reply {
  return createListReply(call, call.issue.labelEvents, (_call, { id, label, user, atMs }) => ({
    id,
    node_id: toNodeId('LE', call.repository.id, id),
    url: getApiUrl(call, `/issues/events/${id}`),
    actor: toUserBody(call.state, user),
    event: 'labeled',
    commit_id: null,
    commit_url: null,
    created_at: formatTime(atMs),
    performed_via_github_app: null,
    label: { name: label, color: 'ededed' },
  }))
}

function createLabel(call: GitHubCall): Reply {
  const { body, repository } = call
  const { name } = body as { name: string }
  if (findIgnoringCase(repository.labels, name) !== undefined) return refuseField('Label', 'name', 'already_exists')
  if (name.trim() === '') return refuseField('Label', 'name', 'missing_field')
  repository.labels.push(name)
  return created(toLabelBody(call, name))
}

function getLabel(call: GitHubCall): Reply {
  const label = findIgnoringCase(call.repository.labels, call.params['name'] ?? '')
  return label === undefined ? NOT_FOUND : ok(toLabelBody(call, label))
}

/** Labels of repositories, issues and pull requests. */
export const LABEL_OPERATIONS: Operations = {
  'issues/create-label': defineOperation('POST', '/labels', ['issues'], createLabel, {
    body: { name: 'text' },
    required: ['name'],
    unsupported: ['color', 'description'],
  }),
  'issues/get-label': defineOperation('GET', '/labels/{name}', ISSUES_OR_PULLS, getLabel),
  'issues/add-labels': defineOperation('POST', '/issues/{issue_number}/labels', ISSUES_OR_PULLS, withIssue(addLabels), {
    body: { labels: 'any' },
  }),
  'issues/list-events': defineOperation(
    'GET',
    '/issues/{issue_number}/events',
    ISSUES_OR_PULLS,
    withIssue(listEvents),
    {
      query: PAGE_PARAMETERS,
    },
  ),
}
