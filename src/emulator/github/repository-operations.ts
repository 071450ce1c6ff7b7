import { getPullChange, compareHistories, findCommit, getHistory } from './history.ts'
import { CONTENTS, defineOperation, type Operations, PULLS } from './operation.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { toPullBody } from './pull-body.ts'
import {
  type GitHubCall,
  NOT_FOUND,
  type Reply,
  getApiUrl,
  createListReply,
  ok,
  getPage,
  replyWithError,
  findIgnoringCase,
} from './reply.ts'
import { toCommitBody, toFileBody, toUserBody, toFullRepositoryBody } from './resource-body.ts'
import type { Commit, Role } from './repository-state.ts'

const MAX_COMPARED_FILES = 300

function compare(call: GitHubCall): Reply {
  const { basehead = '' } = call.params
  const [base = '', head = ''] = basehead.split('...')
  const [from, to] = [findCommit(call.repository, base), findCommit(call.repository, head)]
  if (from === undefined || to === undefined) return NOT_FOUND
  const compared = compareHistories(call.repository, from.sha, to.sha)
  if (compared === undefined) return replyWithError(404, `No common ancestor between ${base} and ${head}.`)
  const { relation, mergeBase, ahead, behindBy, files } = compared
  const { items, number, headers } = getPage(call, ahead)
  return {
    status: 200,
    headers,
    body: {
      url: getApiUrl(call, `/compare/${basehead}`),
      status: relation,
      ahead_by: ahead.length,
      behind_by: behindBy,
      total_commits: ahead.length,
      base_commit: toCommitBody(call, from),
      merge_base_commit: toCommitBody(call, mergeBase),
      commits: items.map((commit) => toCommitBody(call, commit)),
      files: number === 1 ? files.slice(0, MAX_COMPARED_FILES).map(toFileBody) : [],
    },
  }
}

/** Newest first. The first commit has added the workflows, although its files do not name them. */
function listCommits(call: GitHubCall): Reply {
  const { query, repository } = call
  const path = query.get('path')
  const head = findCommit(repository, query.get('sha') ?? 'HEAD')
  if (head === undefined) return NOT_FOUND
  const hasWorkflows = ({ parents }: Commit): boolean =>
    parents.length === 0 && path?.startsWith('.github/workflows/') === true
  const found = getHistory(repository, head.sha).filter(
    (commit) =>
      path === null ||
      hasWorkflows(commit) ||
      commit.files.some(({ filename }) => filename === path || filename.startsWith(`${path}/`)),
  )
  return createListReply(call, found, toCommitBody)
}

/** Lists the merged pull requests that introduced a commit, and the open ones that contain it. GitHub shows both late. */
function listPullsOfCommit(call: GitHubCall): Reply {
  const { repository, state, nowMs, params } = call
  const ref = params['commit_sha'] ?? ''
  const commit = findCommit(repository, ref)
  if (commit === undefined) return replyWithError(422, `No commit found for SHA: ${ref}`)
  const isCommit = ({ sha }: { readonly sha: string }): boolean => sha === commit.sha
  const isNew = (atMs: number): boolean => nowMs < atMs + state.lag.commitPullsMs
  if (state.lag.commitPulls === 'unprocessable' && isNew(commit.atMs))
    return replyWithError(422, `No commit found for SHA: ${ref}`)
  const found = Object.entries(repository.pulls).filter(([, pull]) => {
    const { merge, state: pullState, createdAtMs } = pull
    if (merge === undefined && pullState === 'closed') return false
    if (isNew(merge?.atMs ?? createdAtMs)) return false
    const merged = merge === undefined ? [] : [merge.sha, ...(merge.rebased ?? [])]
    return merged.includes(commit.sha) || getPullChange(repository, pull).ahead.some(isCommit)
  })
  return createListReply(call, found, (_call, [number, pull]) => toPullBody(call, Number(number), pull))
}

/** Newest first. */
function listTags(call: GitHubCall): Reply {
  const tags = Object.entries(call.repository.tags).toReversed()
  return createListReply(call, tags, (_call, [name, sha]) => ({ name, commit: { sha } }))
}

/** The older `permission` field knows only three roles. */
const PERMISSIONS: Readonly<Record<Role, 'read' | 'write' | 'admin'>> = {
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
}

/** Everyone can read a public repository. GitHub responds with 404 for an app, because it is not a user. */
function getPermission({ state, repository, params: { username: named = '' } }: GitHubCall): Reply {
  const username = findIgnoringCase(Object.keys(state.users), named) ?? named
  const account = state.users[username]
  if (account === undefined) return NOT_FOUND
  if (account.type === 'Bot') return replyWithError(404, `${username} is not a user`)
  const role = repository.collaborators[username] ?? 'read'
  const user = { ...toUserBody(state, username), role_name: role }
  return ok({ permission: PERMISSIONS[role], role_name: role, user })
}

/** Repositories, comparisons, commits, tags, and the permissions of collaborators. */
export const REPOSITORY_OPERATIONS: Operations = {
  'repos/compare-commits-with-basehead': defineOperation('GET', '/compare/{basehead}', CONTENTS, compare, {
    query: PAGE_PARAMETERS,
  }),
  'repos/list-commits': defineOperation('GET', '/commits', CONTENTS, listCommits, {
    query: { ...PAGE_PARAMETERS, sha: 'text', path: 'text' },
    unsupported: ['author', 'committer', 'since', 'until'],
  }),
  'repos/list-pull-requests-associated-with-commit': defineOperation(
    'GET',
    '/commits/{commit_sha}/pulls',
    PULLS,
    listPullsOfCommit,
    { query: PAGE_PARAMETERS },
  ),
  'repos/list-tags': defineOperation('GET', '/tags', CONTENTS, listTags, { query: PAGE_PARAMETERS }),
  'repos/get': defineOperation('GET', '', [], (call) => ok(toFullRepositoryBody(call))),
  'repos/get-collaborator-permission-level': defineOperation(
    'GET',
    '/collaborators/{username}/permission',
    [],
    getPermission,
  ),
}
