import type { AskGitHub } from './ask-github.ts'
import type { ComparedCommit } from './comparisons.ts'
import { accountOf, type Account, type PullRequestAddress } from './pull-requests.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export interface PullRequestCommit extends ComparedCommit {
  /** The author's on GitHub. */
  readonly account: Account
}

/** GitHub lists no more than 250 commits of a pull request. */
const MOST_PAGES = 3

/**
 * The commits of a pull request, oldest first.
 * @throws ActionError if GitHub does not tell
 */
export function listPullRequestCommits(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly PullRequestCommit[]> {
  return ask({ permission: 'pull-requests: read', repository }, ({ rest }) =>
    readPages(async (page) => {
      const where = { ...splitRepository(repository), pull_number: number, per_page: PAGE_SIZE, page }
      const { data } = await rest.pulls.listCommits(where)
      return data.map(({ sha, commit, author }) => ({
        ...{ sha, message: commit.message, author: commit.author?.name ?? '' },
        account: accountOf(author),
      }))
    }, MOST_PAGES),
  )
}
