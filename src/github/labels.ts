import { path, type AskGitHub } from './ask-github.ts'
import { unlessRefused } from './github-error.ts'
import { readPages } from './pages.ts'
import { labelsOf, type PullRequestAddress } from './pull-requests.ts'
import { at, number, required } from './read-json.ts'

// One that cannot be read may be the one that is looked for, so that none is left out.
const toLabelled = (issue: object) => ({
  number: required(number(issue, 'number')),
  labels: labelsOf(issue),
  isPullRequest: at(issue, 'pull_request') !== undefined,
})

/** Past so many, the list is not known to be whole. */
const MOST_PAGES = 30

const OPEN = { state: 'open', sort: 'created', direction: 'asc' }

/**
 * GitHub tells labels apart by their letters, and not by the case of these.
 * @param label empty if no label is in use
 */
export function hasLabel(label: string, labels: readonly string[]): boolean {
  return label !== '' && labels.some((name) => name.toLowerCase() === label.toLowerCase())
}

export interface Labels {
  /** Puts a label on a pull request. GitHub makes one that the repository does not know. */
  readonly addLabel: (pullRequest: PullRequestAddress, label: string) => Promise<void>
  /**
   * The open pull requests with a label, oldest first, by one list that holds them only. It may be late, and is empty for a
   * token that may not read issues, so that what is not in it may be there all the same.
   */
  readonly findLabelledPullRequests: (repository: string, label: string) => Promise<readonly PullRequestAddress[]>
  /**
   * All open pull requests with a label, oldest first. They are listed and not searched, as GitHub's search lags. One that is
   * closed between two pages moves all after it, so that more pages than one are read twice: what one reading misses is in
   * the other.
   * @throws ActionError also if there are more than can be listed
   */
  readonly listOpenPullRequests: (repository: string, label: string) => Promise<readonly PullRequestAddress[]>
}

export const connectLabels = (ask: AskGitHub): Labels => ({
  addLabel: ({ repository, number }, label) =>
    ask('pull-requests: write', repository, async (api) => {
      await api.send('POST', path`/issues/${number}/labels`, { labels: [label] })
    }),
  findLabelledPullRequests: (repository, label) =>
    ask('issues: read', repository, async (api) => {
      const listing = { path: '/issues', query: { ...OPEN, labels: label }, read: toLabelled, mostPages: MOST_PAGES }
      // Where a repository has no issues, GitHub says that they are gone.
      const issues = (await unlessRefused(readPages(api, listing), [403, 404, 410])) ?? []
      return issues
        .flat()
        .filter(({ isPullRequest, labels }) => isPullRequest && hasLabel(label, labels))
        .map(({ number }) => ({ repository, number }))
    }),
  listOpenPullRequests: (repository, label) =>
    ask('pull-requests: read', repository, async (api) => {
      const listing = { path: '/pulls', query: OPEN, read: toLabelled, mostPages: MOST_PAGES }
      const first = await readPages(api, listing)
      const again = first.length === 1 ? [] : await readPages(api, listing)
      const found = new Map([...first, ...again].flat().map((pull) => [pull.number, pull]))
      return [...found.values()]
        .filter(({ labels }) => hasLabel(label, labels))
        .map(({ number }) => ({ repository, number }))
        .sort((a, b) => a.number - b.number)
    }),
})
