import { formatDuration } from '../../text/duration.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import type { TaskResult } from '../report/report.ts'
import type { BeforeSending, Replacement } from './before-sending.ts'
import { followUp } from './follow-up.ts'
import type { JobWatch } from './job-watch.ts'
import { isRunning } from './job-state.ts'
import { findJob, resolveOutcome, waitForJob } from './wait-for-job.ts'

/** A job that was just created may not be found at once. */
const CREATE_LAG_MS = 30_000

async function create(prompt: string, { wait }: AgentInputs, step: Step, watch: JobWatch): Promise<TaskResult> {
  const job = await step.client.createJob(prompt)
  watch.history.accept(job)
  if (!wait) return { outcome: 'submitted' }
  const result = await waitForJob(job, step, watch, step.clock.now() + CREATE_LAG_MS)
  return result.outcome === 'pull-request' ? { ...result, operation: 'created' } : result
}

/** Nothing is known of such a job, so that this is red whatever `fail-on` says. */
function unread({ history }: JobWatch): TaskResult {
  const hint = history.lastProblem?.hint ?? 'Allow more time in `timeout-minutes`.'
  const error = new ActionError('deadline', 'The deadline passed before the job could be read.', { hint })
  return { outcome: 'timed-out', error }
}

async function attach(jobId: string, { wait }: AgentInputs, step: Step, watch: JobWatch): Promise<TaskResult> {
  const job = await findJob(jobId, step, watch)
  if (job === undefined) return unread(watch)
  if (wait) return waitForJob(job, step, watch)
  return isRunning(job) ? { outcome: 'submitted' } : resolveOutcome(job, step, watch)
}

function perform(
  task: Task,
  inputs: AgentInputs,
  step: Step,
  watch: JobWatch,
  beforeSending: BeforeSending | undefined,
): Promise<TaskResult | Replacement> {
  switch (task.kind) {
    case 'create':
      return create(task.prompt, inputs, step, watch)
    case 'follow-up':
      return followUp(task, inputs, step, watch, beforeSending)
    case 'attach':
      return attach(task.jobId, inputs, step, watch)
  }
}

/** A step that hangs has at least said what it was about to do. */
function announce(task: Task, { projectId, timeoutMs }: AgentInputs): string {
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

/**
 * One turn of the agent, from the prompt to its end.
 * @param beforeSending of a follow-up that something else takes the place of if its conversation has ended
 * @throws ActionError if it was not to be sent, or no end was to be seen; what was seen is in the report by then
 */
export async function runTask(
  task: Task,
  inputs: AgentInputs,
  step: Step,
  watch: JobWatch,
  beforeSending?: BeforeSending,
): Promise<TaskResult> {
  if (task.kind !== 'create') step.core.setOutput('job-id', task.jobId)
  step.core.log(announce(task, inputs))
  const result = await perform(task, inputs, step, watch, beforeSending)
  if ('task' in result) {
    watch.history.restart(result.task)
    return runTask(result.task, inputs, step, watch, result.beforeSending)
  }
  // A prompt on its way is seen through when the run is cancelled, but such a step has not just done its work.
  if (result.outcome === 'submitted') step.signal.throwIfAborted()
  return result
}
