import type { AskGitHub, Octokit } from './ask-github.ts'
import type { ComparedCommit } from './comparisons.ts'
import { accountOf, type Account, type PullRequestAddress } from './pull-requests.ts'
import { followPages, PAGE_SIZE } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export interface PullRequestCommit extends ComparedCommit {
  /** The author's on GitHub. */
  readonly account: Account
  /** The author's login, or name and address in git if GitHub does not know whose they are. */
  readonly writtenBy: string
  /** The same of the committer: whoever rebases or amends a commit leaves its author and that time as they were. */
  readonly committedBy: string
  readonly writtenAt: string
  readonly parents: readonly string[]
}

/** GitHub lists no more commits of a pull request. */
export const MOST_COMMITS = 250
const MOST_PAGES = Math.ceil(MOST_COMMITS / PAGE_SIZE)

type ListedCommit = Awaited<ReturnType<Octokit['rest']['pulls']['listCommits']>>['data'][number]
type Signature = ListedCommit['commit']['author']

function nameOf({ login }: Account, signature: Signature): string {
  const { name = '', email = '' } = signature ?? {}
  return login === '' && name + email !== '' ? `${name} <${email}>` : login
}

function toCommit({ sha, commit, author, committer, parents }: ListedCommit): PullRequestCommit {
  const account = accountOf(author)
  return {
    ...{ sha, message: commit.message, author: commit.author?.name ?? '', account },
    writtenBy: nameOf(account, commit.author),
    committedBy: nameOf(accountOf(committer), commit.committer),
    writtenAt: commit.author?.date ?? '',
    parents: parents.map((parent) => parent.sha),
  }
}

/**
 * The commits of a pull request, oldest first by the dates that their authors gave them.
 * @throws ActionError if GitHub does not tell
 */
export function listPullRequestCommits(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly PullRequestCommit[]> {
  return ask({ permission: 'pull-requests: read', repository }, ({ rest }) =>
    followPages(async (place) => {
      const where = { ...splitRepository(repository), pull_number: number, per_page: PAGE_SIZE, ...place }
      const { data, headers } = await rest.pulls.listCommits(where)
      return { data: data.map(toCommit), headers }
    }, MOST_PAGES),
  )
}

/**
 * The commits that a head has and a base has not, as a pull request of the two would list them.
 * @throws ActionError if GitHub does not tell
 */
export function listCommitsBetween(
  ask: AskGitHub,
  repository: string,
  base: string,
  head: string,
): Promise<readonly PullRequestCommit[]> {
  return ask({ permission: 'contents: read', repository }, ({ rest }) =>
    followPages(async (place) => {
      const where = { ...splitRepository(repository), basehead: `${base}...${head}`, per_page: PAGE_SIZE, ...place }
      const { data, headers } = await rest.repos.compareCommitsWithBasehead(where)
      return { data: data.commits.map(toCommit), headers }
    }, MOST_PAGES),
  )
}
