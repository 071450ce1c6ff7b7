import type { IssueState } from './issue-state.ts'
import type { MergeMethod, PullState } from './pull-state.ts'
import type { CheckRun, CheckSuite, CommitStatus, Deployment, WorkflowRun } from './check-state.ts'

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin'

/** The requirements of a protected branch for pull requests into it. */
export interface Protection {
  /** Names of check runs, and contexts of commit statuses. */
  readonly requiredChecks: readonly string[]
  readonly requiredApprovals: number
  /** The branch of a pull request must be up to date with its base. */
  readonly isStrict?: boolean
}

/** A request for a workflow run. */
export interface Dispatch {
  readonly event: 'repository_dispatch' | 'workflow_dispatch'
  readonly actor: string
  readonly atMs: number
  /** The fields of the event that depend on the request. */
  readonly payload: Readonly<Record<string, unknown>>
}

export interface LabelDetails {
  readonly color?: string
  readonly description?: string | null
  /** GitHub creates some labels with each new repository. */
  readonly isDefault?: boolean
}

/** @param name `owner/name` */
export const getOwner = (name: string): string => name.split('/')[0] ?? ''

export interface Fork {
  readonly id: number
  /** Commit ids by branch name. */
  readonly branches: Record<string, string>
}

export interface RepositoryState {
  readonly id: number
  visibility: 'public' | 'private' | 'internal'
  readonly defaultBranch: string
  /** Each commit comes after its parents. */
  readonly commits: Commit[]
  /** Commit ids by branch name. */
  readonly branches: Record<string, string>
  /** By `owner/name`. As on GitHub, the commits of forks are stored with those of the repository. */
  readonly forks: Record<string, Fork>
  readonly tags: Record<string, string>
  /** Oldest first. */
  readonly pushes: Push[]
  readonly labels: string[]
  /** The details of labels that have any. */
  readonly labelDetails: Record<string, LabelDetails>
  /** Numbers up to this one are reserved for the agent's pull requests. */
  readonly reservedNumbers: number
  readonly issues: Record<number, IssueState>
  readonly pulls: Record<number, PullState>
  /** By login. */
  readonly collaborators: Record<string, Role>
  /** The slugs of the owner's teams that have access. */
  readonly teams: string[]
  readonly checkRuns: CheckRun[]
  /** Suites without check runs. All others are derived from their check runs. */
  readonly checkSuites: CheckSuite[]
  readonly statuses: CommitStatus[]
  /** Only events show them. */
  readonly deployments: Deployment[]
  /** The file names of workflows that exist even without a run. */
  readonly workflows: string[]
  readonly workflowRuns: WorkflowRun[]
  readonly dispatches: Dispatch[]
  /** By branch. */
  readonly protections: Record<string, Protection>
  readonly mergeMethods: readonly MergeMethod[]
  readonly isAutoMergeAllowed: boolean
  readonly deletesBranchOnMerge: boolean
  /** The setting “Allow GitHub Actions to create and approve pull requests”. GitHub's own default is off. */
  readonly canActionsCreatePulls: boolean
  /** The number of items that the lists of check runs and of statuses count but do not contain. */
  unlistedChecks: number
  /** The new `owner/name` of a repository that was renamed or transferred. */
  movedTo: string | undefined
}

/** GitHub's own account. It commits what people do on the website: edits, and merges other than by rebasing. */
export const WEB_FLOW = 'web-flow'

/** A branch or a tag was created, moved or deleted. */
export interface Push {
  /** `refs/heads/...` or `refs/tags/...` */
  readonly ref: string
  /** Undefined for a new ref. */
  readonly before: string | undefined
  /** Undefined for a deleted ref. */
  readonly after: string | undefined
  /** The login of the pusher, who need not have written the commits. */
  readonly by: string
  readonly atMs: number
  /** The fork that contains the branch, as `owner/name`. */
  readonly fork?: string | undefined
}

export interface Commit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly message: string
  /** A login, or a name without an account. */
  readonly author: string
  /** Default: the author. */
  readonly committer?: string
  readonly atMs: number
  /** The commit's own changes relative to its first parent. Merged changes are derived from the other parents. */
  readonly files: readonly FileChange[]
}

export interface FileChange {
  readonly filename: string
  readonly status?: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed'
  readonly previous_filename?: string
  readonly additions?: number
  readonly deletions?: number
  readonly patch?: string
  /** The complete file after the change. Default: derived from the patch. */
  readonly content?: string
}

export function createRepositoryState(fields: Partial<RepositoryState> = {}): RepositoryState {
  return {
    id: 1,
    visibility: 'public',
    defaultBranch: 'main',
    commits: [],
    branches: {},
    forks: {},
    tags: {},
    pushes: [],
    labels: [],
    labelDetails: {},
    reservedNumbers: 100,
    issues: {},
    pulls: {},
    collaborators: {},
    teams: [],
    checkRuns: [],
    checkSuites: [],
    statuses: [],
    deployments: [],
    workflows: ['ci.yml', 'docs.yml'],
    workflowRuns: [],
    dispatches: [],
    protections: {},
    mergeMethods: ['merge', 'squash', 'rebase'],
    isAutoMergeAllowed: true,
    deletesBranchOnMerge: false,
    canActionsCreatePulls: true,
    unlistedChecks: 0,
    movedTo: undefined,
    ...fields,
  }
}
