import type { Call } from './call.ts'
import { type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import { type Account, accountAt, type PullRequestAddress } from './pull-requests.ts'
import { all, object, required, text } from './read-json.ts'

/** GitHub lists no more commits of a pull request. */
export const MOST_COMMITS = 250

/** The login of whoever a commit is by, or name and address in git if GitHub does not know whose they are. */
function nameOf(commit: object, role: 'author' | 'committer'): string {
  const { login } = accountAt(commit, role)
  const [name = '', email = ''] = ['name', 'email'].map((field) => text(commit, `commit.${role}.${field}`))
  return login === '' && name + email !== '' ? `${name} <${email}>` : login
}

export const toCommit = (commit: object) => ({
  sha: required(text(commit, 'sha')),
  message: text(commit, 'commit.message') ?? '',
  /** The author's name in git. */
  author: text(commit, 'commit.author.name') ?? '',
  /** The author's on GitHub. */
  account: accountAt(commit, 'author'),
  writtenBy: nameOf(commit, 'author'),
  /** The committer's: whoever rebases or amends a commit leaves its author and that time as they were. */
  committedBy: nameOf(commit, 'committer'),
  writtenAt: text(commit, 'commit.author.date') ?? '',
  parents: required(all(commit, 'parents', (parent) => required(text(parent, 'sha')))),
})
export type PullRequestCommit = Readonly<ReturnType<typeof toCommit>>
export type ComparedCommit = Pick<PullRequestCommit, 'sha' | 'message' | 'author'> & {
  readonly account?: Account
}

/** One that cannot be read may be somebody's, so that none is left out. */
const ALL_COMMITS = { read: toCommit, mostPages: Math.ceil(MOST_COMMITS / PAGE_SIZE) }

/** A tag, and the commit that it names. */
export type Tag = Readonly<ReturnType<typeof toTag>>

const toTag = (tag: object) => ({ name: required(text(tag, 'name')), sha: required(text(tag, 'commit.sha')) })
/** Tags past these are not read. */
const MOST_TAG_PAGES = 10

export interface Commits {
  /** The commits of a pull request, oldest first by the dates that their authors gave them. */
  readonly listPullRequestCommits: (pullRequest: PullRequestAddress) => Promise<readonly PullRequestCommit[]>
  /** The commits that a head has and a base has not, as a pull request of the two would list them. */
  readonly listCommitsBetween: (repository: string, base: string, head: string) => Promise<readonly PullRequestCommit[]>
  /** One commit (`GET /repos/{owner}/{repo}/commits/{ref}`). @throws ActionError `not-found` or `rejected` if there is none */
  readonly readCommit: (repository: string, sha: string) => Promise<PullRequestCommit>
  /** `GET /repos/{owner}/{repo}/tags` */
  readonly listTags: (repository: string) => Promise<readonly Tag[]>
}

export const connectCommits = (call: Call): Commits => ({
  listPullRequestCommits: ({ repository, number }) =>
    call('pull-requests: read', repository, ({ request, repo }) => {
      const query = { ...repo, pull_number: number, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits'
      return readAll((cursor) => request(route, { ...query, ...cursor }), ALL_COMMITS)
    }),
  listCommitsBetween: (repository, base, head) =>
    call('contents: read', repository, ({ request, repo }) => {
      const query = { ...repo, basehead: `${base}...${head}`, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/compare/{basehead}'
      return readAll((cursor) => request(route, { ...query, ...cursor }), { ...ALL_COMMITS, name: 'commits' })
    }),
  readCommit: (repository, sha) =>
    call('contents: read', repository, async ({ request, repo }) => {
      const response = await request('GET /repos/{owner}/{repo}/commits/{ref}', { ...repo, ref: sha })
      return required(object(response, 'data', toCommit))
    }),
  listTags: (repository) =>
    call('contents: read', repository, ({ request, repo }) => {
      const query = { ...repo, per_page: PAGE_SIZE }
      const limits = { unreadable: 'left', mostPages: MOST_TAG_PAGES, past: 'left' } as const
      const readPage = (cursor: Cursor) => request('GET /repos/{owner}/{repo}/tags', { ...query, ...cursor })
      return readAll(readPage, { read: toTag, ...limits })
    }),
})

/** Those of the commits that this one has in its history, itself included; none if it is not among them. */
export function historyIn(commits: readonly PullRequestCommit[], sha: string): readonly PullRequestCommit[] {
  const left = new Map(commits.map((commit) => [commit.sha, commit]))
  const found: PullRequestCommit[] = []
  for (const next = [sha]; next.length > 0;) {
    const commit = left.get(next.pop() ?? '')
    if (commit === undefined) continue
    left.delete(commit.sha)
    found.push(commit)
    for (const parent of commit.parents) next.push(parent)
  }
  return found
}

/** The commit that a branch came from; undefined if its commits tell of more than one, as after a merge of its base. */
export function forkPointOf(commits: readonly PullRequestCommit[]): string | undefined {
  const own = new Set(commits.map(({ sha }) => sha))
  const outside = new Set(commits.flatMap(({ parents }) => parents).filter((parent) => !own.has(parent)))
  return outside.size === 1 ? [...outside][0] : undefined
}

/**
 * Whoever opened a pull request, and whoever wrote the first commit of its branch: the agent's commits may be by another
 * account than its pull request. What was merged into the branch may be older, and is no part of its first line.
 * @param commits those of the pull request
 * @param head the newest one
 */
export function ownersOf({ login }: Account, commits: readonly PullRequestCommit[], head: string): ReadonlySet<string> {
  const firstLine = commits.map((commit) => ({ ...commit, parents: commit.parents.slice(0, 1) }))
  const first = historyIn(firstLine, head).at(-1)
  return new Set([login, first?.writtenBy ?? ''].filter((name) => name !== ''))
}
