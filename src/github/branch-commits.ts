import type { PullRequestCommit } from './pull-request-commits.ts'
import type { Account } from './pull-requests.ts'

/** Those of the commits that this one has in its history, itself included; none if it is not among them. */
export function historyIn(commits: readonly PullRequestCommit[], sha: string): readonly PullRequestCommit[] {
  const left = new Map(commits.map((commit) => [commit.sha, commit]))
  const found: PullRequestCommit[] = []
  for (const next = [sha]; next.length > 0;) {
    const commit = left.get(next.pop() ?? '')
    if (commit === undefined) continue
    left.delete(commit.sha)
    found.push(commit)
    for (const parent of commit.parents) next.push(parent)
  }
  return found
}

/**
 * Whoever opened a pull request, and whoever wrote the first commit of its branch: the agent's commits may be by another
 * account than its pull request. What was merged into the branch may be older, and is no part of its first line.
 * @param commits those of the pull request
 * @param head the newest one
 */
export function ownersOf({ login }: Account, commits: readonly PullRequestCommit[], head: string): ReadonlySet<string> {
  const firstLine = commits.map((commit) => ({ ...commit, parents: commit.parents.slice(0, 1) }))
  const first = historyIn(firstLine, head).at(-1)
  return new Set([login, first?.writtenBy ?? ''].filter((name) => name !== ''))
}
