import { findMergeBlocker, getMergeState } from './mergeability.ts'
import type { PullCall } from './operation.ts'
import { isMergeable } from './pull-body.ts'
import type { MergeChoice, PullState } from './pull-state.ts'
import { mergePull } from './repository-changes.ts'
import type { RepositoryState } from './repository-state.ts'
import type { GitHubState } from './state.ts'

/** Returns GitHub's reason for refusing auto-merge, or undefined. */
function findAutoMergeBlocker(call: PullCall): string | undefined {
  const { repository, pull, nowMs } = call
  if (!repository.isAutoMergeAllowed) return 'Pull request Auto merge is not allowed for this repository'
  if (pull.state === 'closed') return 'Pull request is closed'
  if (repository.protections[pull.base] === undefined && !pull.blocked)
    return 'Pull request Protected branch rules not configured for this branch'
  const state = isMergeable(call, pull) === null ? 'unknown' : getMergeState(repository, pull, nowMs)
  return ['blocked', 'behind', 'unknown'].includes(state)
    ? undefined
    : `Pull request Pull request is in ${state} status`
}

/** @returns GitHub's reason for refusing, or undefined if auto-merge is enabled */
export function enableAutoMerge(call: PullCall, choice: MergeChoice): string | undefined {
  const { pull, state, nowMs } = call
  const blocker = findAutoMergeBlocker(call)
  if (blocker === undefined) pull.autoMerge = { ...choice, enabledBy: state.identity, enabledAtMs: nowMs }
  return blocker
}

function mergeIfReady(name: string, repository: RepositoryState, number: number, pull: PullState, nowMs: number): void {
  const { autoMerge } = pull
  if (autoMerge === undefined || findMergeBlocker(repository, pull, autoMerge.method, nowMs) !== undefined) return
  mergePull(repository, number, autoMerge.enabledBy, nowMs, { ...autoMerge, repositoryName: name })
}

/** Merges every pull request with auto-merge whose requirements are met. */
export function mergeReadyPulls({ repositories }: GitHubState, nowMs: number): void {
  for (const [name, repository] of Object.entries(repositories))
    for (const [number, pull] of Object.entries(repository.pulls))
      mergeIfReady(name, repository, Number(number), pull, nowMs)
}
