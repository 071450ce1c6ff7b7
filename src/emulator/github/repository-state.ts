import type { IssueState } from './issue-state.ts'
import type { MergeMethod, PullState } from './pull-state.ts'
import type { CheckRun, CheckSuite, CommitStatus, WorkflowRun } from './check-state.ts'

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin'

/** What a protected branch requires of a pull request into it. */
export interface Protection {
  /** Names of check runs, and contexts of commit statuses. */
  readonly requiredChecks: readonly string[]
  readonly requiredApprovals: number
  /** The branch must contain the newest commit of its base. */
  readonly isStrict?: boolean
}

/** Somebody asked for a workflow run, with `repository_dispatch` or `workflow_dispatch`. */
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
  /** Commits by name. */
  readonly branches: Record<string, string>
}

export interface RepositoryState {
  readonly id: number
  visibility: 'public' | 'private' | 'internal'
  readonly defaultBranch: string
  /** Every commit stands behind its parents. */
  readonly commits: Commit[]
  /** Commits by name. */
  readonly branches: Record<string, string>
  /** By `owner/name`. As on GitHub, the commits of forks are stored with those of the repository. */
  readonly forks: Record<string, Fork>
  readonly tags: Record<string, string>
  readonly labels: string[]
  /** Of labels that have more than a name. */
  readonly labelDetails: Record<string, LabelDetails>
  /** Numbers up to this one are for the agent's pull requests. */
  readonly reservedNumbers: number
  readonly issues: Record<number, IssueState>
  readonly pulls: Record<number, PullState>
  /** By login. */
  readonly collaborators: Record<string, Role>
  /** Teams of the owner that have access, by the last part of their names. */
  readonly teams: string[]
  readonly checkRuns: CheckRun[]
  /** Suites that have no check runs, so far or for ever. Those of check runs follow from these. */
  readonly checkSuites: CheckSuite[]
  readonly statuses: CommitStatus[]
  /** The files of those that are there although they may not have run. */
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
  /** That the lists of check runs and of statuses count, and do not hold. */
  unlistedChecks: number
  /** `owner/name` of where it is now. */
  movedTo: string | undefined
}

export interface Commit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: string
  /** By default the author. */
  readonly committer?: string
  readonly atMs: number
  /** What it changed itself, compared with its first parent. What a merge brought follows from its other parents. */
  readonly files: readonly FileChange[]
}

export interface FileChange {
  readonly filename: string
  readonly status?: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed'
  readonly previous_filename?: string
  readonly additions?: number
  readonly deletions?: number
  readonly patch?: string
  /** All of the file after the change, where that is known. Otherwise it follows from the patch. */
  readonly content?: string
}

export function repositoryState(fields: Partial<RepositoryState> = {}): RepositoryState {
  return {
    id: 1,
    visibility: 'public',
    defaultBranch: 'main',
    commits: [],
    branches: {},
    forks: {},
    tags: {},
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
