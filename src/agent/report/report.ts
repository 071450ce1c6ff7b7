import type { Job } from '../../service/schemas.ts'
import type { ActionError } from '../../shared/errors.ts'
import type { HandOff } from '../pull-request/examine-pull-request.ts'
import type { Task } from '../inputs/inputs.ts'
import type { Shortfall } from './shortfalls.ts'

/** What became of the step; the value of the output `outcome`. */
export const OUTCOMES = [
  'pull-request',
  'no-changes',
  'failed',
  'archived',
  'timed-out',
  'unconfirmed',
  'submitted',
  'cancelled',
  'skipped',
  'error',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** `taken`: the service has accepted it, and its turn was not seen. The job may then be as the turn before had left it. */
export type Turn = 'unsent' | 'taken' | 'seen'

export interface TimelineEntry {
  readonly at: Date
  /** Since the step began, in milliseconds. */
  readonly elapsedMs: number
  readonly event: string
}

/** All that the step knows at its end. Log, outputs, summary and exit code are made of this and of nothing else. */
export interface Report {
  readonly outcome: Outcome
  /** Undefined where the inputs did not say what to do. */
  readonly task: Task | undefined
  /** The job as it was last read. */
  readonly job: Job | undefined
  readonly timeline: readonly TimelineEntry[]
  readonly durationMs: number
  /** What kept the step from doing what it was asked to. Such a step is red whatever `fail-on` says. */
  readonly error: ActionError | undefined
  /** Why the last look at the job failed, where it did. */
  readonly lastProblem: ActionError | undefined
  /** How far a follow-up has come; undefined for other tasks. */
  readonly turn?: Turn
  /** Why nothing was asked of the service, as a full sentence, where the change that started the run was no reason to. */
  readonly skipReason?: string
  /** What was found of the change that started the run, and what of it was sent. */
  readonly change?: string
  /** What has become of the pull request on GitHub. */
  readonly handOff?: HandOff
  /** What could not be done on GitHub. */
  readonly shortfalls?: readonly Shortfall[]
}

/** The id that a later step can follow up on or attach to. */
export function jobIdOf({ job, task }: Report): string | undefined {
  if (job !== undefined) return job.id
  return task === undefined || task.kind === 'create' ? undefined : task.jobId
}
