/** Reads commits, tags and comparisons. */
import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import { type Call, type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import { type Account, accountSchema, type PullRequestAddress } from './pull-requests.ts'
import {
  type Built,
  optionalOrUndefined,
  parseResponse,
  looseObject,
  skipMalformed,
  stringField,
  stringOrEmpty,
  withGaps,
} from './schemas.ts'
import type { Freshness } from './transport.ts'

/** GitHub's limit for the commits of a pull request. */
const MAX_COMMITS = 250

const gitPerson = () => looseObject({ name: stringOrEmpty, email: stringOrEmpty, date: stringOrEmpty })

const wireCommit = () =>
  z.object({
    sha: z.string(),
    commit: looseObject({ message: stringOrEmpty, author: gitPerson(), committer: gitPerson() }),
    author: accountSchema,
    committer: accountSchema,
    parents: z.array(z.object({ sha: z.string() })),
  })

/** Returns the login of the account, or the name and the email address in git if GitHub does not know the account. */
function getName({ login }: Account, { name, email }: Built<typeof gitPerson>): string {
  return login === '' && name + email !== '' ? `${name} <${email}>` : login
}

const toCommit = ({ sha, commit, author, committer, parents }: Built<typeof wireCommit>) => ({
  sha,
  message: commit.message,
  /** The author's name in git. */
  author: commit.author.name,
  /** The author's account on GitHub. */
  account: author,
  /** The committer's account on GitHub: `web-flow` for a commit that GitHub has made. */
  committerLogin: committer.login,
  writtenBy: getName(author, commit.author),
  /** A rebase or an amend changes the committer, but neither the author nor `writtenAt`. */
  committedBy: getName(committer, commit.committer),
  writtenAt: commit.author.date,
  parents: parents.map((parent) => parent.sha),
})

const commitSchema = z.lazy(() => z.pipe(wireCommit(), z.transform(toCommit)))
export type PullRequestCommit = Readonly<ReturnType<typeof toCommit>>
export type ComparedCommit = Pick<PullRequestCommit, 'sha' | 'message' | 'author'> &
  Partial<Pick<PullRequestCommit, 'account' | 'writtenBy' | 'committedBy' | 'committerLogin'>>

// Reject the whole list if any commit is malformed: it could be a commit by a person.
const commitsSchema = z.lazy(() => z.array(commitSchema))
const comparedCommitsSchema = z.lazy(() =>
  z.pipe(
    z.object({ commits: commitsSchema }),
    z.transform(({ commits }) => commits),
  ),
)
const MAX_COMMIT_PAGES = Math.ceil(MAX_COMMITS / PAGE_SIZE)

/** Commits on earlier pages of a comparison are only counted. */
const MAX_COMPARED_PAGES = 5

const tagsSchema = z.lazy(() =>
  skipMalformed(
    z.pipe(
      z.object({ name: z.string() }),
      z.transform(({ name }) => name),
    ),
  ),
)
const MAX_TAG_PAGES = 10
/** If as many tags are listed, there can be more. */
export const MAX_TAGS = MAX_TAG_PAGES * PAGE_SIZE

export interface Commits {
  /** Lists the commits of a pull request, oldest first by author date. */
  readonly listPullRequestCommits: (pullRequest: PullRequestAddress) => Promise<readonly PullRequestCommit[]>
  /** Lists the commits of `head` that `base` does not have, as a pull request would. */
  readonly listCommitsBetween: (repository: string, base: string, head: string) => Promise<readonly PullRequestCommit[]>
  /**
   * Lists the commits in the history of `head` down to `base`, oldest first (`GET /repos/{owner}/{repo}/commits`), for a comparison
   * that GitHub cannot make. The list is sorted by date, so it can lack commits of a merged branch that are older than the base.
   * @returns whether `base` is in that history; if not, all commits
   * @throws ActionError `rejected` if there are more than 500
   */
  readonly listCommitsDownTo: (
    repository: string,
    base: string,
    head: string,
  ) => Promise<{ readonly commits: readonly PullRequestCommit[]; readonly hasBase: boolean }>
  /** Finds the newest commit in the history of `head` that changed a file (`GET /repos/{owner}/{repo}/commits`). */
  readonly findLastChange: (repository: string, path: string, head: string) => Promise<string | undefined>
  /** Lists the names of the tags (`GET /repos/{owner}/{repo}/tags`). */
  readonly listTags: (repository: string) => Promise<readonly string[]>
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
  listCommitsDownTo: (repository, base, head) =>
    call('contents: read', repository, async ({ request, repo }) => {
      const list = (query: object) => request('GET /repos/{owner}/{repo}/commits', { ...repo, ...query })
      // The base can be a branch or a tag.
      const newest = parseResponse(commitsSchema, await list({ sha: base, per_page: 1 }))[0]
      const readPage = (cursor: Cursor) => list({ sha: head, per_page: PAGE_SIZE, ...cursor })
      const isBase = ({ sha }: PullRequestCommit): boolean => sha === newest?.sha
      const listed = await readAll(readPage, { page: commitsSchema, maxPages: MAX_COMPARED_PAGES, isLast: isBase })
      const at = listed.findIndex(isBase)
      return { commits: listed.slice(0, at === -1 ? undefined : at).toReversed(), hasBase: at !== -1 }
    }),
  findLastChange: (repository, path, head) =>
    call('contents: read', repository, async ({ request, repo }) => {
      const query = { ...repo, path, sha: head, per_page: 1 }
      return parseResponse(commitsSchema, await request('GET /repos/{owner}/{repo}/commits', query))[0]?.sha
    }),
  listTags: (repository) =>
    call('contents: read', repository, ({ request, repo }) => {
      const query = { ...repo, per_page: PAGE_SIZE }
      const limits = { maxPages: MAX_TAG_PAGES, canBeCut: true } as const
      const readPage = (cursor: Cursor) => request('GET /repos/{owner}/{repo}/tags', { ...query, ...cursor })
      return readAll(readPage, { page: tagsSchema, ...limits })
    }),
})

/** Returns the commits that are in the history of `sha`, including itself. Empty if `sha` is not among the commits. */
export function listHistory(commits: readonly PullRequestCommit[], sha: string): readonly PullRequestCommit[] {
  const remaining = new Map(commits.map((commit) => [commit.sha, commit]))
  const ordered: PullRequestCommit[] = []
  for (const next = [sha]; next.length > 0;) {
    const commit = remaining.get(next.pop() ?? '')
    if (commit === undefined) continue
    remaining.delete(commit.sha)
    ordered.push(commit)
    for (const parent of commit.parents) next.push(parent)
  }
  return ordered
}

/**
 * Returns the author of a pull request and the author of its branch's first commit. The two can differ, because the
 * agent can commit with another account. If the author of the pull request has committed that commit for somebody else,
 * that person is no owner. Follows first parents only, because merged commits can be older.
 * @param commits the commits of the pull request
 * @param head the newest commit
 */
export function listOwners(
  { login }: Account,
  commits: readonly PullRequestCommit[],
  head: string,
): ReadonlySet<string> {
  const firstParents = commits.map((commit) => ({ ...commit, parents: commit.parents.slice(0, 1) }))
  const first = listHistory(firstParents, head).at(-1)
  const isForOther = login !== '' && first?.committedBy === login
  return new Set([login, isForOther ? '' : (first?.writtenBy ?? '')].filter((name) => name !== ''))
}

/** Whether an owner wrote a commit, or committed it in the name of the person who asked. */
export const isByOwner = (
  { writtenBy = '', committedBy = '' }: Partial<Pick<PullRequestCommit, 'writtenBy' | 'committedBy'>>,
  owners: ReadonlySet<string>,
): boolean => owners.has(writtenBy) || owners.has(committedBy)

const wireFile = () =>
  z.object({
    filename: z.string(),
    status: z.string(),
    previous_filename: stringField,
    patch: stringField,
    additions: z.catch(z.int(), 0),
    deletions: z.catch(z.int(), 0),
  })

const toFile = ({
  filename,
  status,
  previous_filename: previous,
  patch,
  additions,
  deletions,
}: Built<typeof wireFile>) => ({
  path: filename,
  /** `added`, `removed`, `modified`, `renamed`, `copied`, `changed` or `unchanged`. */
  status,
  /** Set for a renamed file. A copied file has none, because the original still exists. */
  previousPath: status === 'renamed' ? previous : undefined,
  /** Undefined for binary files and for very large files. */
  patch,
  additions,
  deletions,
})
export type ChangedFile = Readonly<ReturnType<typeof toFile>>

/** GitHub's limit for the files of a comparison. */
const MAX_FILES = 300

function assessFileList(
  files: readonly (ChangedFile | undefined)[] | undefined,
): 'complete' | 'truncated' | 'unreadable' | 'unavailable' {
  // A renamed file also counts under its previous path.
  const isReadable = (file: ChangedFile | undefined): boolean =>
    file !== undefined && (file.status !== 'renamed' || file.previousPath !== undefined)
  if (files?.every(isReadable) !== true) return 'unreadable'
  return files.length < MAX_FILES ? 'complete' : 'truncated'
}

/** Finds `owner/name` in the URL of a comparison. */
const REPOSITORY = /\/repos\/([^/]+\/[^/]+)\/compare\//

const wireComparison = () =>
  z.object({
    url: stringOrEmpty,
    status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
    merge_base_commit: z.object({ sha: z.string() }),
    commits: z.array(commitSchema),
    total_commits: z.int(),
    files: optionalOrUndefined(withGaps(z.pipe(wireFile(), z.transform(toFile)))),
  })

function toComparison(comparison: Built<typeof wireComparison>) {
  const { files = [], merge_base_commit: mergeBase } = comparison
  const commits: readonly ComparedCommit[] = comparison.commits
  const repositoryName = REPOSITORY.exec(comparison.url)?.[1]
  return {
    /**
     * The current name of the repository, which can differ from the requested name. Absent if GitHub does not name it.
     */
    ...(repositoryName !== undefined && { repositoryName }),
    /** The position of the head relative to the base. `diverged` and `behind` mean that history was rewritten. */
    relation: comparison.status,
    mergeBase: mergeBase.sha,
    /**
     * Oldest first. If there are too many, only the newest. A malformed commit rejects the list, like `commitsSchema`.
     */
    commits,
    /** Can be larger than the number of `commits`. */
    totalCommits: comparison.total_commits,
    /** The files with a name and a status. */
    files: files.filter((file) => file !== undefined),
    /**
     * `truncated`: there may be more files, because GitHub lists at most 300. `unreadable`: the list or a file is malformed.
     * `unavailable`: GitHub cannot compare, so that only the commits are known.
     */
    fileList: assessFileList(comparison.files),
  }
}

const comparisonSchema = z.lazy(() => z.pipe(wireComparison(), z.transform(toComparison)))
export type Comparison = Readonly<ReturnType<typeof toComparison>>

export interface Comparisons {
  /**
   * Compares the head with its merge base (`GET /repos/{owner}/{repo}/compare/{basehead}`). GitHub returns the commits
   * in pages, oldest first, and all files on the first page.
   * @param freshness of the head: a base that is missing was removed, and is not waited for
   */
  readonly compare: (repository: string, base: string, head: string, freshness?: Freshness) => Promise<Comparison>
}

export const connectComparisons = (call: Call): Comparisons => ({
  compare: async (repository, base, head, freshness = {}) => {
    const requestPage = (from: string, page: number, policy: Freshness = {}) =>
      call('contents: read', repository, ({ request, repo }) => {
        const query = { ...repo, basehead: `${from}...${head}`, per_page: PAGE_SIZE, page, request: { ...policy } }
        return request('GET /repos/{owner}/{repo}/compare/{basehead}', query).then((response) =>
          parseResponse(comparisonSchema, response),
        )
      })
    const readPage = (page: number): Promise<Comparison> => requestPage(base, page)
    const first = await readPage(1).catch(async (error: unknown) => {
      if (freshness.mayBeNew !== true || !(error instanceof ActionError) || error.code !== 'not-found') throw error
      // The response does not say which end is missing. The head compared with itself has only one.
      await requestPage(head, 1, freshness)
      return readPage(1)
    })
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
