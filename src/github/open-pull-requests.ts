import { ActionError } from '../shared/errors.ts'
import type { AskGitHub } from './ask-github.ts'
import type { ComparedCommit } from './comparisons.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export interface OpenPullRequest extends PullRequestAddress {
  readonly branch: string
}

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
      .filter(({ labels }) => labels.some(({ name }) => name.toLowerCase() === label.toLowerCase()))
      .map(({ number, head }) => ({ repository, number, branch: head.ref }))
  })
}

/** GitHub lists no more than 250 commits of a pull request. */
const MOST_COMMIT_PAGES = 3

/**
 * The commits of a pull request that no app has made, oldest first. One whose author GitHub does not know counts too.
 * @throws ActionError if GitHub does not tell
 */
export function listPeoplesCommits(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly ComparedCommit[]> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    const commits = await readPages(async (page) => {
      const where = { ...splitRepository(repository), pull_number: number, per_page: PAGE_SIZE, page }
      return (await rest.pulls.listCommits(where)).data
    }, MOST_COMMIT_PAGES)
    return commits
      .filter(({ author }) => author?.type !== 'Bot')
      .map(({ sha, commit }) => ({ sha, message: commit.message, author: commit.author?.name ?? '' }))
  })
}
