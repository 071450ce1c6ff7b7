/** The fields of the API. */
export interface StoredAnnotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly title: string | null
  readonly message: string
}

/** Queued (`isGuarded`: waiting) until `startedAtMs`, then in progress until `completedAtMs`. `Infinity` means never. */
export interface CheckRun {
  /** Also the id of the job, if this is a workflow job. */
  readonly id: number
  readonly name: string
  readonly headSha: string
  readonly app: string
  readonly suiteId: number
  /** The workflow run, if this is a workflow job. */
  readonly runId?: number
  /** The attempt of the workflow run, starting at 1. A later attempt replaces earlier jobs of the same name. */
  readonly attempt?: number
  /** The time of the registration. */
  readonly createdAtMs: number
  /** The time from which its suite waits for it, if earlier: a job with `needs` is registered late. */
  readonly plannedAtMs?: number
  /** Waits for the approval of its environment before it starts. */
  readonly isGuarded?: boolean
  readonly startedAtMs: number
  readonly completedAtMs: number
  readonly conclusion: string
  /** Default: the check run's own page. */
  readonly detailsUrl?: string
  readonly title?: string
  readonly summary?: string
  readonly annotations?: readonly StoredAnnotation[]
  /** The log of a workflow job, in the runner's format. */
  readonly log?: string
}

export interface CheckSuite {
  readonly id: number
  readonly headSha: string
  readonly app: string
  readonly status: 'queued' | 'completed'
  /** `action_required`: waits for approval. */
  readonly conclusion: string | null
  readonly createdAtMs: number
}

export interface CommitStatus {
  readonly headSha: string
  readonly context: string
  readonly state: 'success' | 'failure' | 'error' | 'pending'
  readonly description?: string
  readonly targetUrl?: string
  /** The login of the reporter. Default: `mona`. */
  readonly creator?: string
  readonly createdAtMs: number
}

/**
 * Returns the statuses of a commit at a time, oldest first. The repository keeps them in the order in which they were planned,
 * and the plans of several pushes or pull requests can overlap.
 */
export function selectStatuses(statuses: readonly CommitStatus[], sha: string, nowMs: number): readonly CommitStatus[] {
  return statuses
    .filter(({ headSha, createdAtMs }) => headSha === sha && createdAtMs <= nowMs)
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs)
}

export interface WorkflowRun {
  readonly id: number
  /** The file name. */
  readonly workflow: string
  readonly branch: string
  readonly headSha: string
  readonly event: string
  /** The suite of the jobs. The run completes when they do. */
  readonly suiteId?: number
  readonly attempt?: number
  readonly status: 'queued' | 'in_progress' | 'completed' | 'waiting'
  readonly conclusion: string | null
  /** The fork, if the branch is in one. */
  readonly headRepository?: string
  /** The login of the user who started it. Default: `mona`. */
  readonly actor?: string
  readonly createdAtMs: number
}
