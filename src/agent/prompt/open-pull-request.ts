import type { ComparedCommit } from '../../github/commits.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { cleanName } from '../../text/fenced.ts'
import { commitLine } from './change-section.ts'
import { fence, missing } from './sections.ts'

const MOST_COMMITS = 50

/** What an agent has to know of the open pull request that a prompt goes on with, to put behind the prompt. */
export function formatOpenPullRequest(
  { repository, number, branch }: Pick<PullRequest, 'repository' | 'number' | 'branch'>,
  commits: readonly ComparedCommit[],
): string {
  const text = commits.toReversed().slice(0, MOST_COMMITS).map(commitLine).join('')
  const leftOut = missing(commits.length - MOST_COMMITS, 'older commit')
  return [
    '\n\n---',
    `Pull request #${number} of ${repository}, which you opened, is still open. This work belongs in it: add commits to its branch \`${cleanName(branch).replaceAll('`', "'")}\`, and open no other pull request.`,
    'Keep every commit in it that others have made: do not rewrite, squash or drop them.',
    'Name the commits of the source that each change comes from in the description of the pull request.',
    ...(text === '' ? [] : [fence('These commits in it were made by people, newest first.', { text, leftOut })]),
  ].join('\n\n')
}
