import type { RepositoryState } from './repository-state.ts'

/**
 * What GitHub holds, as plain data: a scenario or a test fills it in, operations and events change it. All times are in
 * milliseconds of the service's time.
 */
export interface GitHubState {
  readonly token: string
  /** Who writes with the token. */
  identity: string
  /** What the token may do. What is left out it may not. */
  permissions: Permissions
  /** By login. */
  readonly users: Record<string, User>
  /** By `owner/name`; all others the token cannot see. */
  readonly repositories: Record<string, RepositoryState>
  lag: Lag
  /** Ids count up over all kinds of things. */
  lastId: number
}

export type PermissionName = 'contents' | 'actions' | 'pull-requests' | 'issues' | 'checks' | 'statuses'
export type Permissions = Readonly<Partial<Record<PermissionName, 'read' | 'write'>>>

export const ALL_PERMISSIONS: Permissions = {
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

/** From a change until it can be read, in milliseconds. */
export interface Lag {
  /** A new pull request is 404 for as long. */
  readonly newPullMs: number
  /** A pull request shows its old head for as long. */
  readonly headMs: number
  /** `commits/{sha}/pulls` knows nothing of a merge for as long. */
  readonly commitPullsMs: number
  /** The list of workflow runs knows nothing of a new one for as long. */
  readonly runsMs: number
  /** `mergeable` is null for as long. */
  readonly mergeableMs: number
  /** A search finds the state of so long ago. */
  readonly searchMs?: number
}

export const USUAL_LAG: Lag = {
  newPullMs: 0,
  headMs: 0,
  commitPullsMs: 0,
  runsMs: 0,
  mergeableMs: 3_000,
  searchMs: 5_000,
}

export function takeId(state: GitHubState): number {
  state.lastId += 1
  return state.lastId
}
