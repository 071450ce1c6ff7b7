/** Which files the step has changed in its pull request. Hides when that is not known. */
import { requireGitHubAtEnd } from '../../action/step.ts'
import { isByOwner } from '../../github/commits.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { countCommitsOfUpdates } from '../selectors.ts'
import type { ChangedFiles, Turn } from '../record.ts'
import type { Reads } from '../step.ts'

/**
 * Reads the files that this step has changed in its pull request.
 * @param pullRequest as read after the newest turn
 * @returns undefined if these files are unknown, for example because of other people's commits
 * @throws ActionError if GitHub cannot be read
 */
export async function readChanges(
  pullRequest: PullRequest,
  turns: readonly Turn[],
  step: Reads,
): Promise<ChangedFiles | undefined> {
  const first = turns.find(({ effect }) => effect?.kind === 'created' || effect?.kind === 'updated')
  if (first === undefined) return undefined
  const github = requireGitHubAtEnd(step)
  const { repository, baseRef, headSha, author } = pullRequest
  const compared = await github.compare(repository, first.headBefore ?? baseRef, headSha)
  // On a rewritten branch, the new files are unknown.
  if (compared.relation !== 'ahead') return undefined
  const { commits, totalCommits } = compared
  // The agent may commit to a new pull request with another account than it opens the pull request with.
  const agents = new Set([author.login, commits[0]?.writtenBy ?? ''].filter((name) => name !== ''))
  // A comparison also contains files of other people's commits and of merges of the base branch.
  const isOwn =
    first.effect?.kind === 'updated'
      ? totalCommits === countCommitsOfUpdates({ turns })
      : commits.length === totalCommits && commits.every((commit) => isByOwner(commit, agents))
  if (!isOwn) return undefined
  const files = compared.files.map(({ path, additions, deletions }) => ({ path, additions, deletions }))
  return { files, isComplete: compared.fileList === 'complete' }
}
