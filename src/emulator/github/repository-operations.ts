import { changeOfPull, compareHistories, findCommit } from './history.ts'
import { CONTENTS, operation, type Operations, PULLS } from './operation.ts'
import { PAGE } from './parameters.ts'
import { pullBody } from './pull-body.ts'
import { type Call, NOT_FOUND, type Reply, apiUrl, listReply, ok, getPage, refusal, spelledIn } from './reply.ts'
import { commitBody, fileBody, userBody, wholeRepositoryBody } from './resource-body.ts'
import type { Role } from './repository-state.ts'

const MAX_COMPARED_FILES = 300

function compare(call: Call): Reply {
  const { basehead = '' } = call.params
  const [base = '', head = ''] = basehead.split('...')
  const [from, to] = [findCommit(call.repository, base), findCommit(call.repository, head)]
  if (from === undefined || to === undefined) return NOT_FOUND
  const compared = compareHistories(call.repository, from.sha, to.sha)
  if (compared === undefined) return refusal(404, `No common ancestor between ${base} and ${head}.`)
  const { relation, mergeBase, ahead, behindBy, files } = compared
  const { items, number, headers } = getPage(call, ahead)
  return {
    status: 200,
    headers,
    body: {
      url: apiUrl(call, `/compare/${basehead}`),
      status: relation,
      ahead_by: ahead.length,
      behind_by: behindBy,
      total_commits: ahead.length,
      base_commit: commitBody(call, from),
      merge_base_commit: commitBody(call, mergeBase),
      commits: items.map((commit) => commitBody(call, commit)),
      files: number === 1 ? files.slice(0, MAX_COMPARED_FILES).map(fileBody) : [],
    },
  }
}

/** The merged pull requests that brought a commit, and the open ones that have it. GitHub knows neither at once. */
function listPullsOfCommit(call: Call): Reply {
  const { repository, state, nowMs, params } = call
  const ref = params['commit_sha'] ?? ''
  const commit = findCommit(repository, ref)
  if (commit === undefined) return refusal(422, `No commit found for SHA: ${ref}`)
  const isOf = ({ sha }: { readonly sha: string }): boolean => sha === commit.sha
  const found = Object.entries(repository.pulls).filter(([, pull]) => {
    if (pull.merge === undefined && pull.state === 'closed') return false
    if (nowMs < (pull.merge?.atMs ?? pull.createdAtMs) + state.lag.commitPullsMs) return false
    return (pull.merge !== undefined && isOf(pull.merge)) || changeOfPull(repository, pull).ahead.some(isOf)
  })
  return listReply(call, found, (_call, [number, pull]) => pullBody(call, Number(number), pull))
}

/** Newest first. */
function listTags(call: Call): Reply {
  const tags = Object.entries(call.repository.tags).toReversed()
  return listReply(call, tags, (_call, [name, sha]) => ({ name, commit: { sha } }))
}

/** What the finer roles are called by the older half of the answer. */
const PERMISSIONS: Readonly<Record<Role, 'read' | 'write' | 'admin'>> = {
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
}

/** Anybody may read a public repository. An app is no user, whatever it may do. */
function getPermission({ state, repository, params: { username: named = '' } }: Call): Reply {
  const username = spelledIn(Object.keys(state.users), named) ?? named
  const user = state.users[username]
  if (user === undefined) return NOT_FOUND
  if (user.type === 'Bot') return refusal(404, `${username} is not a user`)
  const role = repository.collaborators[username] ?? 'read'
  const held = { role_name: role }
  return ok({ permission: PERMISSIONS[role], ...held, user: { ...userBody(state, username), ...held } })
}

/** A repository with its comparisons and tags, and who may do what in it. */
export const REPOSITORY_OPERATIONS: Operations = {
  'repos/compare-commits-with-basehead': operation('GET', '/compare/{basehead}', CONTENTS, compare, { query: PAGE }),
  'repos/list-pull-requests-associated-with-commit': operation(
    'GET',
    '/commits/{commit_sha}/pulls',
    PULLS,
    listPullsOfCommit,
    { query: PAGE },
  ),
  'repos/list-tags': operation('GET', '/tags', CONTENTS, listTags, { query: PAGE }),
  'repos/get': operation('GET', '', [], (call) => ok(wholeRepositoryBody(call))),
  'repos/get-collaborator-permission-level': operation(
    'GET',
    '/collaborators/{username}/permission',
    [],
    getPermission,
  ),
}
