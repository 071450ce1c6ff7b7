/**
 * Runs one turn, from its prompt to its end. Hides how a prompt is resent but never sent twice, and how the end of a
 * turn is distinguished from that of an earlier one.
 */
import type { Delivery, Retry } from '../../docs-service/client.ts'
import { formatRetryTime } from '../../docs-service/retry.ts'
import { isTerminal, type Job } from '../../docs-service/schemas.ts'
import { ActionError, describeError } from '../../runtime/errors.ts'
import { sleepWithProgress } from '../../runtime/heartbeat.ts'
import { formatCount, formatDuration } from '../../text/format.ts'
import type { Plan, Target } from '../plan.ts'
import { type AgentStep, type ObservedEnd, writeMilestone } from '../journal.ts'
import { getReads, type Previewed, type TurnEnd } from '../report/turn.ts'
import {
  isStable,
  isSameEnd,
  provesRunningTurn,
  STABLE_END_MS,
  updateObservedEnd,
  readJob,
  type SettledEnd,
  type JobWatch,
  settleEnd,
  waitForJob,
} from './job-watch.ts'
import { getPollDelayMs, getTurnPollDelayMs } from './poll-schedule.ts'
import {
  decideFollowUp,
  type FollowUpStart,
  type Replan,
  type Stop,
  type TurnStart,
  type Unsent,
} from './decide-turn.ts'
import { compareHeads } from './turn-work.ts'

/** How long a turn may take to start, from the response to its prompt. */
const TURN_START_TIMEOUT_MS = 120_000

/**
 * Creates a function that receives each read of a job and returns whether it shows the end of a turn that has started. A job
 * does not identify its turns, and a read may come from a stale replica. An end that differs from the end before the prompt
 * counts after a read that returned `active`, as soon as no replica can be older than the prompt. Any other end counts when it is
 * stable. Most turns end in the second way: `completed`, with the same pull request as before.
 * @param respondedAtMs when the service responded to the prompt, as a timestamp of `clock.now()`
 * @param wasSeenRunningBefore whether a read, and not only the response to the prompt, proved that the turn runs
 */
export function createTurnEndDetector(
  before: Job,
  respondedAtMs: number,
  wasSeenRunningBefore: boolean,
): (read: Job, nowMs: number) => boolean {
  let wasSeenRunning = wasSeenRunningBefore
  let end: ObservedEnd | undefined
  return (read, nowMs) => {
    wasSeenRunning ||= provesRunningTurn(read)
    end = updateObservedEnd(end, read, nowMs)
    if (end === undefined) return false
    if (wasSeenRunning && nowMs - respondedAtMs >= STABLE_END_MS && !isSameEnd(read, before)) return true
    return isStable(end)
  }
}

/** Returns whether the turn of a prompt is seen to start. Until then, no terminal state counts as its end. */
async function waitForStart(jobId: string, watch: JobWatch): Promise<boolean> {
  const read = await watch.poll(jobId, provesRunningTurn, {
    getDelayMs: getTurnPollDelayMs,
    withinMs: TURN_START_TIMEOUT_MS,
  })
  if (read !== undefined) watch.note('The agent has started this follow-up.')
  return read !== undefined
}

/**
 * Checks whether a prompt with unknown delivery was accepted: its turn is then seen to start. If the job is
 * archived, the reads fail or the run is cancelled, the delivery stays unknown.
 * @throws ActionError `unknown`, if no turn is seen
 */
async function confirmDelivery(unknown: ActionError, before: Job, watch: JobWatch): Promise<void> {
  watch.note(
    'It is unknown whether the service accepted the prompt. The step checks whether the agent starts to work on it.',
  )
  const isAccepted =
    isTerminal(before) &&
    (await waitForStart(before.id, watch).catch((error: unknown) => {
      if (error instanceof ActionError) return false
      throw error
    }))
  if (!isAccepted) throw unknown
}

/** Waits for the end of the turn. While a late link is awaited, a read can show that the turn has not ended. */
async function waitForTurnEnd(
  jobId: string,
  isEnd: ReturnType<typeof createTurnEndDetector>,
  watch: JobWatch,
): Promise<SettledEnd | undefined> {
  const { clock } = watch.step
  const isEndNow = (read: Job): boolean => isEnd(read, clock.now())
  // While an end is not yet stable, the job is read as often as at the start of a turn.
  const getDelayMs: typeof getPollDelayMs = (...state) => {
    const { job } = watch.reads
    return job && isTerminal(job) ? getTurnPollDelayMs(...state) : getPollDelayMs(...state)
  }
  let ended = await watch.poll(jobId, isEndNow, { getDelayMs })
  while (ended !== undefined) {
    const settled = await settleEnd(ended, watch)
    if (settled === undefined || 'kind' in settled) return settled
    ended = isEndNow(settled) ? settled : await watch.poll(jobId, isEndNow, { getDelayMs })
  }
  return undefined
}

/** Logs the prompt of a dry run instead of sending it. */
export function previewTurn({ task, target }: Plan, { core, inputs, journal }: AgentStep): Previewed {
  const prompt = task.kind === 'attach' ? '' : task.prompt
  core.log(`This prompt of ${formatCount(Buffer.byteLength(prompt), 'byte')} would be sent:`)
  core.logQuote(prompt)
  const pullRequest = target.kind === 'pull-request' ? target.rolling.pullRequest : undefined
  const undecided = target.kind === 'new-job' ? target.undecided : undefined
  const ofJob = getReads(journal.newest).job?.prLink?.number
  return { kind: 'previewed', pullRequest, ofJob, undecided, isJobRead: inputs.hasService }
}

/** A prompt that the service has accepted, or may have accepted. */
type Sent = Exclude<Delivery, Retry>

/** Waits before a prompt is resent that the service did not process. */
async function waitToResend({ afterMs, error }: Retry, { clock, core, signal }: AgentStep): Promise<void> {
  const when = formatRetryTime(error, afterMs, clock)
  core.log(`${describeError(error)} Nothing was processed; sending the prompt again ${when}.`)
  await sleepWithProgress(afterMs, { clock, log: core.log, signal })
}

/**
 * Creates a job. Resends the prompt until the service processes it.
 * @throws ActionError if the service does not accept the prompt
 */
export async function createJob(prompt: string, { step }: JobWatch): Promise<Sent> {
  for (let attempt = 1; ; attempt++) {
    const delivery = await step.client.createJob(prompt, attempt)
    if (delivery.kind !== 'retry') return delivery
    await waitToResend(delivery, step)
  }
}

/**
 * Sends a follow-up. Resends it until the service processes it, if the decision is still to send it.
 * @returns the delivery, and the job and its pull request before the prompt; or what to do instead
 * @throws ActionError if the service does not accept the prompt
 */
async function sendFollowUp(
  start: FollowUpStart,
  target: Target,
  watch: JobWatch,
): Promise<{ readonly kind: 'sent'; readonly delivery: Sent; readonly start: FollowUpStart } | Unsent> {
  const { client, journal } = watch.step
  let current = start
  for (let attempt = 1; ; attempt++) {
    journal.updateTurn({ kind: 'sending', ...watch.reads })
    const delivery = await client.sendMessage(current.before.id, current.prompt, attempt)
    if (delivery.kind !== 'retry') return { kind: 'sent', delivery, start: current }
    await waitToResend(delivery, watch.step)
    journal.updateTurn({ kind: 'preparing', ...watch.reads })
    const decision = await decideFollowUp(start.before.id, { prompt: start.prompt, target, refused: current }, watch)
    if (decision.kind !== 'send') return decision
    current = decision.start
  }
}

/**
 * Sends a follow-up to a job (section 4.2), and waits for the end of its turn.
 * @returns what to do instead, if the prompt had to be resent and is not
 */
async function runFollowUp(start: FollowUpStart, target: Target, watch: JobWatch): Promise<TurnEnd | Replan | Stop> {
  const { step } = watch
  const { clock, inputs, journal } = step
  const sent = await sendFollowUp(start, target, watch)
  if (sent.kind !== 'sent') return sent
  const respondedAtMs = clock.now()
  const { delivery } = sent
  const { before, head: readHead } = sent.start
  // The last check before the prompt may have read a newer head.
  const head = readHead && { ...readHead, ...step.heads.newest(readHead) }
  const isStartProvenByResponse = delivery.kind === 'accepted' && provesRunningTurn(delivery.job)
  if (delivery.kind === 'delivery-unknown') {
    journal.updateTurn({ kind: 'delivery-unknown', ...watch.reads })
    await confirmDelivery(delivery.error, before, watch)
    journal.updateTurn({ kind: 'accepted', ...watch.reads, job: watch.reads.job ?? before, isConfirmed: true })
    writeMilestone(step)
  } else {
    const { job: response } = delivery
    watch.recordAcceptance(response, false)
    if (!inputs.wait) return { kind: 'submitted', job: response, isConfirmed: false }
    const hasStarted = isStartProvenByResponse || (await waitForStart(before.id, watch))
    if (!hasStarted) return { kind: 'unconfirmed', job: watch.reads.job ?? response }
    journal.updateTurn({ kind: 'accepted', ...watch.reads, job: watch.reads.job ?? response, isConfirmed: true })
  }
  if (!inputs.wait) return { kind: 'submitted', job: watch.reads.job ?? before, isConfirmed: true }

  const isEnd = createTurnEndDetector(before, respondedAtMs, !isStartProvenByResponse)
  const end = await waitForTurnEnd(before.id, isEnd, watch)
  return end === undefined ? { kind: 'timed-out', ...watch.reads } : compareHeads(end, before, head, step)
}

/** A new job may not be found for this long. */
const CREATE_LAG_MS = 30_000

async function runNewJob(prompt: string, watch: JobWatch): Promise<TurnEnd> {
  const { clock, inputs, journal } = watch.step
  journal.updateTurn({ kind: 'sending' })
  const sent = await createJob(prompt, watch)
  if (sent.kind === 'delivery-unknown') {
    journal.updateTurn({ kind: 'delivery-unknown' })
    throw sent.error
  }
  const { job: created } = sent
  watch.recordAcceptance(created, true)
  if (!inputs.wait) return { kind: 'submitted', job: created, isConfirmed: true }
  const end = await waitForJob(created, watch, clock.now() + CREATE_LAG_MS)
  if (end === undefined) return { kind: 'timed-out', ...watch.reads }
  return end.job.prLink === undefined || end.kind !== 'ended' ? end : { ...end, work: { kind: 'created' } }
}

async function runAttach(jobId: string, watch: JobWatch): Promise<TurnEnd> {
  const { inputs, journal } = watch.step
  const job = await readJob(jobId, watch)
  const { lastProblem } = watch.reads
  if (job === undefined) {
    // Nothing is known about the job, so the step is red regardless of `fail-on`.
    const hint = lastProblem?.hint ?? 'Increase `timeout-minutes`.'
    const error = new ActionError('deadline', 'The deadline passed before the job could be read.', { hint })
    return { kind: 'timed-out', lastProblem, error }
  }
  if (!isTerminal(job) && !inputs.wait) return { kind: 'submitted', job, isConfirmed: true }
  journal.updateTurn({ kind: 'accepted', job, lastProblem, isConfirmed: true })
  writeMilestone(watch.step)
  return (await waitForJob(job, watch)) ?? { kind: 'timed-out', ...watch.reads }
}

const START_PHRASES = { create: 'Creating a job', 'follow-up': 'Following up on', attach: 'Waiting for' }

/** Logs what the turn is about to do, so that the log of a step that hangs shows it. */
export function announceStart({ task }: Plan, { core, inputs }: AgentStep): void {
  const about = task.kind === 'create' ? '' : ` job ${task.jobId}`
  if (task.kind !== 'create' && !inputs.dryRun) core.setOutput('job-id', task.jobId)
  core.log(
    `${inputs.dryRun ? 'Dry run, nothing is sent: ' : ''}${START_PHRASES[task.kind]}${about} in project ${inputs.projectId}, timeout ${formatDuration(inputs.timeoutMs)}.`,
  )
}

/**
 * Runs a turn of the agent, from the prompt to its end.
 * @returns what to do instead, if a follow-up had to be resent and is not
 * @throws ActionError if the end was not observed; what was observed is already in the journal
 */
export async function runTurn(start: TurnStart, target: Target, watch: JobWatch): Promise<TurnEnd | Replan | Stop> {
  switch (start.kind) {
    case 'create':
      return runNewJob(start.prompt, watch)
    case 'attach':
      return runAttach(start.jobId, watch)
    case 'follow-up':
      return runFollowUp(start, target, watch)
  }
}
