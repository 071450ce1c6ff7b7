import { LIST_PARAMETERS, selectIssues } from './issue-operations.ts'
import type { IssueState } from './issue-state.ts'
import { findMergeBlocker } from './mergeability.ts'
import { CONTENTS, type Operations, PULLS, type PullCall, defineOperation, withPull } from './operation.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { toPullBody, getVisibleChange, toFullPullBody } from './pull-body.ts'
import { type MergeMethod, createPullState } from './pull-state.ts'
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
} from './reply.ts'
import {
  getBranches,
  closeIssue,
  mergePull,
  openPull,
  reopenIssue,
  takeNumber,
  updateBranch,
} from './repository-changes.ts'
import { type FileChange, getOwner } from './repository-state.ts'
import { toCommitBody, toFileBody } from './resource-body.ts'

const MAX_COMMITS = 250
const MAX_FILES = 3_000
const DAY_MS = 86_400_000
const HEAD_MODIFIED = 'Head branch was modified. Review and try the merge again.'

/** GitHub's `long-running`: open for more than a month, with activity in the past month. */
function isLongRunning({ createdAtMs, updatedAtMs }: IssueState, nowMs: number): boolean {
  const monthAgoMs = nowMs - 30 * DAY_MS
  return createdAtMs < monthAgoMs && updatedAtMs >= monthAgoMs
}

function listPulls(call: Call): Reply {
  const { query, name, state, nowMs } = call
  const [head, base, sort] = ['head', 'base', 'sort'].map((parameter) => query.get(parameter))
  // GitHub ignores a head without an owner and lists everything. Here it is an error, so that the mistake is noticed.
  if (typeof head === 'string' && !head.includes(':')) return refuseField('PullRequest', 'head', 'invalid')
  // GitHub's documentation of `direction`: the default is `desc` only for the sort order `created`.
  const found = selectIssues(call, call.repository.pulls, (sort ?? 'created') === 'created' ? 'desc' : 'asc').filter(
    ([, pull]) =>
      nowMs >= pull.createdAtMs + state.lag.newPullMs &&
      (head === null || head === `${getOwner(pull.fork ?? name)}:${pull.branch}`) &&
      (base === null || base === pull.base) &&
      (sort !== 'long-running' || isLongRunning(pull, nowMs)),
  )
  return createListReply(call, found, (_call, [number, pull]) => toPullBody(call, number, pull))
}

interface PullFields {
  readonly title?: string
  readonly body?: string | null
  readonly head?: string
  readonly base?: string
  readonly draft?: boolean
  readonly state?: 'open' | 'closed'
}

const refuseWithMessage = (message: string): Reply =>
  refuse(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', code: 'custom', message }] })

function createPull(call: Call): Reply {
  const { repository, name, state, nowMs } = call
  const { title = '', body, head = '', base = '', draft = false } = call.body as PullFields
  const owner = name.split('/')[0] ?? ''
  const branch = head.startsWith(`${owner}:`) ? head.slice(owner.length + 1) : head
  if (state.identity === 'github-actions[bot]' && !repository.canActionsCreatePulls)
    return refuse(403, 'GitHub Actions is not permitted to create or approve pull requests.')
  if (title.trim() === '') return refuseField('Issue', 'title')
  if (repository.branches[branch] === undefined) return refuseField('PullRequest', 'head', 'invalid')
  if (repository.branches[base] === undefined) return refuseField('PullRequest', 'base', 'invalid')
  const isDuplicate = (pull: (typeof repository.pulls)[number]): boolean =>
    pull.state === 'open' && pull.fork === undefined && pull.branch === branch && pull.base === base
  if (Object.values(repository.pulls).some(isDuplicate))
    return refuseWithMessage(`A pull request already exists for ${owner}:${branch}.`)
  const candidate = createPullState({ branch, base, headSha: repository.branches[branch] })
  if (getVisibleChange(call, candidate).ahead.length === 0)
    return refuseWithMessage(`No commits between ${base} and ${branch}`)
  const number = takeNumber(repository)
  const fields = { title, body: body ?? '', branch, base, draft, user: state.identity }
  return created(toFullPullBody({ ...call, number, pull: openPull(repository, number, fields, nowMs) }))
}

function updatePull(call: PullCall): Reply {
  const { repository, pull, nowMs } = call
  const { title, body, state, base } = call.body as PullFields
  if (title?.trim() === '') return refuseField('Issue', 'title')
  if (base !== undefined && repository.branches[base] === undefined)
    return refuseField('PullRequest', 'base', 'invalid')
  if (base !== undefined && pull.state === 'closed' && state !== 'open')
    return refuseWithMessage('Cannot change the base branch of a closed pull request.')
  if (state === 'open' && pull.state === 'closed') {
    if (pull.merge !== undefined) return refuseWithMessage('state cannot be changed. The pull request was merged.')
    if (pull.isForkDeleted || getBranches(repository, pull.fork)[pull.branch] === undefined)
      return refuseWithMessage(`state cannot be changed. The ${pull.branch} branch has been deleted.`)
    reopenIssue(pull, nowMs)
  }
  if (state === 'closed' && pull.state === 'open') closeIssue(repository, pull, nowMs)
  if (title !== undefined) pull.title = title
  if (body !== undefined) pull.body = body ?? ''
  if (base !== undefined && base !== pull.base) Object.assign(pull, { base, autoMerge: undefined })
  pull.updatedAtMs = nowMs
  return ok(toFullPullBody(call))
}

function listCommits(call: PullCall): Reply {
  const commits = getVisibleChange(call, call.pull).ahead.slice(0, MAX_COMMITS)
  return createListReply(call, commits, toCommitBody)
}

/** Formats a change as a Git diff. Binary and very large files have no patch. */
function toDiff({ filename, previous_filename: previous = filename, status, patch }: FileChange): string {
  const [before, after] = [
    status === 'added' ? '/dev/null' : `a/${previous}`,
    status === 'removed' ? '/dev/null' : `b/${filename}`,
  ]
  return [
    `diff --git a/${previous} b/${filename}`,
    ...(status === 'added' ? ['new file mode 100644'] : []),
    ...(status === 'removed' ? ['deleted file mode 100644'] : []),
    ...(status === 'renamed' ? [`rename from ${previous}`, `rename to ${filename}`] : []),
    ...(patch === undefined ? [] : [`--- ${before}`, `+++ ${after}`, patch]),
    '',
  ].join('\n')
}

function getPull(call: PullCall): Reply {
  if (call.format !== 'diff') return ok(toFullPullBody(call))
  return { status: 200, body: getVisibleChange(call, call.pull).files.map(toDiff).join(''), isText: true }
}

function listFiles(call: PullCall): Reply {
  const { files } = getVisibleChange(call, call.pull)
  return createListReply(call, files.slice(0, MAX_FILES), (_call, file) => toFileBody(file))
}

function merge(call: PullCall): Reply {
  const { pull, number, name, repository, state, nowMs, body } = call
  const {
    sha,
    merge_method: method = 'merge',
    commit_title: title,
    commit_message: message,
  } = body as {
    readonly sha?: string
    readonly merge_method?: MergeMethod
    readonly commit_title?: string
    readonly commit_message?: string
  }
  const blocker = findMergeBlocker(repository, pull, method, nowMs)
  if (blocker !== undefined) return refuse(405, blocker)
  if (sha !== undefined && sha !== pull.headSha) return refuse(409, HEAD_MODIFIED)
  const text = { ...(title !== undefined && { title }), ...(message !== undefined && { message }) }
  const commit = mergePull(repository, number, state.identity, nowMs, { method, ...text, repositoryName: name })
  if (commit === undefined) return refuse(405, 'Pull Request is not mergeable')
  return ok({ sha: commit.sha, merged: true, message: 'Pull Request successfully merged' })
}

function updatePullBranch(call: PullCall): Reply {
  const { pull, number, name, repository, state, nowMs, body, baseUrl } = call
  const { expected_head_sha: expected = pull.headSha } = body
  if (expected !== pull.headSha) return refuse(422, `expected head sha didn’t match current head ref.`)
  if (pull.conflict) return refuse(422, 'merge conflict between base and head')
  const commit = updateBranch(repository, pull, state.identity, nowMs)
  if (commit === undefined) return refuse(422, 'There are no new commits on the base branch.')
  return { status: 202, body: { message: 'Updating pull request branch.', url: `${baseUrl}/${name}/pull/${number}` } }
}

const PULL = '/pulls/{pull_number}'
const METHODS = ['merge', 'squash', 'rebase'] as const

/** Pull requests: lists, changes, commits, files and merges. */
export const PULL_OPERATIONS: Operations = {
  'pulls/list': defineOperation('GET', '/pulls', PULLS, listPulls, {
    query: {
      ...PAGE_PARAMETERS,
      ...LIST_PARAMETERS,
      head: 'text',
      base: 'text',
      sort: ['created', 'updated', 'popularity', 'long-running'],
    },
  }),
  'pulls/create': defineOperation('POST', '/pulls', PULLS, createPull, {
    body: { title: 'text', body: 'text or null', head: 'text', base: 'text', draft: 'boolean' },
    required: ['head', 'base'],
    unsupported: ['head_repo', 'maintainer_can_modify', 'issue'],
  }),
  'pulls/get': defineOperation('GET', PULL, PULLS, withPull(getPull), { formats: ['diff'] }),
  'pulls/update': defineOperation('PATCH', PULL, PULLS, withPull(updatePull), {
    body: { title: 'text', body: 'text or null', state: ['open', 'closed'], base: 'text' },
    unsupported: ['maintainer_can_modify'],
  }),
  'pulls/list-commits': defineOperation('GET', `${PULL}/commits`, PULLS, withPull(listCommits), {
    query: PAGE_PARAMETERS,
  }),
  'pulls/list-files': defineOperation('GET', `${PULL}/files`, PULLS, withPull(listFiles), {
    query: PAGE_PARAMETERS,
    // GitHub accepts `diff` for this list, but sends JSON.
    formats: ['diff'],
  }),
  'pulls/check-if-merged': defineOperation(
    'GET',
    `${PULL}/merge`,
    PULLS,
    withPull(({ pull }) => (pull.merge === undefined ? NOT_FOUND : noContent())),
  ),
  'pulls/merge': defineOperation('PUT', `${PULL}/merge`, CONTENTS, withPull(merge), {
    body: { sha: 'text', merge_method: METHODS, commit_title: 'text', commit_message: 'text' },
  }),
  'pulls/update-branch': defineOperation('PUT', `${PULL}/update-branch`, PULLS, withPull(updatePullBranch), {
    body: { expected_head_sha: 'text' },
  }),
}
