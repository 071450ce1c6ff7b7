import { formatDuration } from '../../text/duration.ts'
import { ActionError, rethrowFatal } from '../../runtime/errors.ts'
import type { TurnEnd } from '../report/turn.ts'
import type { Plan } from '../report/plan.ts'
import type { Replan, Stop } from './decide-send.ts'
import { followUp } from './follow-up.ts'
import { prepareSend } from './prepare-send.ts'
import type { JobWatch } from './job-watch.ts'
import { isRunning } from './job-state.ts'
import { findJob, waitForJob } from './wait-for-job.ts'

/** A job that was just created may not be found at once. */
const CREATE_LAG_MS = 30_000

async function create(prompt: string, watch: JobWatch): Promise<TurnEnd> {
  const { client, clock, inputs, journal } = watch.step
  journal.updateTurn({ kind: 'sending' })
  const created = await client.createJob(prompt).catch((error: unknown) => {
    const unknown = rethrowFatal(error, 'unknown-fate')
    journal.updateTurn({ kind: 'delivery-unknown' })
    throw unknown
  })
  watch.accept(created, true)
  if (!inputs.wait) return { kind: 'submitted', job: created, isConfirmed: true }
  const end = await waitForJob(created, watch, clock.now() + CREATE_LAG_MS)
  if (end === undefined) return { kind: 'timed-out', ...watch.reads }
  return end.job.prLink === undefined || end.kind !== 'ended' ? end : { ...end, work: { kind: 'created' } }
}

async function attach(jobId: string, watch: JobWatch): Promise<TurnEnd> {
  const { inputs, journal } = watch.step
  const job = await findJob(jobId, watch)
  const { lastProblem } = watch.reads
  if (job === undefined) {
    // Nothing is known of such a job, so that this is red whatever `fail-on` says.
    const hint = lastProblem?.hint ?? 'Allow more time in `timeout-minutes`.'
    const error = new ActionError('deadline', 'The deadline passed before the job could be read.', { hint })
    return { kind: 'timed-out', lastProblem, error }
  }
  if (isRunning(job) && !inputs.wait) return { kind: 'submitted', job, isConfirmed: true }
  journal.updateTurn({ kind: 'accepted', job, lastProblem, isConfirmed: true })
  return (await waitForJob(job, watch)) ?? { kind: 'timed-out', ...watch.reads }
}

const BEGINS = { create: 'Creating a job', 'follow-up': 'Following up on', attach: 'Waiting for' }

/**
 * One turn of the agent, from the prompt to its end.
 * @returns `replan` if the prompt has lost its target, and `stop` if it is not to be sent
 * @throws ActionError if no end was to be seen; what was seen is in the journal by then
 */
export async function runTurn({ task, target }: Plan, watch: JobWatch): Promise<TurnEnd | Replan | Stop> {
  const { core, inputs } = watch.step
  const about = task.kind === 'create' ? '' : ` job ${task.jobId}`
  if (task.kind !== 'create') core.setOutput('job-id', task.jobId)
  // A step that hangs has at least said what it was about to do.
  core.log(`${BEGINS[task.kind]}${about} in project ${inputs.projectId}, timeout ${formatDuration(inputs.timeoutMs)}.`)
  switch (task.kind) {
    case 'create':
      return create(task.prompt, watch)
    case 'attach':
      return attach(task.jobId, watch)
    case 'follow-up': {
      const decision = await prepareSend(task.jobId, target, watch)
      return decision.kind === 'send' ? followUp(task.prompt, target, decision, watch) : decision
    }
  }
}
