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

export const PERMISSION_NAMES = ['contents', 'actions', 'pull-requests', 'issues', 'checks', 'statuses'] as const
export type PermissionName = (typeof PERMISSION_NAMES)[number]
export type Access = 'read' | 'write'
export type Permissions = Readonly<Partial<Record<PermissionName, Access>>>

export const ALL_PERMISSIONS: Permissions = {
  contents: 'write',
  actions: 'read',
  'pull-requests': 'write',
  issues: 'write',
  checks: 'read',
  statuses: 'read',
}

export interface User {
  readonly id: number
  readonly type: 'User' | 'Bot'
}

/** From a change until it can be read, in milliseconds. */
export interface Lag {
  /** A new pull request is 404 for as long. */
  readonly newPullMs: number
  /** A pull request shows its old head for as long. */
  readonly headMs: number
  /** `commits/{sha}/pulls` knows nothing of a merge for as long, and answers with an empty list or with 422. */
  readonly commitPullsMs: number
  readonly commitPullsAnswer: 'empty' | 'unprocessable'
  /** `mergeable` is null for as long. */
  readonly mergeableMs: number
}

export const USUAL_LAG: Lag = {
  newPullMs: 0,
  headMs: 0,
  commitPullsMs: 0,
  commitPullsAnswer: 'empty',
  mergeableMs: 3_000,
}

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin'

export interface RepositoryState {
  readonly id: number
  readonly defaultBranch: string
  /** Every commit stands behind its parents. */
  readonly commits: Commit[]
  /** Commits by name. */
  readonly branches: Record<string, string>
  readonly tags: Record<string, string>
  /** Newest first. */
  readonly releases: Release[]
  readonly labels: string[]
  readonly issues: Record<number, IssueState>
  readonly pulls: Record<number, PullState>
  /** By login. */
  readonly collaborators: Record<string, Role>
  readonly checkRuns: CheckRun[]
  /** Suites that have no check runs, so far or for ever. Those of check runs follow from these. */
  readonly checkSuites: CheckSuite[]
  readonly statuses: CommitStatus[]
  readonly workflowRuns: WorkflowRun[]
  /** That the lists of check runs and of statuses count, and do not hold. */
  unlistedChecks: number
  /** `owner/name` of where it is now. */
  movedTo: string | undefined
  /** Why it refuses all, or all writing. */
  refusal: { readonly of: 'all' | 'writes'; readonly message: string } | undefined
}

export interface Commit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: string
  readonly atMs: number
  /** What it changed, compared with its first parent. */
  readonly files: readonly FileChange[]
}

export interface FileChange {
  readonly filename: string
  readonly status?: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed'
  readonly previous_filename?: string
  readonly additions?: number
  readonly deletions?: number
  readonly patch?: string
}

export interface Release {
  readonly id: number
  readonly tag: string
  readonly name: string
  readonly body: string
  readonly isDraft?: boolean
  readonly isPrerelease?: boolean
  readonly publishedAtMs: number
}

export interface Reaction {
  readonly id: number
  readonly user: string
  readonly content: string
}

export interface Comment {
  readonly id: number
  readonly user: string
  body: string
  readonly createdAtMs: number
  updatedAtMs?: number
  /** Where it is not what follows from the collaborators. */
  readonly association?: string
  readonly reactions: Reaction[]
}

export interface ReviewComment extends Comment {
  readonly path: string
  readonly line: number
  readonly diffHunk: string
  readonly reviewId?: number
  readonly inReplyTo?: number
}

export interface Review {
  readonly id: number
  readonly user: string
  readonly body: string
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED'
  readonly submittedAtMs: number
}

export interface IssueState {
  readonly title: string
  readonly body: string
  readonly user: string
  state: 'open' | 'closed'
  locked: boolean
  readonly labels: string[]
  readonly comments: Comment[]
  readonly reactions: Reaction[]
  readonly createdAtMs: number
  updatedAtMs: number
}

export interface PullState extends IssueState {
  draft: boolean
  readonly branch: string
  /** The branch that it is to go into. */
  readonly base: string
  /** Stays as it is once the pull request is closed. */
  headSha: string
  /** Where the base was when it was closed. Until then it is where the branch is. */
  closedBaseSha: string | undefined
  /** The head before, and when it moved. */
  previousHead: { readonly sha: string; readonly untilMs: number } | undefined
  /** How often its branch was pushed to. */
  pushes: number
  conflict: boolean
  /** Required checks or reviews are missing. */
  blocked: boolean
  merge: { readonly sha: string; readonly atMs: number } | undefined
  readonly reviews: Review[]
  readonly reviewComments: ReviewComment[]
}

/** `warning`, `failure` or `notice`, as the API names it. */
export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly title: string | null
  readonly message: string
}

/** Queued until it starts, and in progress until it completes. `Infinity`: it never does. */
export interface CheckRun {
  /** That of a job of a workflow is the job's, too. */
  readonly id: number
  readonly name: string
  readonly headSha: string
  readonly app: string
  readonly suiteId: number
  /** The workflow's run, where it is a job of one. */
  readonly runId?: number
  readonly createdAtMs: number
  readonly startedAtMs: number
  readonly completedAtMs: number
  readonly conclusion: string
  readonly detailsUrl?: string
  readonly title?: string
  readonly summary?: string
  readonly annotations?: readonly Annotation[]
  readonly log?: string
}

export interface CheckSuite {
  readonly id: number
  readonly headSha: string
  readonly app: string
  readonly status: 'queued' | 'completed'
  /** `action_required`: it waits for somebody's approval. */
  readonly conclusion: string | null
  readonly createdAtMs: number
}

export interface CommitStatus {
  readonly headSha: string
  readonly context: string
  readonly state: 'success' | 'failure' | 'error' | 'pending'
  readonly description?: string
  readonly targetUrl?: string
  readonly createdAtMs: number
}

export interface WorkflowRun {
  readonly id: number
  /** The name of its file. */
  readonly workflow: string
  readonly branch: string
  readonly headSha: string
  readonly event: string
  readonly status: 'queued' | 'in_progress' | 'completed' | 'waiting'
  readonly conclusion: string | null
  /** Where it is not the repository itself: a fork. */
  readonly headRepository?: string
  readonly createdAtMs: number
}

export function repositoryState(fields: Partial<RepositoryState> = {}): RepositoryState {
  return {
    id: 1,
    defaultBranch: 'main',
    commits: [],
    branches: {},
    tags: {},
    releases: [],
    labels: [],
    issues: {},
    pulls: {},
    collaborators: {},
    checkRuns: [],
    checkSuites: [],
    statuses: [],
    workflowRuns: [],
    unlistedChecks: 0,
    movedTo: undefined,
    refusal: undefined,
    ...fields,
  }
}

export function issueState(fields: Partial<IssueState> = {}): IssueState {
  return {
    title: 'Update the docs',
    body: '',
    user: 'mona',
    state: 'open',
    locked: false,
    labels: [],
    comments: [],
    reactions: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    ...fields,
  }
}

export function pullState(fields: Partial<PullState> & Pick<PullState, 'branch' | 'headSha'>): PullState {
  return {
    ...issueState(),
    draft: false,
    base: 'main',
    closedBaseSha: undefined,
    previousHead: undefined,
    pushes: 1,
    conflict: false,
    blocked: false,
    merge: undefined,
    reviews: [],
    reviewComments: [],
    ...fields,
  }
}

/** A check run that has passed, unless told otherwise. */
export function checkRun(fields: Partial<CheckRun> & Pick<CheckRun, 'name' | 'headSha'>): CheckRun {
  return {
    id: 1,
    app: 'github-actions',
    suiteId: 1,
    createdAtMs: 0,
    startedAtMs: 0,
    completedAtMs: 0,
    conclusion: 'success',
    ...fields,
  }
}

export function takeId(state: GitHubState): number {
  state.lastId += 1
  return state.lastId
}
