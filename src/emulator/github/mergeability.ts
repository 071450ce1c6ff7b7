import { listChecks } from './checks-view.ts'
import { compareHistories } from './history.ts'
import type { MergeMethod, PullState } from './pull-state.ts'
import type { RepositoryState } from './repository-state.ts'

/** Whether the branch lacks a commit of its base. */
function isBehind(repository: RepositoryState, { base, headSha }: PullState): boolean {
  const compared = compareHistories(repository, repository.branches[base] ?? '', headSha)
  return compared !== undefined && compared.behindBy > 0
}

/** GitHub's `mergeable_state` of an open pull request, except for `unknown`. */
export type MergeState = 'dirty' | 'draft' | 'blocked' | 'behind' | 'unstable' | 'clean'

export function getMergeState(repository: RepositoryState, pull: PullState, nowMs: number): MergeState {
  if (pull.conflict) return 'dirty'
  if (pull.draft) return 'draft'
  if (pull.blocked) return 'blocked'
  if (repository.requiresUpToDate && isBehind(repository, pull)) return 'behind'
  const checks = listChecks(repository, pull.headSha, nowMs)
  return checks.every(({ state }) => state === 'passed') ? 'clean' : 'unstable'
}

const NOT_MERGEABLE = 'Pull Request is not mergeable'
const METHOD_NOT_ALLOWED: Readonly<Record<MergeMethod, string>> = {
  merge: 'Merge commits are not allowed on this repository.',
  squash: 'Squash merges are not allowed on this repository.',
  rebase: 'Rebase merges are not allowed on this repository.',
}

/** Returns GitHub's reason for refusing a merge now, or undefined. */
export function findMergeBlocker(
  repository: RepositoryState,
  pull: PullState,
  method: MergeMethod,
  nowMs: number,
): string | undefined {
  if (pull.state !== 'open' || pull.conflict) return NOT_MERGEABLE
  if (pull.draft) return 'Pull Request is still a draft'
  if (pull.blocked) return NOT_MERGEABLE
  if (getMergeState(repository, pull, nowMs) === 'behind')
    return 'The head branch is not up to date with the base branch.'
  return repository.mergeMethods.includes(method) ? undefined : METHOD_NOT_ALLOWED[method]
}
