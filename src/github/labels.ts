/** Reads and adds the labels of pull requests. */
import * as z from 'zod/mini'
import { type Call, type Cursor, PAGE_SIZE, readAll, readPages } from './pages.ts'
import { type GitHubResponse, orUndefinedIfRefused } from './github-error.ts'
import { accountSchema, labelsSchema, type PullRequestAddress } from './pull-requests.ts'

const listedSchema = z.pipe(
  z.object({ number: z.int(), labels: labelsSchema, user: accountSchema, pull_request: z.optional(z.unknown()) }),
  z.transform(({ number, labels, user: author, pull_request: pullRequest }) => ({
    number,
    labels,
    author,
    isPullRequest: pullRequest !== undefined,
  })),
)

// Reject the whole list if any item is malformed: the malformed item could be the one we are looking for.
const listSchema = z.array(listedSchema)

type Listed = Readonly<z.infer<typeof listedSchema>>

/** A pull request, with the fields that both GitHub's lists of pull requests and its lists of issues contain. */
export type PullRequestInList = PullRequestAddress & Pick<Listed, 'author' | 'labels'>

/** The token cannot read issues (403, 404), or issues are disabled in the repository (410). */
const NO_ISSUES = [403, 404, 410]

/** A longer list is rejected. */
const MAX_PAGES = 30
/** The maximum number of pages of a list in which only the newest items matter. */
const MAX_NEWEST_PAGES = 10

const OPEN = { per_page: PAGE_SIZE, state: 'open', sort: 'created', direction: 'asc' } as const
const NEWEST = { per_page: PAGE_SIZE, state: 'all', sort: 'created', direction: 'desc' } as const
const NEWEST_OPEN = { ...NEWEST, state: 'open' } as const

/**
 * Whether labels include a label. GitHub ignores the case of labels.
 * @param label empty if no label is in use
 */
export function hasLabel(label: string, labels: readonly string[]): boolean {
  return label !== '' && labels.some((name) => name.toLowerCase() === label.toLowerCase())
}

function toPullRequests(repository: string, listed: readonly Listed[]): readonly PullRequestInList[] {
  return listed.map(({ number, author, labels }) => ({ repository, number, author, labels }))
}

export interface Labels {
  /**
   * Adds a label to a pull request. GitHub creates a label that the repository does not have, if the token has `issues:
   * write`.
   */
  readonly addLabel: (pullRequest: PullRequestAddress, label: string) => Promise<void>
  /**
   * Lists the open pull requests with a label, oldest first, from GitHub's list by label. This list lags: a pull
   * request that has just received the label can be missing.
   * @returns `undefined` if the token cannot read issues
   */
  readonly findLabelledPullRequests: (
    repository: string,
    label: string,
  ) => Promise<readonly PullRequestAddress[] | undefined>
  /**
   * Lists the newest pull requests with a label, in any state, newest first. Reads one page of GitHub's list by
   * label. If it is empty, as for a token that cannot read issues, reads the 100 newest pull requests.
   */
  readonly listNewestPullRequests: (repository: string, label: string) => Promise<readonly PullRequestInList[]>
  /**
   * Lists all open pull requests, oldest first. GitHub's search is not used, because it lags. A pull request that is
   * closed between two pages shifts all later ones, so a list of several pages is read twice.
   * @throws ActionError `rejected` if there are more than can be listed
   */
  readonly listOpenPullRequests: (repository: string) => Promise<readonly PullRequestInList[]>
  /**
   * Lists the 1,000 newest open pull requests, oldest first.
   * @returns `isComplete`: whether these are all open pull requests
   */
  readonly listNewestOpenPullRequests: (
    repository: string,
  ) => Promise<{ readonly pullRequests: readonly PullRequestInList[]; readonly isComplete: boolean }>
}

/** Reads a list of pull requests, twice if it has several pages: a closed pull request shifts all later ones. */
async function readMovingList(
  readPage: (cursor: Cursor) => Promise<GitHubResponse>,
  listing: { readonly maxPages: number; readonly canBeCut?: boolean },
): Promise<{ readonly listed: readonly Listed[]; readonly isComplete: boolean }> {
  const first = await readPages(readPage, { ...listing, page: listSchema })
  const again = first.length === 1 ? [] : await readPages(readPage, { ...listing, page: listSchema })
  const found = new Map([...first, ...again].flat().map((pull) => [pull.number, pull]))
  const listed = [...found.values()].toSorted((a, b) => a.number - b.number)
  return { listed, isComplete: Math.max(first.length, again.length) < listing.maxPages }
}

export const connectLabels = (call: Call): Labels => ({
  addLabel: ({ repository, number }, label) =>
    call('pull-requests: write', repository, async ({ request, repo }) => {
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels'
      await request(route, { ...repo, issue_number: number, labels: [label] })
    }),
  findLabelledPullRequests: (repository, label) =>
    call('issues: read', repository, async ({ request, repo }) => {
      const query = { ...repo, ...OPEN, labels: label }
      const readPage = (cursor: Cursor) => request('GET /repos/{owner}/{repo}/issues', { ...query, ...cursor })
      const issues = await orUndefinedIfRefused(readAll(readPage, { page: listSchema, maxPages: MAX_PAGES }), NO_ISSUES)
      return issues
        ?.filter(({ isPullRequest, labels }) => isPullRequest && hasLabel(label, labels))
        .map(({ number }) => ({ repository, number }))
    }),
  listNewestPullRequests: (repository, label) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, ...NEWEST }
      const readIssues = (cursor: Cursor) =>
        request('GET /repos/{owner}/{repo}/issues', { ...query, labels: label, ...cursor })
      const readPulls = (cursor: Cursor) => request('GET /repos/{owner}/{repo}/pulls', { ...query, ...cursor })
      const firstPage = { page: listSchema, maxPages: 1, canBeCut: true } as const
      const issues = (await orUndefinedIfRefused(readAll(readIssues, firstPage), NO_ISSUES)) ?? []
      const isLabelled = ({ labels }: Listed): boolean => hasLabel(label, labels)
      const found = issues.filter((issue) => issue.isPullRequest && isLabelled(issue))
      const pulls = found.length > 0 ? found : await readAll(readPulls, firstPage)
      return toPullRequests(repository, pulls.filter(isLabelled))
    }),
  listOpenPullRequests: (repository) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const readPage = (cursor: Cursor) => request('GET /repos/{owner}/{repo}/pulls', { ...repo, ...OPEN, ...cursor })
      const { listed } = await readMovingList(readPage, { maxPages: MAX_PAGES })
      return toPullRequests(repository, listed)
    }),
  listNewestOpenPullRequests: (repository) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, ...NEWEST_OPEN }
      const readPage = (cursor: Cursor) => request('GET /repos/{owner}/{repo}/pulls', { ...query, ...cursor })
      const { listed, isComplete } = await readMovingList(readPage, { maxPages: MAX_NEWEST_PAGES, canBeCut: true })
      return { pullRequests: toPullRequests(repository, listed), isComplete }
    }),
})
