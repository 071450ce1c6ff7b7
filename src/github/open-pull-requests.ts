import type { AskGitHub } from './ask-github.ts'
import { isRefusal, hasStatus } from './github-error.ts'
import { hasLabel } from './labels.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { followPages, PAGE_SIZE } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export interface OpenPullRequest extends PullRequestAddress {
  readonly branch: string
}

interface Labelled {
  readonly labels: readonly (string | { readonly name?: string | undefined })[]
}

const namesOf = ({ labels }: Labelled): readonly string[] =>
  labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')))

/** Past so many, the list is not known to be whole. */
const MOST_PAGES = 30

const ORDER = { state: 'open', sort: 'created', direction: 'asc', per_page: PAGE_SIZE } as const

/**
 * The open pull requests with a label, oldest first, by one list that holds them only. It may be late, and is empty for a token
 * that may not read issues, so that what is not in it may be there all the same.
 * @throws ActionError if GitHub does not answer
 */
export function findLabelledPullRequests(
  ask: AskGitHub,
  repository: string,
  label: string,
): Promise<readonly PullRequestAddress[]> {
  return ask({ permission: 'issues: read', repository }, async ({ rest }) => {
    try {
      const listed = await followPages(
        (place) => rest.issues.listForRepo({ ...splitRepository(repository), ...ORDER, labels: label, ...place }),
        MOST_PAGES,
      )
      return listed
        .filter((issue) => issue.pull_request !== undefined && hasLabel(label, namesOf(issue)))
        .map(({ number }) => ({ repository, number }))
    } catch (error) {
      // Where a repository has no issues, GitHub says that they are gone.
      if (isRefusal(error) || hasStatus(error, 410)) return []
      throw error
    }
  })
}

/**
 * All open pull requests with a label, oldest first. They are listed and not searched, as GitHub's search lags. One that is
 * closed between two pages moves all after it, so that more pages than one are read twice: what one reading misses is in the
 * other.
 * @throws ActionError if GitHub does not tell, or there are more than can be listed
 */
export function listOpenPullRequests(
  ask: AskGitHub,
  repository: string,
  label: string,
): Promise<readonly OpenPullRequest[]> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    let pages = 0
    const read = () =>
      followPages((place) => {
        pages++
        return rest.pulls.list({ ...splitRepository(repository), ...ORDER, ...place })
      }, MOST_PAGES)
    const first = await read()
    const all = pages === 1 ? first : [...first, ...(await read())]
    const found = new Map(all.map((pull) => [pull.number, pull]))
    return [...found.values()]
      .filter((pull) => hasLabel(label, namesOf(pull)))
      .map(({ number, head, base }) => ({ repository: base.repo.full_name, number, branch: head.ref }))
      .sort((a, b) => a.number - b.number)
  })
}
