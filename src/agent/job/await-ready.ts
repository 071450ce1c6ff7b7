import type { PullRequest } from '../../github/pull-requests.ts'
import type { Job } from '../../docs-service/schemas.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import { isRunning, isSameEnd } from './job-state.ts'
import type { JobWatch } from './job-watch.ts'
import { readStandingHead } from './pull-request-head.ts'
import { findJob, waitForJob } from './wait-for-job.ts'

/** A reading of the job that is older is made again before the prompt is sent. */
const OLD_MS = 1_000

/** The job when its present turn has ended. */
export interface Ready {
  /** Undefined if the turn did not end before the deadline. */
  readonly before: Job | undefined
  /** The head of its pull request, if a turn was waited for: what that has pushed last had to stand. */
  readonly head: PullRequest | undefined
  readonly wasBusy: boolean
}

/**
 * Waits for the end of the job's present turn, or that end would pass for the one of the prompt.
 * @param isRolling whether the job's pull request has to be known before, so that it is waited for in any case
 * @param wasBusy whether a turn was waited for already
 */
export async function awaitReady(
  present: Job,
  isRolling: boolean,
  inputs: AgentInputs,
  step: Step,
  watch: JobWatch,
  wasBusy = false,
): Promise<Ready> {
  const { wait } = inputs
  const isInTheWay = isRunning(present) && (wait || isRolling)
  if (isInTheWay) watch.note('The job is busy. The prompt is sent when its present turn ends.')
  const isLate = isRolling && present.status === 'completed' && present.prLink === undefined
  const isBusy = wasBusy || isInTheWay || isLate
  const before = isInTheWay || isLate ? (await waitForJob(present, step, watch)).job : present
  const endedAt = step.clock.now()
  const head = before && wait && isBusy ? await readStandingHead(before, step, watch.journal) : undefined
  // The job may have got another prompt while the head had to stand.
  const now = step.clock.now()
  const isOld = isBusy && now - endedAt >= OLD_MS && now < step.deadlineAt
  const again = before && isOld ? await findJob(before.id, step, watch) : before
  if (before === undefined || again === undefined || isSameEnd(before, again)) return { before, head, wasBusy: isBusy }
  return awaitReady(again, isRolling, inputs, step, watch, true)
}
