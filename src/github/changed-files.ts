import type { Call } from './call.ts'
import { PAGE_SIZE, readAll } from './pages.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { required, text } from './read-json.ts'

const toPaths = (file: object): readonly string[] => {
  const previous = text(file, 'previous_filename')
  return [required(text(file, 'filename')), ...(previous === undefined ? [] : [previous])]
}

/** GitHub lists at most 3,000 files of a pull request or a commit, 100 a page. */
const ALL_FILES = { read: toPaths, mostPages: 30 }

export interface ChangedFiles {
  /** Every path that a pull request touches, those before a rename included. */
  readonly listPullRequestPaths: (pullRequest: PullRequestAddress) => Promise<readonly string[]>
  /** Every path that a commit touches, those before a rename included. */
  readonly listCommitPaths: (repository: string, sha: string) => Promise<readonly string[]>
}

export const connectChangedFiles = (call: Call): ChangedFiles => ({
  listPullRequestPaths: ({ repository, number }) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, pull_number: number, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files'
      return (await readAll((cursor) => request(route, { ...query, ...cursor }), ALL_FILES)).flat()
    }),
  listCommitPaths: (repository, sha) =>
    call('contents: read', repository, async ({ request, repo }) => {
      const query = { ...repo, ref: sha, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/commits/{ref}'
      return (
        await readAll((cursor) => request(route, { ...query, ...cursor }), { ...ALL_FILES, name: 'files' })
      ).flat()
    }),
})
