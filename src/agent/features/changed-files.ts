/** Which files the step has changed in its pull request. Hides when that is not known. */
import { requireGitHubAtEnd } from '../../action/step.ts'
import { type Comparison, isByOwner } from '../../github/commits.ts'
import { toPullRequestAddress, type PullRequest } from '../../github/pull-requests.ts'
import { orUndefined } from '../../runtime/errors.ts'
import { type Acts, type ChangedFiles, countCommitsOfUpdates } from '../record.ts'

/** Whether all commits of a new pull request are the agent's, which may commit with another account than it opens with. */
function isAllByAgent({ author }: PullRequest, { commits, totalCommits }: Comparison): boolean {
  const owners = new Set([author.login, commits[0]?.writtenBy ?? ''].filter((name) => name !== ''))
  return commits.length === totalCommits && commits.every((commit) => isByOwner(commit, owners))
}

/**
 * Reads the files that this step has changed in its pull request.
 * @returns undefined if these files are unknown, for example because of other people's commits
 * @throws ActionError if GitHub cannot be read
 */
async function readChanges(step: Acts): Promise<ChangedFiles | undefined> {
  const { context, record } = step
  const { turns } = record
  const link = turns[0]?.end === 'finished' ? turns[0].job?.prLink : undefined
  const pullRequest = link && record.getNewestRead(toPullRequestAddress(link, context))
  const first = turns.find(({ effect }) => effect?.kind === 'created' || effect?.kind === 'updated')
  if (pullRequest === undefined || first === undefined) return undefined
  const github = requireGitHubAtEnd(step)
  const { repository, baseRef, headSha } = pullRequest
  const compared = await github.compare(repository, first.headBefore ?? baseRef, headSha)
  // On a rewritten branch, the new files are unknown.
  if (compared.relation !== 'ahead') return undefined
  // A comparison also contains files of other people's commits and of merges of the base branch.
  const isOwn =
    first.effect?.kind === 'updated'
      ? compared.totalCommits === countCommitsOfUpdates({ turns })
      : isAllByAgent(pullRequest, compared)
  if (!isOwn) return undefined
  const files = compared.files.map(({ path, additions, deletions }) => ({ path, additions, deletions }))
  return { files, isComplete: compared.fileList === 'complete' }
}

/** Records the files that the step has changed, for the summary and the outputs. A failure is ignored. */
export async function recordChanges(step: Acts): Promise<void> {
  step.record.add({ files: await orUndefined(readChanges(step)) })
}
