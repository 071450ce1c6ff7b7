import { listChecks } from './checks-view.ts'
import { compareHistories } from './history.ts'
import type { MergeMethod, PullState, Review } from './pull-state.ts'
import type { RepositoryState } from './repository-state.ts'

/** Returns the newest approval or change request of each reviewer, unless it was dismissed. */
export function listEffectiveReviews({ reviews }: PullState): readonly Review[] {
  const verdicts = reviews.filter(({ state }) => ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state))
  return [...new Map(verdicts.map((review) => [review.user, review])).values()].filter(
    ({ state }) => state !== 'DISMISSED',
  )
}

/** Returns GitHub's `reviewDecision`. Undefined if no approval is required and there is no approval or change request. */
export function getReviewDecision(
  repository: RepositoryState,
  pull: PullState,
): 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | undefined {
  const { requiredApprovals = 0 } = repository.protections[pull.base] ?? {}
  const states = listEffectiveReviews(pull).map(({ state }) => state)
  if (states.includes('CHANGES_REQUESTED')) return 'CHANGES_REQUESTED'
  const approvals = states.filter((state) => state === 'APPROVED').length
  if (approvals < requiredApprovals) return 'REVIEW_REQUIRED'
  return approvals > 0 ? 'APPROVED' : undefined
}

/** Lists the unmet requirements of the base's protection, in GitHub's words. */
function listMissingRequirements(repository: RepositoryState, pull: PullState, nowMs: number): readonly string[] {
  const protection = repository.protections[pull.base]
  if (protection === undefined) return []
  const { requiredChecks, requiredApprovals } = protection
  const checks = listChecks(repository, pull.headSha, nowMs)
  const missingChecks = requiredChecks.flatMap((name) => {
    const states = checks.filter((check) => check.name === name).map(({ state }) => state)
    if (states.length === 0) return [`Required status check "${name}" is expected.`]
    if (states.includes('failed')) return [`Required status check "${name}" is failing.`]
    return states.every((state) => state === 'passed') ? [] : [`Required status check "${name}" is in progress.`]
  })
  const decision = getReviewDecision(repository, pull)
  const isPlural = requiredApprovals > 1
  const approvals = `At least ${requiredApprovals} approving review${isPlural ? 's are' : ' is'} required by reviewers with write access.`
  return [
    ...missingChecks,
    ...(decision === 'REVIEW_REQUIRED' ? [approvals] : []),
    ...(decision === 'CHANGES_REQUESTED' && requiredApprovals > 0 ? ['Changes must be addressed before merging.'] : []),
  ]
}

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
  if (pull.blocked || listMissingRequirements(repository, pull, nowMs).length > 0) return 'blocked'
  if (repository.protections[pull.base]?.isStrict === true && isBehind(repository, pull)) return 'behind'
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
  const missing = listMissingRequirements(repository, pull, nowMs)
  if (missing.length > 0) return missing.join(' ')
  if (pull.blocked) return NOT_MERGEABLE
  if (getMergeState(repository, pull, nowMs) === 'behind')
    return 'The head branch is not up to date with the base branch.'
  return repository.mergeMethods.includes(method) ? undefined : METHOD_NOT_ALLOWED[method]
}
