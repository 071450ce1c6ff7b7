import { createHash } from 'node:crypto'
import { diffTexts, readTree } from './contents.ts'
import { combineFileChanges, compareHistories, findCommit, getHistory } from './history.ts'
import { toNodeId } from './node-id.ts'
import { CONTENTS, defineOperation, type Operations } from './operation.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import {
  type Call,
  NOT_FOUND,
  type Reply,
  getApiUrl,
  created,
  createListReply,
  noContent,
  notImplemented,
  ok,
  getPage,
  refuse,
} from './reply.ts'
import { deleteBranch, deleteTag, moveBranch, moveTag, pushCommit } from './repository-changes.ts'
import { type Commit, type FileChange, type RepositoryState, WEB_FLOW } from './repository-state.ts'
import { toCommitBody, toFileBody } from './resource-body.ts'

/** Lists branches and tags as `refs/...`, sorted by name. */
function listRefs({ branches, tags }: RepositoryState): readonly (readonly [ref: string, sha: string])[] {
  const toRefs = (kind: string, refs: Readonly<Record<string, string>>) =>
    Object.entries(refs).map(([name, sha]) => [`refs/${kind}/${name}`, sha] as const)
  return [...toRefs('heads', branches), ...toRefs('tags', tags)].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function toRefBody(call: Call, [ref, sha]: readonly [ref: string, sha: string]): object {
  const { repository } = call
  const api = getApiUrl(call, '/git')
  return {
    ref,
    node_id: toNodeId('REF', repository.id, ref),
    url: `${api}/${ref}`,
    object: { type: 'commit', sha, url: `${api}/commits/${sha}` },
  }
}

const findRef = (call: Call): readonly [ref: string, sha: string] | undefined =>
  listRefs(call.repository).find(([ref]) => ref === `refs/${call.params['ref'] ?? ''}`)

function getRef(call: Call): Reply {
  const found = findRef(call)
  return found === undefined ? NOT_FOUND : ok(toRefBody(call, found))
}

function listMatchingRefs(call: Call): Reply {
  const prefix = `refs/${call.params['ref'] ?? ''}`
  return ok(
    listRefs(call.repository)
      .filter(([ref]) => ref.startsWith(prefix))
      .map((ref) => toRefBody(call, ref)),
  )
}

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Splits `refs/heads/...` or `refs/tags/...`. Returns undefined for any other ref. */
function splitRef(ref: string): { readonly kind: 'heads' | 'tags'; readonly short: string } | undefined {
  const [, kind, short] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? []
  return short === undefined ? undefined : { kind: kind as 'heads' | 'tags', short }
}

function pointRef({ repository, state, nowMs }: Call, ref: string, sha: string): void {
  const { kind, short } = splitRef(ref) ?? { kind: 'heads', short: ref }
  const move = kind === 'tags' ? moveTag : moveBranch
  move(repository, short, sha, { by: state.identity, atMs: nowMs })
}

function createRef(call: Call): Reply {
  const { repository, body } = call
  const [ref = '', sha = ''] = [readText(body['ref']), readText(body['sha'])]
  if (splitRef(ref) === undefined) return refuse(422, `Reference name must start with 'refs/heads/' or 'refs/tags/'.`)
  if (listRefs(repository).some(([existing]) => existing === ref)) return refuse(422, 'Reference already exists')
  if (!repository.commits.some((commit) => commit.sha === sha)) return refuse(422, 'Object does not exist')
  pointRef(call, ref, sha)
  return created(toRefBody(call, [ref, sha]))
}

function updateRef(call: Call): Reply {
  const { repository, body } = call
  const [sha = '', found] = [readText(body['sha']), findRef(call)]
  if (found === undefined) return refuse(422, 'Reference does not exist')
  if (!repository.commits.some((commit) => commit.sha === sha)) return refuse(422, 'Object does not exist')
  const relation = compareHistories(repository, found[1], sha)?.relation
  if (body['force'] !== true && relation !== 'ahead' && relation !== 'identical')
    return refuse(422, 'Update is not a fast forward')
  pointRef(call, found[0], sha)
  return ok(toRefBody(call, [found[0], sha]))
}

function deleteRef(call: Call): Reply {
  const { repository, state, nowMs } = call
  const found = findRef(call)
  if (found === undefined) return refuse(422, 'Reference does not exist')
  const { kind, short } = splitRef(found[0]) ?? { kind: 'heads', short: '' }
  if (kind === 'heads' && short === repository.defaultBranch) return refuse(422, 'Cannot delete the default branch')
  const remove = kind === 'tags' ? deleteTag : deleteBranch
  remove(repository, short, { by: state.identity, atMs: nowMs })
  return noContent()
}

function toBranchBody(call: Call, [name, sha]: readonly [name: string, sha: string]): object {
  return { name, commit: { sha }, protected: name in call.repository.protections }
}

function listBranches(call: Call): Reply {
  const protectedFilter = call.query.get('protected')
  const { branches, protections } = call.repository
  const found = Object.entries(branches).filter(
    ([name]) => protectedFilter === null || String(name in protections) === protectedFilter,
  )
  return createListReply(
    call,
    found.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    toBranchBody,
  )
}

function getBranch(call: Call): Reply {
  const { repository, params, baseUrl, name: repositoryName } = call
  const { branch: name = '' } = params
  const commit = repository.commits.find(({ sha }) => sha === repository.branches[name])
  if (commit === undefined) return refuse(404, 'Branch not found')
  const { requiredChecks = [] } = repository.protections[name] ?? {}
  const isProtected = name in repository.protections
  const checks = { contexts: requiredChecks, checks: [], enforcement_level: isProtected ? 'non_admins' : 'off' }
  return ok({
    name,
    commit: toCommitBody(call, commit),
    _links: {
      self: getApiUrl(call, `/branches/${name}`),
      html: `${baseUrl}/${repositoryName}/tree/${name}`,
    },
    protected: isProtected,
    protection: { enabled: isProtected, required_status_checks: checks },
    protection_url: getApiUrl(call, `/branches/${name}/protection`),
  })
}

/** Lists the changes of a commit relative to its first parent. For a merge, these are the changes of the merged branches. */
export function listCommitFiles(repository: RepositoryState, commit: Commit): readonly FileChange[] {
  const [first, ...others] = commit.parents
  if (first === undefined || others.length === 0) return combineFileChanges([commit])
  return compareHistories(repository, first, commit.sha)?.files ?? []
}

/** GitHub lists no more, and does not say that there are more. */
const MAX_COMMIT_FILES = 3_000

function getCommit(call: Call): Reply {
  const { repository, params } = call
  const { ref = '' } = params
  const commit = findCommit(repository, ref)
  if (commit === undefined) return refuse(422, `No commit found for SHA: ${ref}`)
  const files = listCommitFiles(repository, commit).map(toFileBody)
  const [additions, deletions] = (['additions', 'deletions'] as const).map((field) =>
    files.reduce((sum, file) => sum + file[field], 0),
  )
  const { items, headers } = getPage(call, files.slice(0, MAX_COMMIT_FILES))
  const stats = { additions, deletions, total: (additions ?? 0) + (deletions ?? 0) }
  return { status: 200, headers, body: { ...toCommitBody(call, commit), stats, files: items } }
}

function listCommits(call: Call): Reply {
  const { repository, query } = call
  const ref = query.get('sha') ?? repository.defaultBranch
  const tip = findCommit(repository, ref)
  if (tip === undefined) return NOT_FOUND
  const [path, author, committer] = ['path', 'author', 'committer'].map((name) => query.get(name))
  const [sinceMs, untilMs] = ['since', 'until'].map((name) => Date.parse(query.get(name) ?? ''))
  const found = getHistory(repository, tip.sha).filter(
    (commit) =>
      (path === null || commit.files.some(({ filename }) => filename === path || filename.startsWith(`${path}/`))) &&
      (author === null || commit.author === author) &&
      (committer === null || (commit.committer ?? commit.author) === committer) &&
      !(commit.atMs < (sinceMs ?? NaN)) &&
      !(commit.atMs > (untilMs ?? NaN)),
  )
  return createListReply(call, found, toCommitBody)
}

interface ContentLocation {
  readonly ref: string
  readonly path: string
}

function toContentFields(call: Call, { ref, path }: ContentLocation, sha: string, size: number): object {
  const { baseUrl, name } = call
  const api = getApiUrl(call, '')
  const page = `${baseUrl}/${name}/blob/${ref}/${path}`
  const links = { url: `${api}/contents/${path}?ref=${ref}`, git_url: `${api}/git/blobs/${sha}`, html_url: page }
  const _links = { self: links.url, git: links.git_url, html: page }
  return {
    name: path.split('/').at(-1),
    path,
    sha,
    size,
    ...links,
    download_url: `${baseUrl}/${name}/raw/${ref}/${path}`,
    _links,
  }
}

function getContent(call: Call): Reply {
  const { repository, query, params, format } = call
  const ref = query.get('ref') ?? repository.defaultBranch
  const path = (params['path'] ?? '').replace(/\/$/, '')
  const commit = findCommit(repository, ref)
  if (commit === undefined) return refuse(404, `No commit found for the ref ${ref}`)
  const tree = readTree(repository, commit.sha)
  const file = tree.get(path)
  if (file !== undefined) {
    const { text, sha } = file
    if (text === undefined) return notImplemented(`the content of ${path}, which is not known`)
    if (format === 'raw') return { status: 200, body: text, isText: true }
    const content = Buffer.from(text).toString('base64').replaceAll(/.{60}/g, '$&\n')
    const fields = toContentFields(call, { ref, path }, sha, Buffer.byteLength(text))
    return ok({ type: 'file', encoding: 'base64', content, ...fields })
  }
  const prefix = path === '' ? '' : `${path}/`
  const inside = [...tree.keys()].filter((filePath) => filePath.startsWith(prefix))
  if (inside.length === 0) return NOT_FOUND
  const names = [...new Set(inside.map((filePath) => filePath.slice(prefix.length).split('/')[0] ?? ''))].toSorted()
  return ok(
    names.map((name) => {
      const child = tree.get(prefix + name)
      const type = child === undefined ? 'dir' : 'file'
      const sha = child?.sha ?? createHash('sha1').update(`tree ${commit.sha} ${prefix}${name}`).digest('hex')
      const size = Buffer.byteLength(child?.text ?? '')
      return { type, ...toContentFields(call, { ref, path: prefix + name }, sha, size) }
    }),
  )
}

function putContent(call: Call): Reply {
  const { repository, params, body, state, nowMs } = call
  const { path = '' } = params
  const branch = readText(body['branch']) ?? repository.defaultBranch
  const tip = repository.branches[branch]
  // The first file of a repository creates its default branch.
  const isFirst = branch === repository.defaultBranch && repository.commits.length === 0
  if (tip === undefined && !isFirst) return refuse(404, `Branch ${branch} not found`)
  const before = tip === undefined ? undefined : readTree(repository, tip).get(path)
  const expectedSha = readText(body['sha'])
  if (before !== undefined && expectedSha === undefined)
    return refuse(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
  if (expectedSha !== undefined && expectedSha !== before?.sha)
    return refuse(409, `${path} does not match ${expectedSha}`)
  const content = Buffer.from(readText(body['content']) ?? '', 'base64').toString('utf8')
  const status = before === undefined ? 'added' : 'modified'
  const change = { filename: path, status, content, ...diffTexts(before?.text ?? '', content) } as const
  const { identity: author } = state
  // GitHub commits for apps, and signs the commit.
  const committer = state.users[author]?.type === 'Bot' ? WEB_FLOW : author
  const fields = { message: readText(body['message']) ?? '', author, committer }
  const commit = pushCommit(repository, branch, { ...fields, files: [change] }, nowMs)
  const sha = readTree(repository, commit.sha).get(path)?.sha ?? ''
  const contentFields = toContentFields(call, { ref: branch, path }, sha, Buffer.byteLength(content))
  const reply = { content: { type: 'file', ...contentFields }, commit: toGitCommitBody(call, commit) }
  return before === undefined ? created(reply) : ok(reply)
}

/** Returns a commit in the form of Git's own objects, without GitHub accounts. */
function toGitCommitBody(call: Call, commit: Commit): object {
  const { commit: written, ...shown } = toCommitBody(call, commit) as Record<string, object>
  const { message, author, committer, tree } = written as Record<string, unknown>
  const verification = { verified: false, reason: 'unsigned', signature: null, payload: null }
  const url = getApiUrl(call, `/git/commits/${commit.sha}`)
  return { ...shown, url, message, author, committer, tree, verification }
}

const REF = '/git/refs/{ref}'
const CONTENT = '/contents/{path}'

/** Refs, branches, commits and files. */
export const GIT_OPERATIONS: Operations = {
  'git/get-ref': defineOperation('GET', '/git/ref/{ref}', CONTENTS, getRef),
  'git/list-matching-refs': defineOperation('GET', '/git/matching-refs/{ref}', CONTENTS, listMatchingRefs),
  'git/create-ref': defineOperation('POST', '/git/refs', CONTENTS, createRef, {
    body: { ref: 'text', sha: 'text' },
    required: ['ref', 'sha'],
  }),
  'git/update-ref': defineOperation('PATCH', REF, CONTENTS, updateRef, {
    body: { sha: 'text', force: 'boolean' },
    required: ['sha'],
  }),
  'git/delete-ref': defineOperation('DELETE', REF, CONTENTS, deleteRef),
  'repos/list-branches': defineOperation('GET', '/branches', CONTENTS, listBranches, {
    query: { ...PAGE_PARAMETERS, protected: 'boolean' },
  }),
  'repos/get-branch': defineOperation('GET', '/branches/{branch}', CONTENTS, getBranch),
  'repos/list-commits': defineOperation('GET', '/commits', CONTENTS, listCommits, {
    query: {
      ...PAGE_PARAMETERS,
      sha: 'text',
      path: 'text',
      author: 'text',
      committer: 'text',
      since: 'time',
      until: 'time',
    },
  }),
  'repos/get-commit': defineOperation('GET', '/commits/{ref}', CONTENTS, getCommit, { query: PAGE_PARAMETERS }),
  'repos/get-content': defineOperation('GET', CONTENT, CONTENTS, getContent, {
    query: { ref: 'text' },
    formats: ['raw'],
  }),
  'repos/create-or-update-file-contents': defineOperation('PUT', CONTENT, CONTENTS, putContent, {
    body: { message: 'text', content: 'text', sha: 'text', branch: 'text' },
    required: ['message', 'content'],
    unsupported: ['committer', 'author'],
  }),
}
