import * as z from 'zod/mini'
import type { Call } from './call.ts'
import { type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import { type Account, accountSchema, type PullRequestAddress } from './pull-requests.ts'
import { parseResponse, part, skipMalformed, textOrEmpty } from './schemas.ts'

/** GitHub lists no more commits of a pull request. */
export const MOST_COMMITS = 250

const gitPerson = part({ name: textOrEmpty, email: textOrEmpty, date: textOrEmpty })

const wireCommit = z.object({
  sha: z.string(),
  commit: part({ message: textOrEmpty, author: gitPerson, committer: gitPerson }),
  author: accountSchema,
  committer: accountSchema,
  parents: z.array(z.object({ sha: z.string() })),
})

/** The login of whoever a commit is by, or name and address in git if GitHub does not know whose they are. */
function nameOf({ login }: Account, { name, email }: z.infer<typeof gitPerson>): string {
  return login === '' && name + email !== '' ? `${name} <${email}>` : login
}

const toCommit = ({ sha, commit, author, committer, parents }: z.infer<typeof wireCommit>) => ({
  sha,
  message: commit.message,
  /** The author's name in git. */
  author: commit.author.name,
  /** The author's on GitHub. */
  account: author,
  writtenBy: nameOf(author, commit.author),
  /** The committer's: whoever rebases or amends a commit leaves its author and that time as they were. */
  committedBy: nameOf(committer, commit.committer),
  writtenAt: commit.author.date,
  parents: parents.map((parent) => parent.sha),
})

export const commitSchema = z.pipe(wireCommit, z.transform(toCommit))
export type PullRequestCommit = Readonly<ReturnType<typeof toCommit>>
export type ComparedCommit = Pick<PullRequestCommit, 'sha' | 'message' | 'author'> & {
  readonly account?: Account
}

// Reject the whole list if any commit is malformed: that commit may be somebody's.
const commitsSchema = z.array(commitSchema)
const comparedCommitsSchema = z.pipe(
  z.object({ commits: commitsSchema }),
  z.transform(({ commits }) => commits),
)
const MAX_COMMIT_PAGES = Math.ceil(MOST_COMMITS / PAGE_SIZE)

/** A tag, and the commit that it names. */
export type Tag = Readonly<z.infer<typeof tagSchema>>

const tagSchema = z.pipe(
  z.object({ name: z.string(), commit: z.object({ sha: z.string() }) }),
  z.transform(({ name, commit: { sha } }) => ({ name, sha })),
)
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
      return readAll((cursor) => request(route, { ...query, ...cursor }), {
        page: commitsSchema,
        mostPages: MAX_COMMIT_PAGES,
      })
    }),
  listCommitsBetween: (repository, base, head) =>
    call('contents: read', repository, ({ request, repo }) => {
      const query = { ...repo, basehead: `${base}...${head}`, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/compare/{basehead}'
      return readAll((cursor) => request(route, { ...query, ...cursor }), {
        page: comparedCommitsSchema,
        mostPages: MAX_COMMIT_PAGES,
      })
    }),
  readCommit: (repository, sha) =>
    call('contents: read', repository, async ({ request, repo }) => {
      const response = await request('GET /repos/{owner}/{repo}/commits/{ref}', { ...repo, ref: sha })
      return parseResponse(commitSchema, response)
    }),
  listTags: (repository) =>
    call('contents: read', repository, ({ request, repo }) => {
      const query = { ...repo, per_page: PAGE_SIZE }
      const limits = { mostPages: MOST_TAG_PAGES, past: 'left' } as const
      const readPage = (cursor: Cursor) => request('GET /repos/{owner}/{repo}/tags', { ...query, ...cursor })
      return readAll(readPage, { page: skipMalformed(tagSchema), ...limits })
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
