import { formatDuration } from '../../text/duration.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { TaskResult } from '../report/report.ts'
import type { Plan, Replace } from '../report/turns.ts'
import { followUp } from './follow-up.ts'
import type { JobWatch } from './job-watch.ts'
import { isRunning } from './job-state.ts'
import { findJob, waitForJob } from './wait-for-job.ts'

/** A job that was just created may not be found at once. */
const CREATE_LAG_MS = 30_000

async function create(prompt: string, watch: JobWatch): Promise<TaskResult> {
  const { client, clock, inputs } = watch.step
  const job = await client.createJob(prompt)
  watch.accept(job)
  if (!inputs.wait) return { outcome: 'submitted' }
  const result = await waitForJob(job, watch, clock.now() + CREATE_LAG_MS)
  return result.job?.prLink === undefined ? result : { ...result, operation: 'created' }
}

async function attach(jobId: string, watch: JobWatch): Promise<TaskResult> {
  const { inputs, journal } = watch.step
  const job = await findJob(jobId, watch)
  if (job !== undefined) return isRunning(job) && !inputs.wait ? { outcome: 'submitted' } : waitForJob(job, watch)
  // Nothing is known of such a job, so that this is red whatever `fail-on` says.
  const hint = journal.newest.lastProblem?.hint ?? 'Allow more time in `timeout-minutes`.'
  const error = new ActionError('deadline', 'The deadline passed before the job could be read.', { hint })
  return { outcome: 'timed-out', error }
}

const BEGINS = { create: 'Creating a job', 'follow-up': 'Following up on', attach: 'Waiting for' }

/**
 * One turn of the agent, from the prompt to its end.
 * @returns what takes its place, if it was not sent for that
 * @throws ActionError if it was not to be sent, or no end was to be seen; what was seen is in the journal by then
 */
export async function runTurn({ task, preflight }: Plan, watch: JobWatch): Promise<TaskResult | Replace> {
  const { core, inputs } = watch.step
  const about = task.kind === 'create' ? '' : ` job ${task.jobId}`
  if (task.kind !== 'create') core.setOutput('job-id', task.jobId)
  // A step that hangs has at least said what it was about to do.
  core.log(`${BEGINS[task.kind]}${about} in project ${inputs.projectId}, timeout ${formatDuration(inputs.timeoutMs)}.`)
  if (task.kind === 'follow-up') return followUp(task.jobId, task.prompt, watch, preflight)
  return task.kind === 'create' ? create(task.prompt, watch) : attach(task.jobId, watch)
}
