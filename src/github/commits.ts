import * as z from 'zod/mini'
import { type Call, type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import { type Account, accountSchema, type PullRequestAddress } from './pull-requests.ts'
import { orUndefined, parseResponse, part, skipMalformed, text, textOrEmpty, withGaps } from './schemas.ts'

/** GitHub lists no more commits of a pull request. */
export const MAX_COMMITS = 250

const gitPerson = part({ name: textOrEmpty, email: textOrEmpty, date: textOrEmpty })

const wireCommit = z.object({
  sha: z.string(),
  commit: part({ message: textOrEmpty, author: gitPerson, committer: gitPerson }),
  author: accountSchema,
  committer: accountSchema,
  parents: z.array(z.object({ sha: z.string() })),
})

/** The login of whoever a commit is by, or name and address in git if GitHub does not know whose they are. */
function getName({ login }: Account, { name, email }: z.infer<typeof gitPerson>): string {
  return login === '' && name + email !== '' ? `${name} <${email}>` : login
}

const toCommit = ({ sha, commit, author, committer, parents }: z.infer<typeof wireCommit>) => ({
  sha,
  message: commit.message,
  /** The author's name in git. */
  author: commit.author.name,
  /** The author's on GitHub. */
  account: author,
  writtenBy: getName(author, commit.author),
  /** The committer's: whoever rebases or amends a commit leaves its author and that time as they were. */
  committedBy: getName(committer, commit.committer),
  writtenAt: commit.author.date,
  parents: parents.map((parent) => parent.sha),
})

const commitSchema = z.pipe(wireCommit, z.transform(toCommit))
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
const MAX_COMMIT_PAGES = Math.ceil(MAX_COMMITS / PAGE_SIZE)

/** A tag, and the commit that it names. */
export type Tag = Readonly<z.infer<typeof tagSchema>>

const tagSchema = z.pipe(
  z.object({ name: z.string(), commit: z.object({ sha: z.string() }) }),
  z.transform(({ name, commit: { sha } }) => ({ name, sha })),
)
/** Tags past these are not read. */
const MAX_TAG_PAGES = 10

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
        maxPages: MAX_COMMIT_PAGES,
      })
    }),
  listCommitsBetween: (repository, base, head) =>
    call('contents: read', repository, ({ request, repo }) => {
      const query = { ...repo, basehead: `${base}...${head}`, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/compare/{basehead}'
      return readAll((cursor) => request(route, { ...query, ...cursor }), {
        page: comparedCommitsSchema,
        maxPages: MAX_COMMIT_PAGES,
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
      const limits = { maxPages: MAX_TAG_PAGES, past: 'left' } as const
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
export function findForkPoint(commits: readonly PullRequestCommit[]): string | undefined {
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
export function listOwners(
  { login }: Account,
  commits: readonly PullRequestCommit[],
  head: string,
): ReadonlySet<string> {
  const firstLine = commits.map((commit) => ({ ...commit, parents: commit.parents.slice(0, 1) }))
  const first = historyIn(firstLine, head).at(-1)
  return new Set([login, first?.writtenBy ?? ''].filter((name) => name !== ''))
}

const wireFile = z.object({
  filename: z.string(),
  status: z.string(),
  previous_filename: text,
  patch: text,
  additions: z.catch(z.int(), 0),
  deletions: z.catch(z.int(), 0),
})

const toFile = ({ filename, status, previous_filename: previous, ...file }: z.infer<typeof wireFile>) => ({
  path: filename,
  /** As GitHub names it: `added`, `removed`, `modified`, `renamed`, `copied`, `changed`, `unchanged`. */
  status,
  /** Where it was before, if it was renamed. A copy leaves the other as it was. */
  previousPath: status === 'renamed' ? previous : undefined,
  /** Undefined for binary and for very large files. */
  patch: file.patch,
  additions: file.additions,
  deletions: file.deletions,
})
export type ChangedFile = Readonly<ReturnType<typeof toFile>>

/** GitHub's own limit for the files of a comparison. */
const MAX_FILES = 300
/** Earlier commits of a comparison are only counted. */
const MAX_COMPARED_PAGES = 5

function saysAll(file: ChangedFile | undefined): boolean {
  return file !== undefined && (file.status !== 'renamed' || file.previousPath !== undefined)
}

function assessFileList(files: readonly (ChangedFile | undefined)[] | undefined): 'whole' | 'cut' | 'unreadable' {
  if (files?.every(saysAll) !== true) return 'unreadable'
  return files.length < MAX_FILES ? 'whole' : 'cut'
}

/** `owner/name` in the address of a comparison. */
const REPOSITORY = /\/repos\/([^/]+\/[^/]+)\/compare\//

const wireComparison = z.object({
  url: textOrEmpty,
  status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
  merge_base_commit: z.object({ sha: z.string() }),
  commits: z.array(commitSchema),
  total_commits: z.int(),
  files: orUndefined(withGaps(z.pipe(wireFile, z.transform(toFile)))),
})

function toComparison(comparison: z.infer<typeof wireComparison>) {
  const { files = [] } = comparison
  const commits: readonly ComparedCommit[] = comparison.commits
  const repositoryName = REPOSITORY.exec(comparison.url)?.[1]
  return {
    /** As GitHub names it, also if it was asked for by an older name or in other letters. Left out if GitHub does not say. */
    ...(repositoryName !== undefined && { repositoryName }),
    /** How the head stands to the base. `diverged` and `behind` mean that history was rewritten. */
    relation: comparison.status,
    mergeBase: comparison.merge_base_commit.sha,
    /**
     * Oldest first. If there are more than can be read, the newest ones. A list with a commit that cannot be read is refused,
     * as that commit may be the one that is somebody's.
     */
    commits,
    /** May be more than there are in `commits`. */
    totalCommits: comparison.total_commits,
    /** Those that say their name and what became of them. */
    files: files.filter((file) => file !== undefined),
    /**
     * `cut`: there may be others, as GitHub lists no more than 300 files. `unreadable`: GitHub has sent no list, or one with
     * files that cannot be read.
     */
    fileList: assessFileList(comparison.files),
  }
}

const comparisonSchema = z.pipe(wireComparison, z.transform(toComparison))
export type Comparison = Readonly<ReturnType<typeof toComparison>>

export interface Comparisons {
  /**
   * What changed between the merge base of the two and the head (`GET /repos/{owner}/{repo}/compare/{basehead}`). The commits
   * come in pages, oldest first; the files only come on the first one.
   */
  readonly compare: (repository: string, base: string, head: string) => Promise<Comparison>
}

export const connectComparisons = (call: Call): Comparisons => ({
  compare: async (repository, base, head) => {
    const readPage = (page: number): Promise<Comparison> =>
      call('contents: read', repository, async ({ request, repo }) => {
        const query = { ...repo, basehead: `${base}...${head}`, per_page: PAGE_SIZE, page }
        const response = await request('GET /repos/{owner}/{repo}/compare/{basehead}', query)
        return parseResponse(comparisonSchema, response)
      })
    const first = await readPage(1)
    const lastPage = Math.ceil(first.totalCommits / PAGE_SIZE)
    const firstListed = Math.max(1, lastPage - MAX_COMPARED_PAGES + 1)
    let commits = firstListed === 1 ? first.commits : []
    for (let page = Math.max(2, firstListed); page <= lastPage; page++) {
      const more = await readPage(page)
      if (more.commits.length === 0) break
      commits = [...commits, ...more.commits]
    }
    return { ...first, commits }
  },
})
