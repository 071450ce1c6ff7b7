import type { CheckRun } from './check-state.ts'

export type CheckResult = Pick<CheckRun, 'conclusion' | 'title' | 'summary' | 'annotations' | 'log' | 'detailsUrl'>

export interface TimedPlan {
  readonly name: string
  /** The delay of the registration: from the push or, for a job with `needs`, from the end of the preceding jobs. */
  readonly afterMs: number
  readonly takesMs: number
}

/** A check of a commit. Times are in milliseconds; `Infinity` means never. */
export type CheckPlan =
  | (TimedPlan & { readonly kind: 'app'; readonly result: CheckResult })
  | (TimedPlan & JobPlan)
  | (TimedPlan & { readonly kind: 'status'; readonly conclusion: 'success' | 'failure' })
  /** A workflow run that waits for approval or cannot start. */
  | {
      readonly kind: 'unstarted'
      readonly conclusion: 'action_required' | 'startup_failure'
      readonly workflow?: string
    }

/** A workflow job. Jobs of the same workflow and event share a run and a suite. */
export interface JobPlan {
  readonly kind: 'job'
  readonly result: CheckResult
  /** The file name. */
  readonly workflow?: string
  /** The event that started the workflow. Default: the event of the push. */
  readonly event?: string
  /** How long the job waits for the approval of its environment. */
  readonly guardedMs?: number
  /** Registered after the preceding jobs of its run have completed; skipped if one of them has failed. */
  readonly needs?: true
  /** A second attempt, `afterMs` after the run has completed. */
  readonly again?: Pick<TimedPlan, 'afterMs' | 'takesMs'> & { readonly result: CheckResult }
}
