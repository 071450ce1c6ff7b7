/** Determines what other people changed in a pull request of the agent before it was merged. */
import type { History } from '../agent/history/state.ts'
import {
  type ChangedFile,
  type Comparison,
  isByOwner,
  listHistory,
  listOwners,
  type PullRequestCommit,
} from '../github/commits.ts'
import type { DetailedPullRequest } from '../github/pull-requests.ts'

/** The commits between which the lines of the agent are counted. */
export interface EditedRange {
  readonly base: string
  /** The agent's last commit before the first one by somebody else. */
  readonly agentHead: string
  readonly head: string
}

export interface Edits {
  /** Whether a person wrote a commit. Merges of the base branch and commits of bots, such as formatters, do not count. */
  readonly isEdited: boolean
  /** Undefined unless the history shows that the branch was not rewritten, and if the base branch was merged in. */
  readonly range?: EditedRange
}

/** @param commits of the merged pull request, which keeps its own commits also after a squash or a rebase */
export function findEdits(
  { author, headSha: head }: Pick<DetailedPullRequest, 'author' | 'headSha'>,
  commits: readonly PullRequestCommit[],
  history: Pick<History, 'rows'> | undefined,
): Edits {
  const recordedHead = history?.rows.findLast((row) => row.head?.after !== undefined)?.head?.after
  const hasRecordedHead = commits.some(({ sha }) => sha === recordedHead)
  const isRewritten = recordedHead !== undefined && !hasRecordedHead
  // On a rewritten branch, the first commit can be by whoever has rewritten it.
  const owners = isRewritten ? new Set([author.login]) : listOwners(author, commits, head)
  const isByOther = (commit: PullRequestCommit): boolean => !isByOwner(commit, owners)
  const isMerge = ({ parents }: PullRequestCommit): boolean => parents.length > 1
  const isEdited = commits.some((commit) => isByOther(commit) && !isMerge(commit) && commit.account.type !== 'Bot')

  const ordered = listHistory(commits, head).toReversed()
  // GitHub cuts the list after 250 commits, and then it lacks the head.
  if (!hasRecordedHead || ordered.length < commits.length || commits.some(isMerge)) return { isEdited }
  const firstByOther = ordered.findIndex(isByOther)
  const agentHead = firstByOther === -1 ? head : ordered[firstByOther - 1]?.sha
  const base = ordered[0]?.parents[0]
  return agentHead === undefined || base === undefined ? { isEdited } : { isEdited, range: { base, agentHead, head } }
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
