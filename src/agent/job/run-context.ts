import type { DocsServiceClient } from '../../service/client.ts'
import type { Job } from '../../service/schemas.ts'
import type { Clock } from '../../shared/clock.ts'
import type { ActionError } from '../../shared/errors.ts'
import type { JobHistory } from './job-history.ts'
import type { PollJob } from './poll-job.ts'
import type { Outcome } from '../report/report.ts'

/** What every part of a run works with. */
export interface RunContext {
  readonly client: DocsServiceClient
  readonly clock: Clock
  readonly poll: PollJob
  readonly history: JobHistory
  /** Of the whole step, on the clock's scale. */
  readonly deadlineAt: number
  /** Whether to wait for the end of the job, or to leave once the service has taken the prompt. */
  readonly wait: boolean
  /** Called with the service's answer to a prompt, before any waiting. */
  readonly accept: (answer: Job) => void
}

/** How a run ends. */
export interface Ending {
  readonly outcome: Outcome
  /** The answer that decided it, where one did. Whatever is read later does not change it. */
  readonly job?: Job
  /** What kept the step from doing what it was asked to. */
  readonly error?: ActionError
}
