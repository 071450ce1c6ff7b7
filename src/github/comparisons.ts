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
  /** Oldest first. */
  readonly commits: readonly ComparedCommit[]
  /** May be more than there are in `commits`. */
  readonly totalCommits: number
  readonly files: readonly ChangedFile[]
  /** `cut`: GitHub lists no more than 300 files, so there may be others. */
  readonly fileList: 'whole' | 'cut'
}

/** GitHub's own limit for the files of a comparison. */
const MOST_FILES = 300
/** Commits past these are counted, not listed. */
const MOST_COMMIT_PAGES = 5

/**
 * What changed between the merge base of the two and the head (`GET /repos/{owner}/{repo}/compare/{basehead}`). The commits
 * come in pages; the files only come on the first one.
 * @throws ActionError where GitHub does not tell
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
      const files = (data.files ?? []).map((file) => ({
        path: file.filename,
        status: file.status,
        previousPath: file.previous_filename,
        additions: file.additions,
        deletions: file.deletions,
        patch: file.patch,
      }))
      return {
        relation: data.status,
        mergeBase: data.merge_base_commit.sha,
        totalCommits: data.total_commits,
        commits,
        files,
      }
    })

  const first = await readPage(1)
  let commits = first.commits
  for (let page = 2; page <= MOST_COMMIT_PAGES && commits.length < first.totalCommits; page++) {
    const more = await readPage(page)
    if (more.commits.length === 0) break
    commits = [...commits, ...more.commits]
  }
  return { ...first, commits, fileList: first.files.length < MOST_FILES ? 'whole' : 'cut' }
}
