import * as z from 'zod/mini'
import type { Call } from './call.ts'
import { type ComparedCommit, commitSchema } from './commits.ts'
import { PAGE_SIZE } from './pages.ts'
import { orUndefined, parseResponse, text, withGaps } from './schemas.ts'

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
const MOST_FILES = 300
/** Of the commits before those on the last pages only the number is known. */
const MOST_COMMIT_PAGES = 5

function saysAll(file: ChangedFile | undefined): boolean {
  return file !== undefined && (file.status !== 'renamed' || file.previousPath !== undefined)
}

function assessFileList(files: readonly (ChangedFile | undefined)[] | undefined): 'whole' | 'cut' | 'unreadable' {
  if (files?.every(saysAll) !== true) return 'unreadable'
  return files.length < MOST_FILES ? 'whole' : 'cut'
}

const wireComparison = z.object({
  status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
  merge_base_commit: z.object({ sha: z.string() }),
  commits: z.array(commitSchema),
  total_commits: z.int(),
  files: orUndefined(withGaps(z.pipe(wireFile, z.transform(toFile)))),
})

function toComparison(comparison: z.infer<typeof wireComparison>) {
  const { files = [] } = comparison
  const commits: readonly ComparedCommit[] = comparison.commits
  return {
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
    const firstListed = Math.max(1, lastPage - MOST_COMMIT_PAGES + 1)
    let commits = firstListed === 1 ? first.commits : []
    for (let page = Math.max(2, firstListed); page <= lastPage; page++) {
      const more = await readPage(page)
      if (more.commits.length === 0) break
      commits = [...commits, ...more.commits]
    }
    return { ...first, commits }
  },
})
