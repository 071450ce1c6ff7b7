import type { CheckRun } from './check-state.ts'
import { type Call, wireTime } from './reply.ts'
import type { Commit, FileChange, RepositoryState } from './repository-state.ts'
import type { GitHubState, User } from './state.ts'

/** When all that nobody dates was made. */
const LONG_AGO = wireTime(Date.UTC(2025, 0, 1))

/** The same value for many fields, which GitHub's description requires and nothing in this world changes. */
function same(value: unknown, ...names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, value]))
}

export function userBody(
  { users }: GitHubState,
  login: string,
): User & { readonly login: string; readonly site_admin: boolean } {
  const { id, type } = users[login] ?? { id: 0, type: 'User' as const }
  return { login, id, type, site_admin: false }
}

/** A user or a team, under the name of one or the other. */
export function reviewerBody({ state }: Call, name: string): { readonly user: object } | { readonly team: object } {
  const team = name.split('/')[1]
  if (team === undefined) return { user: userBody(state, name) }
  const granted = { permission: 'push', type: 'organization', description: null }
  return { team: { id: 1, name: team, slug: team, ...granted } }
}

const APPS: readonly string[] = ['github-actions', 'link-checker']

export const appId = (slug: string): number => APPS.indexOf(slug) + 1

export function appBody({ state }: Call, slug: string): object {
  return {
    id: appId(slug),
    slug,
    name: slug,
    owner: userBody(state, 'acme'),
    description: null,
    permissions: {},
    events: [],
    ...same(LONG_AGO, 'created_at', 'updated_at'),
  }
}

export function checkPage({ baseUrl, name }: Pick<Call, 'baseUrl' | 'name'>, { id, runId }: CheckRun): string {
  return runId === undefined ? `${baseUrl}/${name}/runs/${id}` : `${baseUrl}/${name}/actions/runs/${runId}/job/${id}`
}

export function labelBody({ labels, labelDetails }: RepositoryState, name: string): object {
  const { color = 'ededed', description = '' } = labelDetails[name] ?? {}
  return { id: labels.indexOf(name) + 1, name, description, color, default: false }
}

/** Git's own name for a tree that holds nothing: here no commit has files, but for those it changed. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

type FileBody = FileChange & Record<'additions' | 'deletions' | 'changes', number> & { readonly sha: string }

/** What is not said of a file is that one line of it was added. */
export function fileBody(change: FileChange): FileBody {
  const { additions = 1, deletions = 0, status = 'modified', ...file } = change
  return { ...file, sha: 'f'.repeat(40), status, additions, deletions, changes: additions + deletions }
}

export function commitBody({ state, baseUrl, name }: Call, { sha, message, author, atMs, parents }: Commit): object {
  const written = { name: author, email: `${author}@users.noreply.example`, date: wireTime(atMs) }
  const known = author in state.users ? userBody(state, author) : null
  return {
    sha,
    html_url: `${baseUrl}/${name}/commit/${sha}`,
    commit: { message, author: written, committer: written, comment_count: 0, tree: { sha: EMPTY_TREE } },
    author: known,
    committer: known,
    parents: parents.map((parent) => ({ sha: parent })),
  }
}

export function repositoryBody({ state, baseUrl }: Call, name: string, repository: RepositoryState): object {
  const { id, defaultBranch, visibility } = repository
  const [owner = '', short] = name.split('/')
  return {
    id,
    visibility,
    private: visibility !== 'public',
    full_name: name,
    name: short,
    owner: userBody(state, owner),
    default_branch: defaultBranch,
    html_url: `${baseUrl}/${name}`,
    ...same(false, 'fork', 'archived', 'disabled', 'has_projects', 'has_wiki', 'has_pages', 'has_downloads'),
    ...same(true, 'has_issues'),
    ...same(null, 'description', 'homepage', 'language', 'license'),
    ...same(0, 'size', 'forks', 'forks_count', 'stargazers_count', 'watchers', 'watchers_count'),
    ...same(0, 'open_issues', 'open_issues_count'),
    ...same(LONG_AGO, 'created_at', 'updated_at', 'pushed_at'),
  }
}

export function wholeRepositoryBody(call: Call): object {
  return {
    ...repositoryBody(call, call.name, call.repository),
    ...same(false, 'has_discussions'),
    ...same(0, 'network_count', 'subscribers_count'),
  }
}
