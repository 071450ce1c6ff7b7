import type { IssueState } from './issue-state.ts'
import type { MergeMethod, PullState } from './pull-state.ts'
import type { CheckRun, CheckSuite, CommitStatus, WorkflowRun } from './check-state.ts'

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin'

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
  /** The file names of workflows that exist even without a run. */
  readonly workflows: string[]
  readonly workflowRuns: WorkflowRun[]
  /** In a rehearsal: the branch of the real run, which runs on the default branch are shown to be on. */
  runBranch: string | undefined
  /** Whether a branch must be up to date with its base before it is merged. */
  readonly requiresUpToDate: boolean
  readonly mergeMethods: readonly MergeMethod[]
  /** The number of items that the lists of check runs and of statuses count but do not contain. */
  unlistedChecks: number
  /** The new `owner/name` of a repository that was renamed or transferred. */
  movedTo: string | undefined
}

/** GitHub's own account. It commits what people do on the website: edits, and merges other than by rebasing. */
export const WEB_FLOW = 'web-flow'

/** A branch was created or moved. */
export interface Push {
  /** `refs/heads/...` */
  readonly ref: string
  /** Undefined for a new branch. */
  readonly before: string | undefined
  readonly after: string
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
    reservedNumbers: 100,
    issues: {},
    pulls: {},
    collaborators: {},
    teams: [],
    checkRuns: [],
    checkSuites: [],
    statuses: [],
    workflows: ['ci.yml', 'docs.yml'],
    workflowRuns: [],
    runBranch: undefined,
    requiresUpToDate: false,
    mergeMethods: ['merge', 'squash', 'rebase'],
    unlistedChecks: 0,
    movedTo: undefined,
    ...fields,
  }
}
