import type { AskGitHub } from './ask-github.ts'
import { PAGE_SIZE } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export interface ChangedFile {
  readonly path: string
  /** As GitHub names it: `added`, `removed`, `modified`, `renamed`, `copied`, `changed`, `unchanged`. */
  readonly status: string
  /** Where it was before, if it was renamed. */
  readonly previousPath: string | undefined
  readonly additions: number
  readonly deletions: number
  /** Undefined for binary and for very large files. */
  readonly patch: string | undefined
}

export interface ComparedCommit {
  readonly sha: string
  readonly message: string
  readonly author: string
}

export interface Comparison {
  /** How the head stands to the base. `diverged` and `behind` mean that history was rewritten. */
  readonly relation: 'ahead' | 'behind' | 'diverged' | 'identical'
  readonly mergeBase: string
  /** Oldest first. If there are more than can be read, the newest ones. */
  readonly commits: readonly ComparedCommit[]
  /** May be more than there are in `commits`. */
  readonly totalCommits: number
  readonly files: readonly ChangedFile[]
  /** `cut`: there may be others. GitHub lists no more than 300 files, and none at all where a comparison takes it too long. */
  readonly fileList: 'whole' | 'cut'
}

interface GitHubFile {
  readonly filename: string
  readonly status: string
  readonly previous_filename?: string
  readonly additions: number
  readonly deletions: number
  readonly patch?: string
}

/** Where a file was before, if it is no longer there: a copy leaves the other as it was. */
export function previousPathOf(file: Pick<GitHubFile, 'status' | 'previous_filename'>): string | undefined {
  return file.status === 'renamed' ? file.previous_filename : undefined
}

/** GitHub's own limit for the files of a comparison. */
const MOST_FILES = 300
/** Of the commits before those on the last pages only the number is known. */
const MOST_COMMIT_PAGES = 5

/** A file without a name cannot be told of; that it is there makes the list a cut one. */
function toChangedFiles(files: readonly GitHubFile[]): readonly ChangedFile[] {
  return files
    .filter(({ filename }) => typeof filename === 'string')
    .map((file) => ({
      path: file.filename,
      status: file.status,
      previousPath: previousPathOf(file),
      additions: file.additions,
      deletions: file.deletions,
      patch: file.patch,
    }))
}

/**
 * What changed between the merge base of the two and the head (`GET /repos/{owner}/{repo}/compare/{basehead}`). The commits
 * come in pages, oldest first; the files only come on the first one.
 * @throws ActionError if GitHub does not tell
 */
export async function compareCommits(
  ask: AskGitHub,
  repository: string,
  base: string,
  head: string,
): Promise<Comparison> {
  const need = { permission: 'contents: read', repository }
  const readPage = (page: number) =>
    ask(need, async ({ rest }) => {
      const basehead = `${base}...${head}`
      const where = { ...splitRepository(repository), basehead, per_page: PAGE_SIZE, page }
      const { data } = await rest.repos.compareCommitsWithBasehead(where)
      const commits = data.commits.map(({ sha, commit }) => ({
        sha,
        message: commit.message,
        author: commit.author?.name ?? '',
      }))
      const listed = data.files ?? []
      const files = toChangedFiles(listed)
      const isWhole = data.files !== undefined && files.length === listed.length && listed.length < MOST_FILES
      return {
        relation: data.status,
        mergeBase: data.merge_base_commit.sha,
        totalCommits: data.total_commits,
        commits,
        files,
        fileList: isWhole ? ('whole' as const) : ('cut' as const),
      }
    })

  const first = await readPage(1)
  const lastPage = Math.ceil(first.totalCommits / PAGE_SIZE)
  const firstListed = Math.max(1, lastPage - MOST_COMMIT_PAGES + 1)
  let commits = firstListed === 1 ? first.commits : []
  for (let page = Math.max(2, firstListed); page <= lastPage; page++) {
    const more = await readPage(page)
    if (more.commits.length === 0) break
    commits = [...commits, ...more.commits]
  }
  return { ...first, commits }
}
