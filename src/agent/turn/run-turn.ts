import type { Delivery, Retry } from '../../docs-service/client.ts'
import { formatRetryTime } from '../../docs-service/retry.ts'
import { isTerminal, type Job } from '../../docs-service/schemas.ts'
import { ActionError, describeError } from '../../runtime/errors.ts'
import { sleepWithProgress } from '../../runtime/heartbeat.ts'
import { formatCount, formatDuration } from '../../text/format.ts'
import type { Plan, Target } from '../plan.ts'
import { type AgentStep, type ObservedEnd, writeMilestone } from '../journal.ts'
import type { Previewed, TurnEnd } from '../report/turn.ts'
import { isStable, isSameEnd, isReportedActive, STABLE_END_MS, updateObservedEnd } from './job-state.ts'
import { readJob, type JobEnd, type JobWatch, settleEnd, waitForJob } from './job-watch.ts'
import { getPollDelayMs, getTurnPollDelayMs } from './poll-schedule.ts'
import { type FollowUpStart, recheckBeforeSend, type Stop, type TurnStart } from './decide-turn.ts'
import { compareHeads, type HeadBefore } from './turn-work.ts'

/** How long a turn may take to begin, from the answer to its message. */
const TURN_START_TIMEOUT_MS = 120_000

/**
 * Given one read after another, tells whether each is the end of a turn that has begun. A job tells nothing about its turns, and a
 * read may come from a copy that lags. So an end counts after a read that said `active` if it differs from the one before the
 * message, and no copy can be older than that; and else if it has stood for 15 s. The usual case is the second: `completed`,
 * with the same pull request as before.
 * @param answeredAtMs when the message was answered, on the clock's scale
 * @param wasReadActive whether a read, and not only the answer, said `active`
 */
export function createTurnEndDetector(
  before: Job,
  answeredAtMs: number,
  wasReadActive: boolean,
): (read: Job, nowMs: number) => boolean {
  let isSeenActive = wasReadActive
  let standing: ObservedEnd | undefined
  return (read, nowMs) => {
    isSeenActive ||= isReportedActive(read)
    standing = updateObservedEnd(standing, read, nowMs)
    if (standing === undefined) return false
    if (isSeenActive && nowMs - answeredAtMs >= STABLE_END_MS && !isSameEnd(read, before)) return true
    return isStable(standing)
  }
}

/** Whether the turn of a message is seen. No final state counts as its end before that. */
async function waitForStart(jobId: string, watch: JobWatch): Promise<boolean> {
  const read = await watch.poll(jobId, isReportedActive, {
    getDelayMs: getTurnPollDelayMs,
    withinMs: TURN_START_TIMEOUT_MS,
  })
  if (read !== undefined) watch.note('The agent has begun this follow-up.')
  return read !== undefined
}

/**
 * A prompt whose delivery is unknown was accepted if its turn is seen. That somebody archived the job proves nothing, and
 * whatever ends the reading, a cancelled run included, leaves the delivery unknown.
 * @throws ActionError the given one, if no turn is seen
 */
async function confirmDelivery(unknown: ActionError, before: Job, watch: JobWatch): Promise<void> {
  watch.note('It is not known whether the service accepted the prompt. The step looks whether the agent begins it.')
  const isAccepted =
    isTerminal(before) &&
    (await waitForStart(before.id, watch).catch((error: unknown) => {
      if (error instanceof ActionError) return false
      throw error
    }))
  if (!isAccepted) throw unknown
}

/** Waits for the end of the turn. A read that contradicts an end while its link is awaited reopens the question. */
async function waitForTurnEnd(
  jobId: string,
  isEnd: ReturnType<typeof createTurnEndDetector>,
  watch: JobWatch,
): Promise<JobEnd | undefined> {
  const { clock } = watch.step
  const isEndNow = (read: Job): boolean => isEnd(read, clock.now())
  // An end that has to stand is read at the pace of a turn's beginning.
  const nextMs: typeof getPollDelayMs = (...now) => {
    const { job } = watch.reads
    return job && isTerminal(job) ? getTurnPollDelayMs(...now) : getPollDelayMs(...now)
  }
  let ended = await watch.poll(jobId, isEndNow, { getDelayMs: nextMs })
  while (ended !== undefined) {
    const settled = await settleEnd(ended, watch)
    if (settled === undefined || 'kind' in settled) return settled
    ended = isEndNow(settled) ? settled : await watch.poll(jobId, isEndNow, { getDelayMs: nextMs })
  }
  return undefined
}

/** Shows the prompt of a dry run, in place of sending it. */
export function previewTurn({ task, target }: Plan, { core, inputs }: AgentStep): Previewed {
  const prompt = task.kind === 'attach' ? '' : task.prompt
  core.log(`This prompt of ${formatCount(Buffer.byteLength(prompt), 'byte')} would be sent:`)
  core.logQuote(prompt)
  const pullRequest = target.kind === 'pull-request' ? target.rolling.pullRequest : undefined
  const undecided = target.kind === 'new-job' ? target.undecided : undefined
  return { kind: 'previewed', pullRequest, undecided, isJobRead: inputs.hasService }
}

/** A prompt that the service has accepted, or may have accepted. */
type Sent = Exclude<Delivery, Retry> & {
  /** The pull request of the job, as it was read last before the prompt; undefined for a new job. */
  readonly head: HeadBefore | undefined
}

/** Waits before a prompt that was not processed is resent. */
async function waitToResend({ afterMs, error }: Retry, { clock, core, signal }: AgentStep): Promise<void> {
  const when = formatRetryTime(error, afterMs, clock)
  core.log(`${describeError(error)} Nothing was processed; sending the prompt again ${when}.`)
  await sleepWithProgress(afterMs, { clock, log: core.log, signal })
}

/**
 * Sends a prompt until the service has accepted it. After a wait, a follow-up is resent only if it may still be sent.
 * @throws ActionError if the service does not accept the prompt
 */
export async function sendPrompt(
  start: Exclude<TurnStart, { kind: 'attach' }>,
  target: Target,
  watch: JobWatch,
): Promise<Sent | Stop> {
  const { client } = watch.step
  let current = start
  for (let attempt = 1; ; attempt++) {
    const delivery =
      current.kind === 'create'
        ? await client.createJob(current.prompt, attempt)
        : await client.sendMessage(current.before.id, current.prompt, attempt)
    if (delivery.kind !== 'retry') return { ...delivery, head: current.kind === 'create' ? undefined : current.head }
    await waitToResend(delivery, watch.step)
    if (current.kind === 'create') continue
    const decision = await recheckBeforeSend(current, target, watch)
    if (decision.kind === 'stop') return decision
    current = decision
  }
}

/**
 * Sends a follow-up to a job (section 4.2), and waits for the end of its turn.
 * @returns `stop` if the prompt had to wait and may not be sent any more
 */
async function runFollowUp(start: FollowUpStart, target: Target, watch: JobWatch): Promise<TurnEnd | Stop> {
  const { step } = watch
  const { clock, inputs, journal } = step
  const { before } = start
  journal.updateTurn({ kind: 'sending', ...watch.reads })
  const sent = await sendPrompt(start, target, watch)
  if (sent.kind === 'stop') return sent
  const answeredAtMs = clock.now()
  // The last look may have seen a newer one.
  const head = sent.head && { ...sent.head, ...step.heads.newest(sent.head) }
  const isAnsweredActive = sent.kind === 'accepted' && isReportedActive(sent.job)
  if (sent.kind === 'delivery-unknown') {
    journal.updateTurn({ kind: 'delivery-unknown', ...watch.reads })
    await confirmDelivery(sent.error, before, watch)
    journal.updateTurn({ kind: 'accepted', ...watch.reads, job: watch.reads.job ?? before, isConfirmed: true })
    writeMilestone(step)
  } else {
    const { job: answer } = sent
    watch.recordAcceptance(answer, false)
    if (!inputs.wait) return { kind: 'submitted', job: answer, isConfirmed: false }
    const hasBegun = isAnsweredActive || (await waitForStart(before.id, watch))
    if (!hasBegun) return { kind: 'unconfirmed', job: watch.reads.job ?? answer }
    journal.updateTurn({ kind: 'accepted', ...watch.reads, job: watch.reads.job ?? answer, isConfirmed: true })
  }
  if (!inputs.wait) return { kind: 'submitted', job: watch.reads.job ?? before, isConfirmed: true }

  const isEnd = createTurnEndDetector(before, answeredAtMs, !isAnsweredActive)
  const end = await waitForTurnEnd(before.id, isEnd, watch)
  return end === undefined ? { kind: 'timed-out', ...watch.reads } : compareHeads(end, before, head, step)
}

/** A job that was just created may not be found at once. */
const CREATE_LAG_MS = 30_000

async function runNewJob(
  start: Extract<TurnStart, { kind: 'create' }>,
  target: Target,
  watch: JobWatch,
): Promise<TurnEnd | Stop> {
  const { clock, inputs, journal } = watch.step
  journal.updateTurn({ kind: 'sending' })
  const sent = await sendPrompt(start, target, watch)
  if (sent.kind === 'stop') return sent
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
    // Nothing is known of such a job, so that this is red whatever `fail-on` says.
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

/** Says what a turn is about to do: a step that hangs has at least said that. */
export function announceStart({ task }: Plan, { core, inputs }: AgentStep): void {
  const about = task.kind === 'create' ? '' : ` job ${task.jobId}`
  if (task.kind !== 'create' && !inputs.dryRun) core.setOutput('job-id', task.jobId)
  core.log(
    `${inputs.dryRun ? 'Dry run, nothing is sent: ' : ''}${START_PHRASES[task.kind]}${about} in project ${inputs.projectId}, timeout ${formatDuration(inputs.timeoutMs)}.`,
  )
}

/**
 * One turn of the agent, from the prompt to its end.
 * @returns `stop` if the prompt had to wait and may not be sent any more
 * @throws ActionError if no end was to be seen; what was seen is in the journal by then
 */
export async function runTurn(start: TurnStart, target: Target, watch: JobWatch): Promise<TurnEnd | Stop> {
  switch (start.kind) {
    case 'create':
      return runNewJob(start, target, watch)
    case 'attach':
      return runAttach(start.jobId, watch)
    case 'follow-up':
      return runFollowUp(start, target, watch)
  }
}
