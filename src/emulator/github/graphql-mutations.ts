import { enableAutoMerge } from './auto-merge.ts'
import { NotImplementedError, createError, requireAccess } from './graphql-errors.ts'
import { toCommentView, toIssueView, toPullView, toReviewView } from './graphql-views.ts'
import { type NodeKind, parseNodeId } from './node-id.ts'
import type { PullCall } from './operation.ts'
import { performOperation } from './perform-operation.ts'
import type { MergeMethod } from './pull-state.ts'
import { type Call, type Reply, findIgnoringCase } from './reply.ts'

/** The input of a mutation. Null and absent fields mean the same. */
type Input = Readonly<Record<string, unknown>>

/** Returns the call for the repository with this id. */
export type FindCall = (repositoryId: number) => Call | undefined

interface Subject {
  readonly call: Call
  readonly kind: NodeKind
  readonly key: string
}

const TYPES: Readonly<Partial<Record<NodeKind, string>>> = {
  R: 'Repository',
  PR: 'PullRequest',
  I: 'Issue',
  IC: 'IssueComment',
  LA: 'Label',
}

/** Finds the object that a node id names. */
function findSubject(findCall: FindCall, id: unknown, kinds: readonly NodeKind[]): Subject {
  const node = parseNodeId(String(id))
  const call = node === undefined ? undefined : findCall(node.repositoryId)
  if (node !== undefined && call !== undefined && kinds.includes(node.kind)) return { ...node, call }
  const expected = kinds.length === 1 ? `${TYPES[kinds[0] ?? 'PR'] ?? 'a'} node` : 'a node'
  throw createError('NOT_FOUND', `Could not resolve to ${expected} with the global id of '${String(id)}'.`)
}

const ERROR_TYPES: Readonly<Record<number, string>> = { 403: 'FORBIDDEN', 404: 'NOT_FOUND' }

/** Converts an error response of REST to a GraphQL error with the most specific message. */
function toError({ status, body }: Reply): Error {
  const { message, errors } = body as { readonly message: string; readonly errors?: readonly unknown[] }
  if (status === 501) return new NotImplementedError(message.replace(/^.* does not play |\.$/g, ''))
  const details = (errors ?? []).flatMap((detail) => {
    const text = typeof detail === 'string' ? detail : (detail as { readonly message?: string }).message
    return text === undefined ? [] : [text]
  })
  return createError(ERROR_TYPES[status] ?? 'UNPROCESSABLE', details[0] ?? message)
}

/** Performs the REST operation, so that both APIs allow and refuse the same requests. */
function perform(call: Call, operationName: string, params: Call['params'], body: Input = {}): Reply {
  const given = Object.entries(body).filter(([, value]) => value !== null && value !== undefined)
  const reply = performOperation(operationName, { ...call, params, body: Object.fromEntries(given) })
  if (reply.status >= 400) throw toError(reply)
  return reply
}

const toList = (ids: unknown): readonly unknown[] => (Array.isArray(ids) ? ids : [])

const toLowerCase = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.toLowerCase() : undefined

/** Creates a mutation that changes a pull request and returns it. */
const createPullMutation =
  (change: (call: Call, input: Input, number: string) => void) =>
  (input: Input, findCall: FindCall): object => {
    const { call, key } = findSubject(findCall, input['pullRequestId'], ['PR'])
    change(call, input, key)
    const pull = call.repository.pulls[Number(key)]
    return { pullRequest: pull === undefined ? null : toPullView(call, Number(key), pull) }
  }

/** Creates a mutation that performs a REST operation on a pull request. */
const createRestMutation = (operationName: string, toBody: (input: Input) => Input) =>
  createPullMutation((call, input, number) => {
    perform(call, operationName, { pull_number: number }, toBody(input))
  })

/**
 * Creates a mutation that has no equivalent in REST.
 * @param change returns an error message, or undefined on success
 * @param needs the REST operation with the same permissions
 */
const createDirectMutation = (change: (call: PullCall, input: Input) => string | undefined, needs = 'pulls/update') =>
  createPullMutation((call, input, number) => {
    requireAccess(call, needs)
    const pull = call.repository.pulls[Number(number)]
    if (pull === undefined) throw createError('NOT_FOUND', 'Could not resolve to a PullRequest.')
    const problem = change({ ...call, number: Number(number), pull }, input)
    if (problem !== undefined) throw createError('UNPROCESSABLE', problem)
    pull.updatedAtMs = call.nowMs
  })

const createStateMutation = (state: 'open' | 'closed') => createRestMutation('pulls/update', () => ({ state }))

function enable(call: PullCall, input: Input): string | undefined {
  const { expectedHeadOid, mergeMethod, commitHeadline: title, commitBody: message } = input
  if (typeof expectedHeadOid === 'string' && expectedHeadOid !== call.pull.headSha)
    return 'Head branch was modified. Review and try the merge again.'
  return enableAutoMerge(call, {
    method: toLowerCase(mergeMethod ?? 'MERGE') as MergeMethod,
    ...(typeof title === 'string' && { title }),
    ...(typeof message === 'string' && { message }),
  })
}

function disable({ pull }: PullCall): string | undefined {
  if (pull.autoMerge === undefined) return "Can't disable auto-merge for this pull request."
  pull.autoMerge = undefined
  return undefined
}

const createDraftMutation = (draft: boolean) =>
  createDirectMutation(({ pull }) => {
    if (draft === pull.draft && !draft) return 'Pull request is not in draft state.'
    pull.draft = draft
    return undefined
  })

function addReview(input: Input, findCall: FindCall): object {
  const { call, key } = findSubject(findCall, input['pullRequestId'], ['PR'])
  const { body, event, commitOID: commit_id } = input
  if (event === 'DISMISS') throw new NotImplementedError('“DISMISS” in addPullRequestReview')
  const reply = perform(call, 'pulls/create-review', { pull_number: key }, { body, event, commit_id })
  const { id } = reply.body as { readonly id: number }
  const review = call.repository.pulls[Number(key)]?.reviews.find((candidate) => candidate.id === id)
  return { pullRequestReview: review === undefined ? null : toReviewView(call, Number(key), review) }
}

/** Returns the view of the comment that a REST operation returned. */
function toReturnedComment(call: Call, reply: Reply): object | null {
  const { id } = reply.body as { readonly id: number }
  const { issues, pulls } = call.repository
  for (const [number, { comments }] of [...Object.entries(issues), ...Object.entries(pulls)]) {
    const comment = comments.find((candidate) => candidate.id === id)
    if (comment !== undefined) return toCommentView(call, Number(number), comment)
  }
  return null
}

function addComment({ subjectId, body }: Input, findCall: FindCall): object {
  const { call, key } = findSubject(findCall, subjectId, ['PR', 'I'])
  const reply = perform(call, 'issues/create-comment', { issue_number: key }, { body })
  return { commentEdge: { cursor: '', node: toReturnedComment(call, reply) } }
}

function updateComment({ id, body }: Input, findCall: FindCall): object {
  const { call, key } = findSubject(findCall, id, ['IC'])
  return {
    issueComment: toReturnedComment(call, perform(call, 'issues/update-comment', { comment_id: key }, { body })),
  }
}

function changeLabels(
  { labelableId, labelIds }: Input,
  findCall: FindCall,
  change: (call: Call, number: string, names: readonly string[]) => void,
): object {
  const { call, key } = findSubject(findCall, labelableId, ['PR', 'I'])
  const names = toList(labelIds).map((id) => findSubject(findCall, id, ['LA']).key)
  change(call, key, names)
  return {}
}

/** GitHub ignores labels that the issue does not have. */
function removeLabels(call: Call, number: string, names: readonly string[]): void {
  const { issues, pulls } = call.repository
  const { labels = [] } = issues[Number(number)] ?? pulls[Number(number)] ?? {}
  for (const name of names)
    if (findIgnoringCase(labels, name) !== undefined)
      perform(call, 'issues/remove-label', { issue_number: number, name })
}

function createIssue(input: Input, findCall: FindCall): object {
  const { repositoryId, title, body, labelIds, assigneeIds, projectIds, milestoneId } = input
  if (toList(projectIds).length > 0) throw new NotImplementedError('“projectIds” in createIssue')
  if (typeof milestoneId === 'string') throw new NotImplementedError('“milestoneId” in createIssue')
  const { call } = findSubject(findCall, repositoryId, ['R'])
  const labels = toList(labelIds).map((id) => findSubject(findCall, id, ['LA']).key)
  const assignees = toList(assigneeIds).map((id) => parseNodeId(String(id))?.key)
  const reply = perform(call, 'issues/create', {}, { title, body, labels, assignees })
  const { number } = reply.body as { readonly number: number }
  const issue = call.repository.issues[number]
  return { issue: issue === undefined ? null : toIssueView(call, number, issue) }
}

const changeIssue =
  (toBody: (input: Input) => Input) =>
  (input: Input, findCall: FindCall): object => {
    const { call, key } = findSubject(findCall, input['issueId'] ?? input['id'], ['I'])
    perform(call, 'issues/update', { issue_number: key }, toBody(input))
    const issue = call.repository.issues[Number(key)]
    return { issue: issue === undefined ? null : toIssueView(call, Number(key), issue) }
  }

const MUTATIONS: Readonly<Record<string, (input: Input, findCall: FindCall) => object>> = {
  mergePullRequest: createRestMutation(
    'pulls/merge',
    ({ expectedHeadOid, mergeMethod, commitHeadline, commitBody }) => ({
      sha: expectedHeadOid,
      merge_method: toLowerCase(mergeMethod),
      commit_title: commitHeadline,
      commit_message: commitBody,
    }),
  ),
  enablePullRequestAutoMerge: createDirectMutation(enable, 'pulls/merge'),
  disablePullRequestAutoMerge: createDirectMutation(disable, 'pulls/merge'),
  updatePullRequest: createRestMutation('pulls/update', ({ title, body, baseRefName: base, state }) => ({
    title,
    body,
    base,
    state: toLowerCase(state),
  })),
  closePullRequest: createStateMutation('closed'),
  reopenPullRequest: createStateMutation('open'),
  markPullRequestReadyForReview: createDraftMutation(false),
  convertPullRequestToDraft: createDraftMutation(true),
  updatePullRequestBranch: createRestMutation('pulls/update-branch', ({ expectedHeadOid }) => ({
    expected_head_sha: expectedHeadOid,
  })),
  addPullRequestReview: addReview,
  addComment,
  updateIssueComment: updateComment,
  addLabelsToLabelable: (input, findCall) =>
    changeLabels(input, findCall, (call, number, labels) =>
      perform(call, 'issues/add-labels', { issue_number: number }, { labels }),
    ),
  removeLabelsFromLabelable: (input, findCall) => changeLabels(input, findCall, removeLabels),
  createIssue,
  updateIssue: changeIssue(({ title, body, state }) => ({ title, body, state: toLowerCase(state) })),
  closeIssue: changeIssue(({ stateReason }) => ({ state: 'closed', state_reason: toLowerCase(stateReason) })),
  reopenIssue: changeIssue(() => ({ state: 'open' })),
}

/** Returns all mutations as fields of the root value. */
export function createMutationFields(findCall: FindCall): Readonly<Record<string, unknown>> {
  const fields = Object.entries(MUTATIONS).map(([name, mutate]) => [
    name,
    ({ input }: { readonly input: Input }) => ({
      clientMutationId: input['clientMutationId'] ?? null,
      ...mutate(input, findCall),
    }),
  ])
  return Object.fromEntries(fields) as Record<string, unknown>
}
