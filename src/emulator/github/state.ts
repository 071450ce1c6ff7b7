import type { CheckPlan } from './check-plan.ts'
import type { RepositoryState } from './repository-state.ts'

/**
 * The data of GitHub. Scenarios and tests create it, operations and events change it. All times are in milliseconds of the
 * service's clock.
 */
export interface GitHubState {
  readonly token: string
  /** The login that the token acts as. */
  identity: string
  /** The permissions of the token. A missing permission means no access. */
  permissions: TokenPermissions
  /** By login. */
  readonly users: Record<string, User>
  /** By `owner/name`. Every other repository is a 404. */
  readonly repositories: Record<string, RepositoryState>
  /** The checks of each push to a pull request, in order. The last entry also applies to all later pushes. */
  readonly checkPlans: readonly (readonly CheckPlan[])[]
  lag: Lag
  /** Ids count up across all kinds of objects. */
  lastId: number
}

export type PermissionName = 'contents' | 'actions' | 'pull-requests' | 'issues' | 'checks' | 'statuses'
export type TokenPermissions = Readonly<Partial<Record<PermissionName, 'read' | 'write'>>>

export const ALL_PERMISSIONS: TokenPermissions = {
  contents: 'write',
  actions: 'write',
  'pull-requests': 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'write',
}

export interface User {
  readonly id: number
  readonly type: 'User' | 'Bot' | 'Organization'
}

/** How long changes stay invisible, in milliseconds. */
export interface Lag {
  /** A new pull request is a 404. */
  readonly newPullMs: number
  /** A pull request shows its previous head. */
  readonly headMs: number
  /** `commits/{sha}/pulls` omits new and newly merged pull requests. */
  readonly commitPullsMs: number
  /** The response meanwhile: an empty list (the default), or 422 as for an unknown commit. */
  readonly commitPulls?: 'empty' | 'unprocessable'
  /** The list of workflow runs omits a new run. */
  readonly runsMs: number
  /** The lists of workflow runs by branch or status omit a new run. */
  readonly filteredRunsMs: number
  /** `mergeable` is null. */
  readonly mergeableMs: number
}

export const DEFAULT_LAG: Lag = {
  newPullMs: 0,
  headMs: 0,
  commitPullsMs: 0,
  runsMs: 0,
  filteredRunsMs: 0,
  mergeableMs: 3_000,
}

export function takeId(state: GitHubState): number {
  state.lastId += 1
  return state.lastId
}
