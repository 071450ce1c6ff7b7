/** Determines what other people changed in a pull request of the agent before it was merged. */
import {
  type ChangedFile,
  type Comparison,
  isByOwner,
  listHistory,
  listOwners,
  type PullRequestCommit,
} from '../github/commits.ts'
import type { DetailedPullRequest } from '../github/pull-requests.ts'

/** The commits from which the lines of the agent that were merged can be counted. */
export interface MergedRange {
  readonly base: string
  /** The agent's last commit before the first one by somebody else. */
  readonly agentHead: string
  readonly head: string
}

export interface Edits {
  /** Whether a person wrote a commit. Merges of the base branch and commits of bots, such as formatters, do not count. */
  readonly isEdited: boolean
  /** `all`: only the agent wrote commits. Undefined: it cannot be known, because the branch was rewritten or the base merged in. */
  readonly kept: 'all' | MergedRange | undefined
}

/** @param commits of the merged pull request, which keeps its own commits also after a squash or a rebase */
export function findEdits(
  { author, headSha: head }: Pick<DetailedPullRequest, 'author' | 'headSha'>,
  commits: readonly PullRequestCommit[],
): Edits {
  const owners = listOwners(author, commits, head)
  const isByAgent = (commit: PullRequestCommit): boolean => isByOwner(commit, owners)
  const isMerge = ({ parents }: PullRequestCommit): boolean => parents.length > 1
  const others = commits.filter((commit) => !isMerge(commit) && !isByAgent(commit))
  const isEdited = others.some(({ account }) => account.type !== 'Bot')

  // A rebase or an amend by somebody else keeps the author.
  const isRewritten = ({ writtenBy, committedBy, committerLogin }: PullRequestCommit): boolean =>
    owners.has(writtenBy) && !owners.has(committedBy) && committerLogin !== 'web-flow'
  const ordered = listHistory(commits, head).toReversed()
  const [first] = ordered
  if (first === undefined || ordered.length < commits.length || commits.some((one) => isMerge(one) || isRewritten(one)))
    return { isEdited, kept: undefined }
  if (others.length === 0) return { isEdited, kept: 'all' }
  const agentHead = ordered[ordered.findIndex((commit) => !isByAgent(commit)) - 1]?.sha
  const base = first.parents[0]
  const isKnown = agentHead !== undefined && base !== undefined
  return { isEdited, kept: isKnown ? { base, agentHead, head } : undefined }
}

/** Counts the added lines by their text. Blank lines do not count. Undefined if GitHub does not show all of them. */
function countAddedLines({ files, fileList }: Comparison): ReadonlyMap<string, number> | undefined {
  const isHidden = ({ patch, additions }: ChangedFile): boolean => patch === undefined && additions > 0
  if (fileList !== 'complete' || files.some(isHidden)) return undefined
  const counts = new Map<string, number>()
  for (const line of files.flatMap(({ patch = '' }) => patch.split('\n')))
    if (/^\+.*\S/.test(line)) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

/**
 * Returns the share of the lines that the agent added which the merged version adds too, wherever they stand in it. Undefined if
 * it cannot be known, or the agent added none.
 * @param byAgent compares the base with the agent's version
 * @param merged compares the base with the merged version
 */
export function getKeptShare(byAgent: Comparison, merged: Comparison): number | undefined {
  const [added, left] = [countAddedLines(byAgent), countAddedLines(merged)]
  if (added === undefined || left === undefined || added.size === 0) return undefined
  let [total, kept] = [0, 0]
  for (const [line, count] of added) {
    total += count
    kept += Math.min(count, left.get(line) ?? 0)
  }
  return kept / total
}
