/** `warning`, `failure` or `notice`, as the API names it. */
export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly title: string | null
  readonly message: string
}

/** Queued, or waiting where it is guarded, until it starts, and in progress until it completes. `Infinity`: it never does. */
export interface CheckRun {
  /** That of a job of a workflow is the job's, too. */
  readonly id: number
  readonly name: string
  readonly headSha: string
  readonly app: string
  readonly suiteId: number
  /** The workflow's run, where it is a job of one. */
  readonly runId?: number
  /** Of that run, from 1 on: a job that is started again takes the place of the earlier one of its name. */
  readonly attempt?: number
  /** When it is registered. */
  readonly createdAtMs: number
  /** Since when its suite waits for it, where that is earlier: a job behind `needs` is registered when its turn comes. */
  readonly plannedAtMs?: number
  /** Somebody has to let it use its environment before it starts. */
  readonly isGuarded?: boolean
  readonly startedAtMs: number
  readonly completedAtMs: number
  readonly conclusion: string
  /** In place of its own page. */
  readonly detailsUrl?: string
  readonly title?: string
  readonly summary?: string
  readonly annotations?: readonly Annotation[]
  /** Of a job of a workflow, as its runner writes it. */
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
  /** Who reported it. Default: `mona`. */
  readonly creator?: string
  readonly createdAtMs: number
}

export interface WorkflowRun {
  readonly id: number
  /** The name of its file. */
  readonly workflow: string
  readonly branch: string
  readonly headSha: string
  readonly event: string
  /** The suite of its jobs. While these have not ended, it has not either. */
  readonly suiteId?: number
  readonly attempt?: number
  readonly status: 'queued' | 'in_progress' | 'completed' | 'waiting'
  readonly conclusion: string | null
  /** Where it is not the repository itself: a fork. */
  readonly headRepository?: string
  /** Who started it. Default: `mona`. */
  readonly actor?: string
  readonly createdAtMs: number
}
