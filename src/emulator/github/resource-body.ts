import type { CheckRun } from './check-state.ts'
import { type Reaction, REACTIONS } from './issue-state.ts'
import { toNodeId } from './node-id.ts'
import { type GitHubCall, getApiUrl, formatTime } from './reply.ts'
import { type Commit, type FileChange, type RepositoryState, WEB_FLOW } from './repository-state.ts'
import type { GitHubState, User } from './state.ts'

/** The creation time of everything whose state has none. */
const DEFAULT_CREATED_AT = formatTime(Date.UTC(2025, 0, 1))

/** Sets several fields to one value. GitHub's API description requires these fields, but no operation changes them. */
function setFields(value: unknown, ...names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, value]))
}

export function toUserBody(
  { users, repositories }: GitHubState,
  login: string,
): User & { readonly login: string; readonly node_id: string; readonly site_admin: boolean } {
  const isOwner = Object.keys(repositories).some((name) => name.startsWith(`${login}/`))
  const { id, type } = users[login] ?? { id: 0, type: isOwner ? 'Organization' : 'User' }
  return { login, id, node_id: toNodeId('U', 0, login), type, site_admin: false }
}

/** Returns an account, or undefined for the name of a Git author without one. */
export function findUser(state: GitHubState, login: string): ReturnType<typeof toUserBody> | undefined {
  return login in state.users ? toUserBody(state, login) : undefined
}

interface GitPerson {
  readonly name: string
  readonly email: string
}

/** Returns the author or committer as Git stores it. Commits on the website have GitHub's own address. */
export function toGitPerson(state: GitHubState, login: string): GitPerson {
  if (login === WEB_FLOW) return { name: 'GitHub', email: 'noreply@github.com' }
  const id = state.users[login]?.id
  return {
    name: login,
    email: id === undefined ? `${login}@users.noreply.example` : `${id}+${login}@users.noreply.github.com`,
  }
}

/** @param name a login, or a team as `org/team` */
export function toReviewerBody(
  { state }: GitHubCall,
  name: string,
): { readonly user: object } | { readonly team: object } {
  const team = name.split('/')[1]
  if (team === undefined) return { user: toUserBody(state, name) }
  const granted = { permission: 'push', type: 'organization', description: null }
  return { team: { id: 1, name: team, slug: team, ...granted } }
}

const APPS: readonly string[] = ['github-actions', 'link-checker']

export const getAppId = (slug: string): number => APPS.indexOf(slug) + 1

export function toAppBody({ state }: GitHubCall, slug: string): object {
  return {
    id: getAppId(slug),
    slug,
    name: slug,
    owner: toUserBody(state, 'acme'),
    description: null,
    permissions: {},
    events: [],
    ...setFields(DEFAULT_CREATED_AT, 'created_at', 'updated_at'),
  }
}

export function getCheckPageUrl(
  { baseUrl, name }: Pick<GitHubCall, 'baseUrl' | 'name'>,
  { id, runId }: CheckRun,
): string {
  return runId === undefined ? `${baseUrl}/${name}/runs/${id}` : `${baseUrl}/${name}/actions/runs/${runId}/job/${id}`
}

export function toLabelBody(call: GitHubCall, name: string): object {
  const { id, labels } = call.repository
  return {
    id: labels.indexOf(name) + 1,
    node_id: toNodeId('LA', id, name),
    url: getApiUrl(call, `/labels/${encodeURIComponent(name)}`),
    name,
    description: null,
    color: 'ededed',
    default: false,
  }
}

/** The id of Git's empty tree. Commits here have no tree objects. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

type FileBody = FileChange & Record<'additions' | 'deletions' | 'changes', number> & { readonly sha: string }

/** Defaults to one added line. */
export function toFileBody(change: FileChange): FileBody {
  const { additions = 1, deletions = 0, status = 'modified', filename, previous_filename, patch } = change
  const file = {
    filename,
    ...(previous_filename !== undefined && { previous_filename }),
    ...(patch !== undefined && { patch }),
  }
  return { ...file, sha: 'f'.repeat(40), status, additions, deletions, changes: additions + deletions }
}

/** Returns the form in check suites, workflow runs and their events, without accounts. */
export function toSimpleCommitBody(
  { state }: GitHubCall,
  { sha, message, author, committer = author, atMs }: Commit,
): object {
  const people = { author: toGitPerson(state, author), committer: toGitPerson(state, committer) }
  return { id: sha, tree_id: EMPTY_TREE, message, timestamp: formatTime(atMs), ...people }
}

export function toCommitBody(call: GitHubCall, commit: Commit): object {
  const { sha, message, author, committer = author, atMs, parents } = commit
  const { state, baseUrl, name, repository } = call
  const toSignature = (login: string): object => ({ ...toGitPerson(state, login), date: formatTime(atMs) })
  const toReference = (id: string): object => ({
    sha: id,
    url: getApiUrl(call, `/commits/${id}`),
    html_url: `${baseUrl}/${name}/commit/${id}`,
  })
  return {
    ...toReference(sha),
    node_id: toNodeId('C', repository.id, sha),
    commit: {
      message,
      author: toSignature(author),
      committer: toSignature(committer),
      comment_count: 0,
      tree: { sha: EMPTY_TREE },
    },
    author: findUser(state, author) ?? null,
    committer: findUser(state, committer) ?? null,
    parents: parents.map(toReference),
  }
}

/** Counts the reactions by content. */
export function toReactionsBody(url: string, reactions: readonly Reaction[]): object {
  const counts = REACTIONS.map((name) => [name, reactions.filter(({ content }) => content === name).length] as const)
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) }
}

/** Returns the short form, which statuses, check suites and workflow runs contain. */
export function toMinimalRepositoryBody(call: GitHubCall, name: string, { id, visibility }: RepositoryState): object {
  const [owner = '', short] = name.split('/')
  return {
    id,
    node_id: toNodeId('R', id, ''),
    name: short,
    full_name: name,
    private: visibility !== 'public',
    owner: toUserBody(call.state, owner),
    html_url: `${call.baseUrl}/${name}`,
    url: getApiUrl({ ...call, name }, ''),
    description: null,
    fork: false,
  }
}

export function toRepositoryBody(call: GitHubCall, name: string, repository: RepositoryState): object {
  const { defaultBranch, visibility } = repository
  return {
    ...toMinimalRepositoryBody(call, name, repository),
    visibility,
    default_branch: defaultBranch,
    ...setFields(false, 'archived', 'disabled', 'has_pages'),
    ...setFields(true, 'has_issues', 'has_projects', 'has_wiki', 'has_downloads'),
    ...setFields(null, 'homepage', 'language', 'license'),
    ...setFields(0, 'size', 'forks', 'forks_count', 'stargazers_count', 'watchers', 'watchers_count'),
    ...setFields(0, 'open_issues', 'open_issues_count'),
    ...setFields(DEFAULT_CREATED_AT, 'created_at', 'updated_at', 'pushed_at'),
  }
}

export function toFullRepositoryBody(call: GitHubCall): object {
  const { mergeMethods } = call.repository
  return {
    ...toRepositoryBody(call, call.name, call.repository),
    allow_merge_commit: mergeMethods.includes('merge'),
    allow_squash_merge: mergeMethods.includes('squash'),
    allow_rebase_merge: mergeMethods.includes('rebase'),
    allow_auto_merge: true,
    ...setFields(false, 'has_discussions', 'delete_branch_on_merge'),
    ...setFields(0, 'network_count', 'subscribers_count'),
  }
}
