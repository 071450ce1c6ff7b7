import * as z from 'zod/mini'
import { path, type AskGitHub } from './ask-github.ts'
import { PAGE_SIZE, readPages } from './pages.ts'
import { parseAnswer, parseItems, part, text } from './parse-answer.ts'
import { accountSchema, type Account, type PullRequestAddress } from './pull-requests.ts'

export interface ComparedCommit {
  readonly sha: string
  readonly message: string
  /** The author's name in git. */
  readonly author: string
  /** The author's on GitHub. */
  readonly account?: Account
}

export interface PullRequestCommit extends ComparedCommit {
  readonly account: Account
  /** The author's login, or name and address in git if GitHub does not know whose they are. */
  readonly writtenBy: string
  /** The same of the committer: whoever rebases or amends a commit leaves its author and that time as they were. */
  readonly committedBy: string
  readonly writtenAt: string
  readonly parents: readonly string[]
}

/** GitHub lists no more commits of a pull request. */
export const MOST_COMMITS = 250
const MOST_PAGES = Math.ceil(MOST_COMMITS / PAGE_SIZE)

const signature = part(z.object({ name: text, email: text, date: text }))
export const commitSchema = z.object({
  sha: z.string(),
  parents: z.array(z.object({ sha: z.string() })),
  author: accountSchema,
  committer: accountSchema,
  commit: part(z.object({ message: text, author: signature, committer: signature })),
})
/** One that cannot be read may be somebody's, so that none is left out. */
const commitsSchema = z.array(commitSchema)

function nameOf({ login }: Account, signed: z.infer<typeof signature>): string {
  const { name = '', email = '' } = signed ?? {}
  return login === '' && name + email !== '' ? `${name} <${email}>` : login
}

export function toCommit(listed: z.infer<typeof commitSchema>): PullRequestCommit {
  const { sha, commit, author: account, committer, parents } = listed
  const { message = '', author } = commit ?? {}
  return {
    sha,
    message,
    author: author?.name ?? '',
    account,
    writtenBy: nameOf(account, author),
    committedBy: nameOf(committer, commit?.committer),
    writtenAt: author?.date ?? '',
    parents: parents.map((parent) => parent.sha),
  }
}

export interface Tag {
  readonly name: string
  /** The commit that it names. */
  readonly sha: string
}

const tagSchema = z.object({ name: z.string(), commit: z.object({ sha: z.string() }) })
/** Tags past these are not read. */
const MOST_TAG_PAGES = 10

export const connectCommits = (ask: AskGitHub) => ({
  /** The commits of a pull request, oldest first by the dates that their authors gave them. */
  listPullRequestCommits: ({ repository, number }: PullRequestAddress): Promise<readonly PullRequestCommit[]> =>
    ask({ permission: 'pull-requests: read', repository }, async (api) => {
      const pages = await readPages(api, { path: path`/pulls/${number}/commits`, mostPages: MOST_PAGES })
      return parseAnswer(commitsSchema, pages.flat()).map(toCommit)
    }),
  /** The commits that a head has and a base has not, as a pull request of the two would list them. */
  listCommitsBetween: (repository: string, base: string, head: string): Promise<readonly PullRequestCommit[]> =>
    ask({ permission: 'contents: read', repository }, async (api) => {
      const listing = { path: path`/compare/${base}...${head}`, name: 'commits', mostPages: MOST_PAGES }
      return parseAnswer(commitsSchema, (await readPages(api, listing)).flat()).map(toCommit)
    }),
  /** `GET /repos/{owner}/{repo}/tags` */
  listTags: (repository: string): Promise<readonly Tag[]> =>
    ask({ permission: 'contents: read', repository }, async (api) => {
      const pages = await readPages(api, { path: '/tags', mostPages: MOST_TAG_PAGES, past: 'left' })
      return parseItems(tagSchema, pages.flat()).map(({ name, commit }) => ({ name, sha: commit.sha }))
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
