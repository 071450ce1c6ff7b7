import { DEPENDABOT } from '../../github/event.ts'
import type { GitHub } from '../../github/github.ts'
import type { PullRequestInList } from '../../github/labels.ts'
import type { Account } from '../../github/pull-requests.ts'
import { isMarkerComment } from '../marker.ts'

/** Bots that open many pull requests, but never for a job of this action. */
export const OTHER_BOTS: readonly string[] = [DEPENDABOT, 'renovate[bot]']

/** Each account costs a request for the comments of its newest pull request. */
const MAX_ACCOUNTS = 3

/** Returns the newest pull request of each author, newest first. Skips authors whose account was deleted. */
export function pickNewestByAuthor(pullRequests: readonly PullRequestInList[]): readonly PullRequestInList[] {
  const logins = pullRequests.map(({ author }) => author.login)
  return pullRequests.filter(({ author }, index) => author.login !== '' && logins.indexOf(author.login) === index)
}

/**
 * Finds the agent's accounts: the authors whose newest pull request with the label, in any state, has a marker comment by a
 * trusted author. Reads one list of pull requests, and the comments of at most three of them.
 * @param label not empty
 * @throws ActionError if a request to GitHub fails
 */
export async function findAgentAccounts(
  repository: string,
  label: string,
  github: Pick<GitHub, 'listNewestPullRequests' | 'listComments'>,
): Promise<readonly Account[]> {
  const newest = pickNewestByAuthor(await github.listNewestPullRequests(repository, label))
  const accounts: Account[] = []
  for (const pullRequest of newest.slice(0, MAX_ACCOUNTS)) {
    const comments = await github.listComments(pullRequest, isMarkerComment)
    if (comments.some(({ author }) => author === 'trusted')) accounts.push(pullRequest.author)
  }
  return accounts
}
