import type { IssueState } from './issue-state.ts'
import { type IssueCall, ISSUES_OR_PULLS, operation, type Operations, withIssue } from './operation.ts'
import { PAGE } from './parameters.ts'
import {
  type Call,
  NOT_FOUND,
  type Reply,
  created,
  invalid,
  listReply,
  noContent,
  ok,
  refusal,
  spelledIn,
} from './reply.ts'
import type { RepositoryState } from './repository-state.ts'
import { labelBody } from './resource-body.ts'

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
  { repository, state }: Pick<Call, 'repository' | 'state'>,
  names: readonly string[],
): readonly string[] | Reply {
  const unknown = names.filter((name) => spelledIn(repository.labels, name) === undefined)
  if (unknown.length > 0 && state.permissions.issues !== 'write')
    return refusal(403, 'You do not have permission to create labels on this repository.', {
      errors: [{ resource: 'Repository', field: 'label', code: 'unauthorized' }],
    })
  for (const name of unknown) if (spelledIn(repository.labels, name) === undefined) repository.labels.push(name)
  return names.map((name) => spelledIn(repository.labels, name) ?? name)
}

const isReply = (value: readonly string[] | Reply): value is Reply => 'status' in value

function showLabels(call: Call, { labels }: IssueState): Reply {
  return ok(labels.map((name) => labelBody(call, name)))
}

/** Adds all labels or none. `set` removes the others first. */
const changeLabels =
  (how: 'add' | 'set') =>
  (call: IssueCall): Reply => {
    const { issue, body, nowMs } = call
    const names = readNames(body)
    if (names === undefined)
      return refusal(422, "Invalid request.\n\nFor 'links/1/schema', the body is not an array of labels.")
    const labels = resolveLabels(call, names)
    if (isReply(labels)) return labels
    if (how === 'set') issue.labels.splice(0)
    for (const label of labels) if (!issue.labels.includes(label)) issue.labels.push(label)
    issue.updatedAtMs = nowMs
    return showLabels(call, issue)
  }

function removeLabel(call: IssueCall): Reply {
  const { issue, params, nowMs } = call
  const label = spelledIn(issue.labels, params['name'] ?? '')
  if (label === undefined) return refusal(404, 'Label does not exist')
  issue.labels.splice(issue.labels.indexOf(label), 1)
  issue.updatedAtMs = nowMs
  return showLabels(call, issue)
}

function removeAllLabels({ issue, nowMs }: IssueCall): Reply {
  issue.labels.splice(0)
  issue.updatedAtMs = nowMs
  return noContent()
}

const COLOR = /^[0-9a-f]{6}$/i

function createLabel(call: Call): Reply {
  const { body, repository } = call
  const { name, color, description } = body as { name: string; color?: string; description?: string }
  if (spelledIn(repository.labels, name) !== undefined) return invalid('Label', 'name', 'already_exists')
  if (name.trim() === '') return invalid('Label', 'name', 'missing_field')
  if (color !== undefined && !COLOR.test(color)) return invalid('Label', 'color', 'invalid')
  repository.labels.push(name)
  repository.labelDetails[name] = {
    ...(color !== undefined && { color }),
    ...(description !== undefined && { description }),
  }
  return created(labelBody(call, name))
}

function withLabel(handle: (call: Call, label: string) => Reply): (call: Call) => Reply {
  return (call) => {
    const label = spelledIn(call.repository.labels, call.params['name'] ?? '')
    return label === undefined ? NOT_FOUND : handle(call, label)
  }
}

/** Renames a label in the repository and on every issue, or removes it if there is no new name. */
function replaceEverywhere(
  { labels, issues, pulls, labelDetails }: RepositoryState,
  label: string,
  newName?: string,
): void {
  const replacement = newName === undefined ? [] : [newName]
  for (const list of [
    labels,
    ...[issues, pulls].flatMap((items) => Object.values(items).map((issue) => issue.labels)),
  ]) {
    const index = list.indexOf(label)
    if (index !== -1) list.splice(index, 1, ...replacement)
  }
  const { [label]: details = {} } = labelDetails
  Reflect.deleteProperty(labelDetails, label)
  if (newName !== undefined) labelDetails[newName] = details
}

function updateLabel(call: Call, label: string): Reply {
  const { body, repository } = call
  const {
    new_name: name = label,
    color,
    description,
  } = body as { new_name?: string; color?: string; description?: string }
  const other = spelledIn(repository.labels, name)
  if (other !== undefined && other !== label) return invalid('Label', 'name', 'already_exists')
  if (color !== undefined && !COLOR.test(color)) return invalid('Label', 'color', 'invalid')
  replaceEverywhere(repository, label, name)
  repository.labelDetails[name] = {
    ...repository.labelDetails[name],
    ...(color !== undefined && { color }),
    ...(description !== undefined && { description }),
  }
  return ok(labelBody(call, name))
}

function deleteLabel({ repository }: Call, label: string): Reply {
  replaceEverywhere(repository, label)
  return noContent()
}

const ISSUE_LABELS = '/issues/{issue_number}/labels'
const LABEL = '/labels/{name}'
const NAMES = { body: { labels: 'any' } } as const
const DETAILS = { color: 'text', description: 'text or null' } as const

/** Labels of repositories, issues and pull requests. */
export const LABEL_OPERATIONS: Operations = {
  'issues/list-labels-for-repo': operation(
    'GET',
    '/labels',
    ISSUES_OR_PULLS,
    (call) => listReply(call, call.repository.labels, labelBody),
    { query: PAGE },
  ),
  'issues/create-label': operation('POST', '/labels', ['issues'], createLabel, {
    body: { name: 'text', ...DETAILS },
    required: ['name'],
  }),
  'issues/get-label': operation(
    'GET',
    LABEL,
    ISSUES_OR_PULLS,
    withLabel((call, label) => ok(labelBody(call, label))),
  ),
  'issues/update-label': operation('PATCH', LABEL, ['issues'], withLabel(updateLabel), {
    body: { new_name: 'text', ...DETAILS },
  }),
  'issues/delete-label': operation('DELETE', LABEL, ['issues'], withLabel(deleteLabel)),
  'issues/list-labels-on-issue': operation(
    'GET',
    ISSUE_LABELS,
    ISSUES_OR_PULLS,
    withIssue((call) => listReply(call, call.issue.labels, labelBody)),
    { query: PAGE },
  ),
  'issues/add-labels': operation('POST', ISSUE_LABELS, ISSUES_OR_PULLS, withIssue(changeLabels('add')), NAMES),
  'issues/set-labels': operation('PUT', ISSUE_LABELS, ISSUES_OR_PULLS, withIssue(changeLabels('set')), NAMES),
  'issues/remove-all-labels': operation('DELETE', ISSUE_LABELS, ISSUES_OR_PULLS, withIssue(removeAllLabels)),
  'issues/remove-label': operation('DELETE', `${ISSUE_LABELS}/{name}`, ISSUES_OR_PULLS, withIssue(removeLabel)),
}
