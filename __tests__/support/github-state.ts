/** What the GitHub of the tests holds, as plain data that a test fills in and looks at. */
export interface GitHubState {
  readonly token: string
  /** What the token may do. What is left out it may not. */
  permissions: Readonly<Partial<Record<PermissionName, 'read' | 'write'>>>
  /** By `owner/name`; all others the token cannot see. */
  readonly repositories: Readonly<Record<string, RepositoryState>>
}

export type PermissionName = 'contents' | 'actions' | 'pull-requests' | 'checks' | 'statuses'

export interface RepositoryState {
  /** By `base...head`. */
  readonly comparisons: Record<string, ComparisonState>
  /** Newest first. */
  readonly runs: RunState[]
  /** The numbers of the pull requests that a commit came with. */
  readonly commits: Record<string, readonly number[]>
  readonly pulls: Record<number, PullState>
  readonly labels: string[]
  readonly checkRuns: Record<string, CheckRunState[]>
  readonly statuses: Record<string, StatusState[]>
}

export interface ComparisonState {
  readonly relation: 'ahead' | 'behind' | 'diverged' | 'identical'
  readonly mergeBase?: string
  readonly commits: readonly { readonly sha: string; readonly message: string; readonly author?: string }[]
  readonly files: readonly FileState[]
}

export interface FileState {
  readonly filename: string
  readonly status?: 'added' | 'removed' | 'modified' | 'renamed'
  readonly previous_filename?: string
  readonly additions?: number
  readonly deletions?: number
  readonly patch?: string
}

export interface RunState {
  readonly id: number
  readonly workflow: string
  readonly branch: string
  readonly headSha: string
  readonly conclusion: 'success' | 'failure'
}

export interface PullState {
  state: 'open' | 'closed'
  draft: boolean
  merged: boolean
  readonly branch: string
  headSha: string
  readonly labels: string[]
  readonly comments: { readonly body: string; readonly userType: 'User' | 'Bot'; readonly association: string }[]
  readonly files: FileState[]
  readonly commits?: (ComparisonState['commits'][number] & { readonly userType: 'User' | 'Bot' })[]
}

export interface CheckRunState {
  readonly name: string
  readonly status: 'queued' | 'in_progress' | 'completed'
  readonly conclusion?: string
  readonly detailsUrl?: string
}

export interface StatusState {
  readonly context: string
  readonly state: 'success' | 'failure' | 'error' | 'pending'
}

export const TOKEN = 'ghs_0123456789abcdefghij'

export const ALL_PERMISSIONS = {
  contents: 'read',
  actions: 'read',
  'pull-requests': 'write',
  checks: 'read',
  statuses: 'read',
} as const satisfies GitHubState['permissions']

/** A commit's id that is easy to tell from others: `commit('a')` is forty times `a`. */
export const commit = (digit: string): string => digit.repeat(40)

export function repositoryState(fields: Partial<RepositoryState> = {}): RepositoryState {
  return { comparisons: {}, runs: [], commits: {}, pulls: {}, labels: [], checkRuns: {}, statuses: {}, ...fields }
}

export function pullState(fields: Partial<PullState> = {}): PullState {
  return {
    state: 'open',
    draft: false,
    merged: false,
    branch: 'docs-agent/guide',
    headSha: commit('c'),
    labels: [],
    comments: [],
    files: [{ filename: 'docs/guide.md' }],
    ...fields,
  }
}
