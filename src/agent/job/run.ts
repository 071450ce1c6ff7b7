import type { DocsServiceClient } from '../../service/client.ts'
import type { Job } from '../../service/schemas.ts'
import type { Clock } from '../../shared/clock.ts'
import { formatDuration } from '../../shared/duration.ts'
import { ActionError } from '../../shared/errors.ts'
import { followUp } from './follow-up.ts'
import type { JobInputs, Task } from '../inputs/inputs.ts'
import { JobHistory } from './job-history.ts'
import { createPoller } from './poll-job.ts'
import type { Report } from '../report/report.ts'
import type { Ending, RunContext } from './run-context.ts'
import { isRunning } from './verdict.ts'
import { findJob, settle, waitForJob } from './wait-for-job.ts'

export interface RunPorts {
  readonly client: DocsServiceClient
  readonly clock: Clock
  readonly signal: AbortSignal
  /** From 0 to 1. */
  readonly random: () => number
  /** When the step began, on the clock's scale. */
  readonly startedAt: number
  readonly log: (line: string) => void
  readonly warn: (line: string) => void
  /** Called before any waiting, so that a job is not lost whatever happens later. */
  readonly onJobAccepted: (job: Job) => void
}

/** A job that was just created may not be found at once. */
const YOUNG_MS = 30_000

async function create(prompt: string, context: RunContext): Promise<Ending> {
  const job = await context.client.createJob(prompt)
  context.accept(job)
  if (!context.wait) return { outcome: 'submitted' }
  return waitForJob(job, context, context.clock.now() + YOUNG_MS)
}

/** Nothing is known of such a job, so that this is red whatever `fail-on` says. */
function unread({ history }: RunContext): Ending {
  const hint = history.lastProblem?.hint ?? 'Allow more time in `timeout-minutes`.'
  const error = new ActionError('deadline', 'The deadline passed before the job could be read.', { hint })
  return { outcome: 'timed-out', error }
}

async function attach(jobId: string, context: RunContext): Promise<Ending> {
  const job = await findJob(jobId, context)
  if (job === undefined) return unread(context)
  if (context.wait) return waitForJob(job, context)
  return isRunning(job) ? { outcome: 'submitted' } : settle(job, context)
}

function perform(task: Task, context: RunContext): Promise<Ending> {
  switch (task.kind) {
    case 'create':
      return create(task.prompt, context)
    case 'follow-up':
      return followUp(task.jobId, task.prompt, context)
    case 'attach':
      return attach(task.jobId, context)
  }
}

/** The first line of the log: a step that hangs has at least said what it was about to do. */
function announce({ task, projectId, timeoutMs }: JobInputs): string {
  const limit = `within ${formatDuration(timeoutMs)}`
  switch (task.kind) {
    case 'create':
      return `Creating a job in project ${projectId}, to be done ${limit}.`
    case 'follow-up':
      return `Following up on job ${task.jobId} in project ${projectId}, to be done ${limit}.`
    case 'attach':
      return `Waiting for job ${task.jobId} in project ${projectId}, to be done ${limit}.`
  }
}

/** Does what the step was asked to and reports what became of it. Throws only what nobody foresaw. */
export async function runAgent(inputs: JobInputs, ports: RunPorts): Promise<Report> {
  const { client, clock, signal, startedAt } = ports
  const { task, wait } = inputs
  const deadlineAt = startedAt + inputs.timeoutMs
  const history = new JobHistory(ports)
  const poll = createPoller({ ...ports, history, deadlineAt, pollIntervalMs: inputs.pollIntervalMs })
  const accept = (answer: Job): void => {
    // First of all: a run that is killed in the next moment has still told the next step its job.
    ports.onJobAccepted(answer)
    history.note(`The service has taken the prompt: job ${answer.id}.`)
    history.observe(answer)
  }

  function report({ outcome, error, job = history.lastJob }: Ending): Report {
    const { timeline, lastProblem } = history
    const turn = task.kind === 'follow-up' ? { turn: history.turn } : {}
    return { outcome, task, job, timeline, durationMs: clock.now() - startedAt, error, lastProblem, ...turn }
  }

  ports.log(announce(inputs))
  try {
    const ending = await perform(task, { client, clock, poll, history, deadlineAt, wait, accept })
    // A prompt on its way is seen through when the run is cancelled, but such a step has not just done its work.
    if (ending.outcome === 'submitted') signal.throwIfAborted()
    return report(ending)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return report({ outcome: signal.aborted ? 'cancelled' : 'error', error })
  }
}
