import type { AskGitHub } from './ask-github.ts'
import type { PullRequestAddress } from './pull-requests.ts'
import { splitRepository } from './repository-name.ts'

/**
 * Between which commits the change of a pull request lies.
 * @throws ActionError if GitHub does not tell
 */
export function readPullRequestEnds(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<{ base: string; head: string }> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    const { base, head } = (await rest.pulls.get({ ...splitRepository(repository), pull_number: number })).data
    return { base: base.sha, head: head.sha }
  })
}
