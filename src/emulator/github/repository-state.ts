import type { IssueState } from './issue-state.ts'
import type { PullState } from './pull-state.ts'
import type { CheckRun, CheckSuite, CommitStatus, WorkflowRun } from './check-state.ts'

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin'

export interface RepositoryState {
  readonly id: number
  readonly defaultBranch: string
  /** Every commit stands behind its parents. */
  readonly commits: Commit[]
  /** Commits by name. */
  readonly branches: Record<string, string>
  readonly tags: Record<string, string>
  readonly labels: string[]
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

export function repositoryState(fields: Partial<RepositoryState> = {}): RepositoryState {
  return {
    id: 1,
    defaultBranch: 'main',
    commits: [],
    branches: {},
    tags: {},
    labels: [],
    issues: {},
    pulls: {},
    collaborators: {},
    teams: [],
    checkRuns: [],
    checkSuites: [],
    statuses: [],
    workflows: ['ci.yml', 'docs.yml'],
    workflowRuns: [],
    unlistedChecks: 0,
    movedTo: undefined,
    ...fields,
  }
}
