import { formatDuration } from '../../text/duration.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import type { TaskResult } from '../report/report.ts'
import type { Plan } from '../report/turns.ts'
import { followUp } from './follow-up.ts'
import type { JobWatch } from './job-watch.ts'
import { isRunning } from './job-state.ts'
import { findJob, resolveOutcome, waitForJob } from './wait-for-job.ts'

/** A job that was just created may not be found at once. */
const CREATE_LAG_MS = 30_000

async function create(prompt: string, { wait }: AgentInputs, step: AgentStep, watch: JobWatch): Promise<TaskResult> {
  const job = await step.client.createJob(prompt)
  watch.accept(job)
  if (!wait) return { outcome: 'submitted' }
  const result = await waitForJob(job, step, watch, step.clock.now() + CREATE_LAG_MS)
  return result.outcome === 'pull-request' ? { ...result, operation: 'created' } : result
}

/** Nothing is known of such a job, so that this is red whatever `fail-on` says. */
function unread({ course }: JobWatch): TaskResult {
  const hint = course.newest.lastProblem?.hint ?? 'Allow more time in `timeout-minutes`.'
  const error = new ActionError('deadline', 'The deadline passed before the job could be read.', { hint })
  return { outcome: 'timed-out', error }
}

async function attach(jobId: string, { wait }: AgentInputs, step: AgentStep, watch: JobWatch): Promise<TaskResult> {
  const job = await findJob(jobId, step, watch)
  if (job === undefined) return unread(watch)
  if (wait) return waitForJob(job, step, watch)
  return isRunning(job) ? { outcome: 'submitted' } : resolveOutcome(job, step, watch)
}

/** A step that hangs has at least said what it was about to do. */
function announce(task: Task, { projectId, timeoutMs }: AgentInputs): string {
  const about = task.kind === 'create' ? '' : ` job ${task.jobId}`
  return `${BEGINS[task.kind]}${about} in project ${projectId}, timeout ${formatDuration(timeoutMs)}.`
}

const BEGINS = { create: 'Creating a job', 'follow-up': 'Following up on', attach: 'Waiting for' }

/**
 * One turn of the agent, from the prompt to its end.
 * @throws ActionError if it was not to be sent, or no end was to be seen; what was seen is in the course by then
 */
export async function runTurn(
  { task, preflight }: Plan,
  inputs: AgentInputs,
  step: AgentStep,
  watch: JobWatch,
): Promise<TaskResult> {
  if (task.kind !== 'create') step.core.setOutput('job-id', task.jobId)
  step.core.log(announce(task, inputs))
  if (task.kind === 'follow-up') return followUp(task, inputs, step, watch, preflight)
  return task.kind === 'create' ? create(task.prompt, inputs, step, watch) : attach(task.jobId, inputs, step, watch)
}
