import { ActionError } from '../shared/errors.ts'
import type { AskGitHub } from './ask-github.ts'
import { hasLabel } from './labels.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export interface OpenPullRequest extends PullRequestAddress {
  readonly branch: string
}

const nameOf = ({ name }: { readonly name: string }): string => name

/** Past so many, the list is not known to be whole. */
const MOST_PAGES = 30

/**
 * The open pull requests with a label, oldest first. They are listed and not searched, as GitHub's search lags.
 * @throws ActionError if GitHub does not tell, or there are more than can be listed
 */
export function listOpenPullRequests(
  ask: AskGitHub,
  repository: string,
  label: string,
): Promise<readonly OpenPullRequest[]> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    const all = await readPages(async (page) => {
      const order = { state: 'open', sort: 'created', direction: 'asc' } as const
      return (await rest.pulls.list({ ...splitRepository(repository), ...order, per_page: PAGE_SIZE, page })).data
    }, MOST_PAGES)
    if (all.length === MOST_PAGES * PAGE_SIZE)
      throw new ActionError('rejected', `more than ${all.length} pull requests are open in ${repository}.`)
    return all
      .filter(({ labels }) => hasLabel(label, labels.map(nameOf)))
      .map(({ number, head }) => ({ repository, number, branch: head.ref }))
  })
}
