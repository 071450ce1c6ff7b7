import type { IssueState } from './issue-state.ts'
import { type IssueCall, ISSUES_OR_PULLS, defineOperation, type Operations, withIssue } from './operation.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import {
  type Call,
  NOT_FOUND,
  type Reply,
  created,
  refuseField,
  createListReply,
  noContent,
  ok,
  refuse,
  findIgnoringCase,
} from './reply.ts'
import type { RepositoryState } from './repository-state.ts'
import { toLabelBody } from './resource-body.ts'

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
  const unknown = names.filter((name) => findIgnoringCase(repository.labels, name) === undefined)
  if (unknown.length > 0 && state.permissions.issues !== 'write')
    return refuse(403, 'You do not have permission to create labels on this repository.', {
      errors: [{ resource: 'Repository', field: 'label', code: 'unauthorized' }],
    })
  for (const name of unknown) if (findIgnoringCase(repository.labels, name) === undefined) repository.labels.push(name)
  return names.map((name) => findIgnoringCase(repository.labels, name) ?? name)
}

const isReply = (value: readonly string[] | Reply): value is Reply => 'status' in value

function showLabels(call: Call, { labels }: IssueState): Reply {
  return ok(labels.map((name) => toLabelBody(call, name)))
}

/** Adds all labels or none. `set` removes the others first. */
const changeLabels =
  (how: 'add' | 'set') =>
  (call: IssueCall): Reply => {
    const { issue, body, nowMs } = call
    const names = readNames(body)
    if (names === undefined)
      return refuse(422, "Invalid request.\n\nFor 'links/1/schema', the body is not an array of labels.")
    const labels = resolveLabels(call, names)
    if (isReply(labels)) return labels
    if (how === 'set') issue.labels.splice(0)
    for (const label of labels) if (!issue.labels.includes(label)) issue.labels.push(label)
    issue.updatedAtMs = nowMs
    return showLabels(call, issue)
  }

function removeLabel(call: IssueCall): Reply {
  const { issue, params, nowMs } = call
  const label = findIgnoringCase(issue.labels, params['name'] ?? '')
  if (label === undefined) return refuse(404, 'Label does not exist')
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
  if (findIgnoringCase(repository.labels, name) !== undefined) return refuseField('Label', 'name', 'already_exists')
  if (name.trim() === '') return refuseField('Label', 'name', 'missing_field')
  if (color !== undefined && !COLOR.test(color)) return refuseField('Label', 'color', 'invalid')
  repository.labels.push(name)
  repository.labelDetails[name] = {
    ...(color !== undefined && { color }),
    ...(description !== undefined && { description }),
  }
  return created(toLabelBody(call, name))
}

function withLabel(handle: (call: Call, label: string) => Reply): (call: Call) => Reply {
  return (call) => {
    const label = findIgnoringCase(call.repository.labels, call.params['name'] ?? '')
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
  const other = findIgnoringCase(repository.labels, name)
  if (other !== undefined && other !== label) return refuseField('Label', 'name', 'already_exists')
  if (color !== undefined && !COLOR.test(color)) return refuseField('Label', 'color', 'invalid')
  replaceEverywhere(repository, label, name)
  repository.labelDetails[name] = {
    ...repository.labelDetails[name],
    ...(color !== undefined && { color }),
    ...(description !== undefined && { description }),
  }
  return ok(toLabelBody(call, name))
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
  'issues/list-labels-for-repo': defineOperation(
    'GET',
    '/labels',
    ISSUES_OR_PULLS,
    (call) => createListReply(call, call.repository.labels, toLabelBody),
    { query: PAGE_PARAMETERS },
  ),
  'issues/create-label': defineOperation('POST', '/labels', ['issues'], createLabel, {
    body: { name: 'text', ...DETAILS },
    required: ['name'],
  }),
  'issues/get-label': defineOperation(
    'GET',
    LABEL,
    ISSUES_OR_PULLS,
    withLabel((call, label) => ok(toLabelBody(call, label))),
  ),
  'issues/update-label': defineOperation('PATCH', LABEL, ['issues'], withLabel(updateLabel), {
    body: { new_name: 'text', ...DETAILS },
  }),
  'issues/delete-label': defineOperation('DELETE', LABEL, ['issues'], withLabel(deleteLabel)),
  'issues/list-labels-on-issue': defineOperation(
    'GET',
    ISSUE_LABELS,
    ISSUES_OR_PULLS,
    withIssue((call) => createListReply(call, call.issue.labels, toLabelBody)),
    { query: PAGE_PARAMETERS },
  ),
  'issues/add-labels': defineOperation('POST', ISSUE_LABELS, ISSUES_OR_PULLS, withIssue(changeLabels('add')), NAMES),
  'issues/set-labels': defineOperation('PUT', ISSUE_LABELS, ISSUES_OR_PULLS, withIssue(changeLabels('set')), NAMES),
  'issues/remove-all-labels': defineOperation('DELETE', ISSUE_LABELS, ISSUES_OR_PULLS, withIssue(removeAllLabels)),
  'issues/remove-label': defineOperation('DELETE', `${ISSUE_LABELS}/{name}`, ISSUES_OR_PULLS, withIssue(removeLabel)),
}
