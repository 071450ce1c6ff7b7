import * as z from 'zod/mini'
import { path, type AskGitHub } from './ask-github.ts'
import { commitSchema, type ComparedCommit } from './commits.ts'
import { PAGE_SIZE } from './pages.ts'
import { itemsOf, parseAnswer, part, text } from './parse-answer.ts'

const fileSchema = z.pipe(
  z.object({
    filename: z.string(),
    /** As GitHub names it: `added`, `removed`, `modified`, `renamed`, `copied`, `changed`, `unchanged`. */
    status: z.string(),
    previous_filename: text,
    patch: text,
    additions: z.catch(z.number(), 0),
    deletions: z.catch(z.number(), 0),
  }),
  z.transform(({ filename: path, previous_filename: before, patch, ...file }) => ({
    ...{ ...file, path },
    /** Where it was before, if it was renamed. A copy leaves the other as it was. */
    previousPath: file.status === 'renamed' ? before : undefined,
    /** Undefined for binary and for very large files. */
    patch,
  })),
)
export type ChangedFile = Readonly<z.infer<typeof fileSchema>>

/** GitHub's own limit for the files of a comparison. */
const MOST_FILES = 300
/** Of the commits before those on the last pages only the number is known. */
const MOST_COMMIT_PAGES = 5

const comparisonSchema = z.pipe(
  z.object({
    status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
    merge_base_commit: z.object({ sha: z.string() }),
    total_commits: z.number(),
    commits: itemsOf<ComparedCommit>(commitSchema),
    files: part(z.array(part(fileSchema))),
  }),
  z.transform(({ status, merge_base_commit, total_commits, commits, files }) => {
    const saysAll = (file: ChangedFile | undefined): boolean =>
      file !== undefined && (file.status !== 'renamed' || file.previousPath !== undefined)
    const isWhole = files !== undefined && files.length < MOST_FILES && files.every(saysAll)
    return {
      /** How the head stands to the base. `diverged` and `behind` mean that history was rewritten. */
      relation: status,
      mergeBase: merge_base_commit.sha,
      /** Oldest first. If there are more than can be read, the newest ones. */
      commits,
      /** May be more than there are in `commits`. */
      totalCommits: total_commits,
      /** Those that say their name and what became of them. */
      files: (files ?? []).filter((file) => file !== undefined),
      /** `cut`: there may be others. GitHub lists no more than 300 files, and none at all where a comparison takes it too long. */
      fileList: isWhole ? ('whole' as const) : ('cut' as const),
    }
  }),
)
export type Comparison = Readonly<z.infer<typeof comparisonSchema>>

export interface Comparisons {
  /**
   * What changed between the merge base of the two and the head (`GET /repos/{owner}/{repo}/compare/{basehead}`). The commits
   * come in pages, oldest first; the files only come on the first one.
   */
  readonly compare: (repository: string, base: string, head: string) => Promise<Comparison>
}

export const connectComparisons = (ask: AskGitHub): Comparisons => ({
  compare: async (repository, base, head) => {
    const readPage = (page: number): Promise<Comparison> =>
      ask('contents: read', repository, async (api) => {
        const { data } = await api.get(path`/compare/${base}...${head}`, { per_page: PAGE_SIZE, page })
        return parseAnswer(comparisonSchema, data)
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
