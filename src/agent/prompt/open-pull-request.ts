import type { ComparedCommit } from '../../github/comparisons.ts'
import { IS_DATA } from '../../text/fenced.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { OpenPullRequest } from '../../github/open-pull-requests.ts'

const MOST_COMMITS = 50
const LONGEST_NAME = 200

/** Without backticks, so that no text can end the fence. */
const clean = (text: string): string => oneLine(text, LONGEST_NAME).replaceAll('`', "'")

function commitLine({ sha, message, author }: ComparedCommit): string {
  return `${sha.slice(0, 7)} ${clean(message.split('\n', 1)[0] ?? '')}${author === '' ? '' : ` (${clean(author)})`}`
}

function formatCommits(commits: readonly ComparedCommit[]): string[] {
  if (commits.length === 0) return []
  const more = commits.length - MOST_COMMITS
  return [
    `These commits in it were made by people, newest first. ${IS_DATA}`,
    ['```text', ...commits.toReversed().slice(0, MOST_COMMITS).map(commitLine), '```'].join('\n'),
    ...(more > 0 ? [`${more} older ones are not listed.`] : []),
  ]
}

/** What an agent has to know of the open pull request that a prompt goes on with, to put behind the prompt. */
export function formatOpenPullRequest(
  { repository, number, branch }: OpenPullRequest,
  commits: readonly ComparedCommit[],
): string {
  return [
    '\n\n---',
    `Pull request #${number} of ${repository}, which you opened, is still open. This work belongs in it: add commits to its branch \`${clean(branch)}\`, and open no other pull request.`,
    'Keep every commit in it that others have made: do not rewrite, squash or drop them.',
    'Name the commits of the source that each change comes from in the description of the pull request.',
    ...formatCommits(commits),
  ].join('\n\n')
}
