import type { PullRequestCommit } from '../../github/commits.ts'

/** What came to a pull request during a turn. */
export interface TurnCommits {
  /** How many are the agent's. */
  readonly agents: number
  /** How many came from whom, if they are not the agent's. */
  readonly others: ReadonlyMap<string, number>
}

const NAMELESS = 'somebody unknown'

/** Those that came on top of what was there. What a merge brings from another branch may be an earlier work of the agent. */
function onTopOf(had: ReadonlySet<string>, commits: readonly PullRequestCommit[]): readonly PullRequestCommit[] {
  const reached = new Set(had)
  for (let before = -1; before < reached.size;) {
    before = reached.size
    for (const { sha, parents } of commits) if (parents.some((parent) => reached.has(parent))) reached.add(sha)
  }
  return commits.filter(({ sha }) => reached.has(sha))
}

/**
 * Whose commits are new in a pull request. One that keeps author and date of an earlier one is a copy, and belongs to
 * whoever made it: a rebase by somebody else is no work of the agent.
 * @param earlier the commits that were in it before the turn
 * @param listed those that are in it now
 * @param agent the names under which the agent writes
 */
export function commitsOfTurn(
  earlier: readonly PullRequestCommit[],
  listed: readonly PullRequestCommit[],
  agent: ReadonlySet<string>,
): TurnCommits {
  const had = new Set(earlier.map(({ sha }) => sha))
  const all = listed.filter(({ sha }) => !had.has(sha))
  const isRewritten = all.length === listed.length
  const written = new Set(earlier.map(({ writtenAt, writtenBy }) => `${writtenAt} ${writtenBy}`))
  let agents = 0
  const others = new Map<string, number>()
  for (const { writtenAt, writtenBy, committedBy } of isRewritten ? all : onTopOf(had, all)) {
    const isCopy = written.has(`${writtenAt} ${writtenBy}`)
    const whose = (isCopy ? committedBy : writtenBy) || NAMELESS
    if (agent.has(whose)) agents++
    else others.set(whose, (others.get(whose) ?? 0) + 1)
  }
  return { agents, others }
}
