import { startPullChecks } from './start-checks.ts'
import { LIST_PARAMETERS, selectIssues } from './issue-operations.ts'
import { findMergeBlocker } from './mergeability.ts'
import { CONTENTS, type Operations, PULLS, type PullCall, defineOperation, withPull } from './operation.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { toPullBody, getVisibleChange, toFullPullBody } from './pull-body.ts'
import type { MergeMethod } from './pull-state.ts'
import { type GitHubCall, type Reply, createListReply, ok, replyWithError } from './reply.ts'
import { mergePull, updateBranch } from './repository-changes.ts'
import { toCommitBody } from './resource-body.ts'

const MAX_COMMITS = 250
const HEAD_MODIFIED = 'Head branch was modified. Review and try the merge again.'

function listPulls(call: GitHubCall): Reply {
  const { query, state, nowMs } = call
  const sort = query.get('sort')
  // GitHub's documentation of `direction`: the default is `desc` only for the sort order `created`.
  const found = selectIssues(call, call.repository.pulls, (sort ?? 'created') === 'created' ? 'desc' : 'asc').filter(
    ([, pull]) => nowMs >= pull.createdAtMs + state.lag.newPullMs,
  )
  return createListReply(call, found, (_call, [number, pull]) => toPullBody(call, number, pull))
}

function listCommits(call: PullCall): Reply {
  const commits = getVisibleChange(call, call.pull).ahead.slice(0, MAX_COMMITS)
  return createListReply(call, commits, toCommitBody)
}

function merge(call: PullCall): Reply {
  const { pull, number, name, repository, state, nowMs, body } = call
  const { sha, merge_method: method = 'merge' } = body as {
    readonly sha?: string
    readonly merge_method?: MergeMethod
  }
  const blocker = findMergeBlocker(repository, pull, method, nowMs)
  if (blocker !== undefined) return replyWithError(405, blocker)
  if (sha !== undefined && sha !== pull.headSha) return replyWithError(409, HEAD_MODIFIED)
  const commit = mergePull(repository, number, state.identity, nowMs, { method, repositoryName: name })
  if (commit === undefined) return replyWithError(405, 'Pull Request is not mergeable')
  return ok({ sha: commit.sha, merged: true, message: 'Pull Request successfully merged' })
}

function updatePullBranch(call: PullCall): Reply {
  const { pull, number, name, repository, state, nowMs, baseUrl } = call
  if (pull.conflict) return replyWithError(422, 'merge conflict between base and head')
  const commit = updateBranch(repository, pull, state.identity, nowMs)
  if (commit === undefined) return replyWithError(422, 'There are no new commits on the base branch.')
  // What the workflow's own token pushes starts no workflow (cli/cli#9368).
  if (call.isOfApp) startPullChecks(state, repository, pull, state.identity, nowMs)
  return { status: 202, body: { message: 'Updating pull request branch.', url: `${baseUrl}/${name}/pull/${number}` } }
}

const PULL = '/pulls/{pull_number}'
const METHODS = ['merge', 'squash', 'rebase'] as const

/** Pull requests: lists, commits, merges and updates of the branch. */
export const PULL_OPERATIONS: Operations = {
  'pulls/list': defineOperation('GET', '/pulls', PULLS, listPulls, {
    query: {
      ...PAGE_PARAMETERS,
      ...LIST_PARAMETERS,
      sort: ['created', 'updated'],
    },
    unsupported: ['sort=popularity', 'sort=long-running', 'base', 'head'],
  }),
  'pulls/get': defineOperation(
    'GET',
    PULL,
    PULLS,
    withPull((call) => ok(toFullPullBody(call))),
  ),
  'pulls/list-commits': defineOperation('GET', `${PULL}/commits`, PULLS, withPull(listCommits), {
    query: PAGE_PARAMETERS,
  }),
  'pulls/merge': defineOperation('PUT', `${PULL}/merge`, CONTENTS, withPull(merge), {
    body: { sha: 'text', merge_method: METHODS },
    unsupported: ['commit_title', 'commit_message'],
  }),
  'pulls/update-branch': defineOperation('PUT', `${PULL}/update-branch`, PULLS, withPull(updatePullBranch), {
    unsupported: ['expected_head_sha'],
  }),
}
