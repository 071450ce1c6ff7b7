import { DEPENDABOT } from '../../github/event.ts'
import type { GitHub } from '../../github/github.ts'
import type { PullRequestInList } from '../../github/labels.ts'
import type { Account } from '../../github/pull-requests.ts'
import { isMarkerComment } from '../marker.ts'

/** These bots open many pull requests, none of them for a job. */
export const OTHER_BOTS: readonly string[] = [DEPENDABOT, 'renovate[bot]']

/** Each costs a request for the comments of a pull request. */
const MAX_ACCOUNTS = 3

/** The newest pull request of each author, newest first. Authors whose account was deleted are left out. */
export function pickNewestByAuthor(pullRequests: readonly PullRequestInList[]): readonly PullRequestInList[] {
  const logins = pullRequests.map(({ author }) => author.login)
  return pullRequests.filter(({ author }, index) => author.login !== '' && logins.indexOf(author.login) === index)
}

/**
 * Finds the accounts that the agent works with: those that authored earlier pull requests with the label, in any state, whose
 * newest one has a marker comment by a trusted author. Costs one list, and the comments of at most three pull requests.
 * @param label not empty
 * @throws ActionError if GitHub cannot be asked
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
