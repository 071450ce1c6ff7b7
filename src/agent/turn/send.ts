/**
 * Runs one turn, from its prompt to its end. Hides how a prompt is resent but never sent twice, and how the end of a turn is
 * distinguished from that of an earlier one.
 */
import type { Delivery, Retry } from '../../docs-service/client.ts'
import { formatRetryTime } from '../../docs-service/retry.ts'
import { isTerminal, type Job } from '../../docs-service/schemas.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { ActionError, describeError } from '../../runtime/errors.ts'
import { sleepWithProgress } from '../../runtime/heartbeat.ts'
import { formatCount, formatDuration } from '../../text/format.ts'
import type { Task } from '../facts.ts'
import type { Reads } from '../step.ts'
import { WITHOUT_JOB_ID, RUN_AGAIN, ASK_IN_AN_ISSUE, type Target } from './target.ts'
import { addShownEffect, determineEffect, readPullRequestBefore } from './effect.ts'
import {
  acceptsPrompts,
  type TurnEnd,
  isSameEnd,
  isWithoutLink,
  type JobWatch,
  provesRunningTurn,
  readJob,
  confirmEnd,
  waitForJob,
} from './watch.ts'
import {
  getPollDelayMs,
  getTurnPollDelayMs,
  getTurnStartDelayMs,
  REPLICA_LAG_MS,
  TURN_START_TIMEOUT_MS,
} from './schedule.ts'

const UNREAD = 'The prompt was not sent: the job could not be read before the deadline.'
const ARCHIVED = 'The prompt was not sent: the job is archived.'
const NO_END = 'The prompt was not sent: the agent did not finish its earlier work before the deadline.'
const NOT_IDLE = 'The prompt was not sent: the agent may have been working until just before the deadline.'
const LATER = 'Run the same step again later, or increase `timeout-minutes`.'

/** The deadline came before the prompt could be sent. */
const createLateError = (message: string): ActionError => new ActionError('deadline', message, { hint: LATER })

/**
 * Waits until the job is idle, because the end of another turn could be mistaken for the end of the follow-up. A job that has
 * ended is idle at once, unless a turn may have been running within the lag of the service's replicas: this step has seen
 * it, or the target's history does not rule it out.
 * @returns the newest read of the job
 * @throws ActionError `not-sent` if the job accepts no prompts, `deadline`
 */
async function waitUntilIdle(jobId: string, target: Target, watch: JobWatch): Promise<Job> {
  const { clock, runner, deadlineAt, inputs } = watch.step
  const isOfPullRequest = target.pullRequestNumber !== undefined
  let mayRunUntil: number | undefined
  for (let job = await readJob(jobId, watch); ;) {
    if (job === undefined) throw createLateError(UNREAD)
    if (!acceptsPrompts(job)) {
      const startOver = isOfPullRequest ? RUN_AGAIN : WITHOUT_JOB_ID
      throw new ActionError('not-sent', ARCHIVED, { hint: inputs.command === '' ? startOver : ASK_IN_AN_ISSUE })
    }
    const isTurnRunning = !isTerminal(job) && (inputs.wait || isOfPullRequest)
    // The pull request of the job must be known before the prompt is sent.
    if (isTurnRunning || (isOfPullRequest && isWithoutLink(job))) {
      if (isTurnRunning) watch.note('The job is busy. The step waits until the agent has finished.')
      const ended: TurnEnd | undefined = await waitForJob(job, watch)
      if (ended?.job === undefined) throw createLateError(NO_END)
      job = ended.job
      if (!acceptsPrompts(job)) continue
    }
    if (!inputs.wait || inputs.dryRun) return job
    mayRunUntil ??= clock.now() + (await target.idleWaitMs(job))
    const idleAt = Math.max(mayRunUntil, watch.idleSince + REPLICA_LAG_MS)
    const leftMs = idleAt - clock.now()
    if (leftMs <= 0) return job
    if (idleAt >= deadlineAt) throw createLateError(NOT_IDLE)
    runner.log(`The agent may have been working just now, so the step watches the job for ${formatDuration(leftMs)}.`)
    const end = job
    job = await watch.poll(jobId, (read) => !isSameEnd(read, end) || clock.now() >= idleAt, {
      getDelayMs: (fixedMs, state) => {
        const usualMs = getTurnPollDelayMs(fixedMs, state)
        const idleInMs = idleAt - clock.now()
        // A read that fails when the job should be idle is repeated at the usual pace.
        return idleInMs > 0 ? Math.max(Math.min(usualMs, idleInMs), state.minDelayMs) : usualMs
      },
    })
  }
}

/** A prompt that the service has accepted, or may have accepted. */
type Sent = Exclude<Delivery, Retry>

/** Waits before a prompt is resent that the service did not process. */
async function waitToResend({ afterMs, error }: Retry, { clock, runner, signal }: Reads): Promise<void> {
  const when = formatRetryTime(error, afterMs, clock)
  runner.log(`${describeError(error)} Nothing was processed; sending the prompt again ${when}.`)
  await sleepWithProgress(afterMs, { clock, log: runner.log, signal })
}

/** Sends a prompt once. While it is on its way, the service may have accepted it. */
async function deliver(send: () => Promise<Delivery>, { report }: JobWatch): Promise<Delivery> {
  report({ sent: 'maybe' })
  try {
    const delivery = await send()
    if (delivery.kind === 'retry') report({ sent: 'no' })
    return delivery
  } catch (error) {
    // An `ActionError` of the client proves that nothing was processed. After any other error, the job may exist.
    if (error instanceof ActionError) report({ sent: 'no' })
    throw error
  }
}

/** The target of a prompt to an existing job. */
type FollowUpTarget = Target & { readonly task: Extract<Task, { kind: 'follow-up' }> }

/** A follow-up that the service has accepted, or may have accepted. */
interface SentFollowUp {
  readonly delivery: Sent
  /** The job before the prompt. */
  readonly before: Job
  /** Its pull request before the prompt; undefined if the step does not wait for the turn or cannot read it. */
  readonly pullRequest: PullRequest | undefined
}

/** Completes a follow-up with what precedes its prompt. Returns the prompt. */
function completePrompt({ task, getConflictRequest }: FollowUpTarget, { report }: JobWatch): string {
  const request = getConflictRequest?.() ?? ''
  const prompt = `${request}${task.prompt}`
  report({ task: { ...task, prompt }, hadConflict: request !== '' })
  return prompt
}

/**
 * Sends a follow-up, and resends it until the service processes it. What must be true before the prompt is checked before
 * each attempt, because a rate limit can delay it for a long time.
 * @returns `undefined` in a dry run
 * @throws ActionError if the service does not accept the prompt
 */
async function sendFollowUp(target: FollowUpTarget, watch: JobWatch): Promise<SentFollowUp | undefined> {
  const { client, clock, deadlineAt, inputs, pullRequests } = watch.step
  const { task } = target
  let isAnnounced = false
  for (let attempt = 1; ;) {
    const before = await waitUntilIdle(task.jobId, target, watch)
    const startsWithinMs = isAnnounced ? 0 : await target.beforeSend(before, clock.now() - watch.idleSince)
    if (startsWithinMs > 0) {
      watch.note(
        'Another step has just sent this job a prompt, or is about to. The step waits until the agent has finished that one.',
      )
      await watch.poll(before.id, (read) => !isSameEnd(read, before), {
        getDelayMs: getTurnPollDelayMs,
        withinMs: startsWithinMs,
      })
      if (clock.now() >= deadlineAt) throw createLateError(NO_END)
      continue
    }
    isAnnounced = true
    if (inputs.dryRun) return undefined
    const checked = target.validate(before)
    // Ends the read before the error of the check, so that it does not continue in the background.
    const [current] = await Promise.all([readJob(task.jobId, watch), checked.catch(() => undefined)])
    await checked
    if (current === undefined) throw createLateError(UNREAD)
    const pullRequest = await readPullRequestBefore(before, target, watch.step)
    if (pullRequest !== undefined) watch.report({ headBefore: pullRequest.headSha })
    // Another client has sent the job a prompt, or its last turn has ended in the meantime.
    const needsIdleJob = inputs.wait && isTerminal(before)
    if (needsIdleJob ? !isSameEnd(current, before) : !acceptsPrompts(current)) continue
    if (target.announcement !== undefined) watch.note(target.announcement)
    const prompt = completePrompt(target, watch)
    const delivery = await deliver(() => client.sendMessage(task.jobId, prompt, attempt++), watch)
    if (delivery.kind !== 'retry') return { delivery, before: pullRequests.toCurrent(before), pullRequest }
    await waitToResend(delivery, watch.step)
  }
}

/** Recognizes the turn of a prompt in the reads of its job, which have no id of a turn and may come from stale replicas. */
interface TurnDetector {
  /** Whether a read shows that the turn has started. The response to the prompt proves nothing, because services echo. */
  readonly hasStarted: (read: Job) => boolean
  /** Whether a read shows that the turn has ended. @param requestedAtMs when it was requested */
  readonly hasEnded: (read: Job, requestedAtMs: number) => boolean
  /** When the end can be proved, as a timestamp of `now()`; undefined before the first read that showed the turn running. */
  readonly provableAt: () => number | undefined
}

/**
 * Creates the detector of a turn.
 * Proof: no read is older than 15 s, and the job was idle when the prompt was sent, so a read that says `active` is of this
 * turn, which had started at the latest when its response arrived. A terminal read that was requested 15 s later cannot be
 * older than that, so it shows the end. A terminal read with another status or link than before the prompt can only be the end.
 * A link that disappears proves nothing: a service may drop it when it accepts a prompt.
 */
export function createTurnDetector(before: Job, now: () => number): TurnDetector {
  let provableAt: number | undefined
  const observe = (read: Job): void => {
    if (provesRunningTurn(read)) provableAt ??= now() + REPLICA_LAG_MS
  }
  const differs = (read: Job): boolean => {
    if (!isTerminal(read) || !isTerminal(before)) return false
    return read.status !== before.status || (read.prLink !== undefined && !isSameEnd(read, before))
  }
  return {
    hasStarted: (read) => {
      observe(read)
      return provableAt !== undefined || differs(read)
    },
    hasEnded: (read, requestedAtMs) => {
      observe(read)
      const isProved = provableAt !== undefined && requestedAtMs >= provableAt
      return isTerminal(read) && (isProved || differs(read))
    },
    provableAt: () => provableAt,
  }
}

/** Reads the job until a read shows that the turn has started. Returns that read, or `undefined` if none does in time. */
async function waitForStart(jobId: string, detector: TurnDetector, watch: JobWatch): Promise<Job | undefined> {
  const read = await watch.poll(jobId, detector.hasStarted, {
    getDelayMs: getTurnStartDelayMs,
    withinMs: TURN_START_TIMEOUT_MS,
  })
  if (read !== undefined && !isTerminal(read)) watch.note('The agent has started this follow-up.')
  return read
}

/** Waits for the end of the turn. While a late link is awaited, a read can show that the turn has not ended. */
async function waitForTurnEnd(started: Job, detector: TurnDetector, watch: JobWatch): Promise<TurnEnd | undefined> {
  const { clock } = watch.step
  const getDelayMs: typeof getPollDelayMs = (fixedMs, state) => {
    const { job } = watch
    const usualMs = getPollDelayMs(fixedMs, state)
    const provableInMs = (detector.provableAt() ?? -Infinity) - clock.now()
    // The turn seems to have ended, and the next read that can prove it is due.
    return job !== undefined && isTerminal(job) && provableInMs > 0
      ? Math.max(Math.min(usualMs, provableInMs), state.minDelayMs)
      : usualMs
  }
  const waitOn = () => watch.poll(started.id, detector.hasEnded, { getDelayMs })
  let ended: Job | undefined = isTerminal(started) ? started : await waitOn()
  while (ended !== undefined) {
    const confirmed = await confirmEnd(ended, watch)
    if (confirmed?.kind !== 'running') return confirmed?.ending
    ended = await waitOn()
  }
  return undefined
}

/**
 * Checks whether a prompt with unknown delivery was accepted: its turn is then seen to start. If the reads fail or the run is
 * cancelled, the delivery stays unknown.
 * @throws ActionError `maybe-sent`, if no turn is seen
 */
async function confirmDelivery(
  unknown: ActionError,
  before: Job,
  detector: TurnDetector,
  watch: JobWatch,
): Promise<Job> {
  // The job was not watched until it was idle, so an earlier turn could be mistaken for this one.
  if (!watch.step.inputs.wait) throw unknown
  watch.note(
    'It is unknown whether the service accepted the prompt. The step checks whether the agent starts to work on it.',
  )
  const started = await waitForStart(before.id, detector, watch).catch((error: unknown) => {
    if (error instanceof ActionError) return undefined
    throw error
  })
  // Anybody can archive the job at any time, so that proves no turn.
  if (started === undefined || !acceptsPrompts(started)) throw unknown
  return started
}

/** Sends a follow-up to a job (section 4.2), and waits for the end of its turn. */
async function runFollowUp(target: FollowUpTarget, watch: JobWatch): Promise<TurnEnd> {
  const { step } = watch
  const { clock, inputs } = step
  const sent = await sendFollowUp(target, watch)
  if (sent === undefined) return preview(completePrompt(target, watch), target, watch)
  const { before, delivery, pullRequest } = sent
  const detector = createTurnDetector(before, () => clock.now())
  let started: Job | undefined
  if (delivery.kind === 'delivery-unknown') started = await confirmDelivery(delivery.error, before, detector, watch)
  else {
    watch.reportAcceptance(delivery.job, false)
    started = inputs.wait ? await waitForStart(before.id, detector, watch) : undefined
  }
  if (started !== undefined) watch.report({ sent: 'started' })
  if (delivery.kind === 'delivery-unknown') watch.writeMilestone()
  if (!inputs.wait) return { end: 'not-awaited' }
  if (started === undefined) return { end: 'unconfirmed' }
  const ending = await waitForTurnEnd(started, detector, watch)
  if (ending === undefined) return { end: 'timed-out' }
  const known = await determineEffect(ending, before, pullRequest, step)
  // If the job has lost its link, a fix round must not take its return for the end of another turn.
  watch.report({ job: known.job })
  return known
}

/** A new job may not be found for this long. */
const CREATE_LAG_MS = 30_000

/**
 * Creates a job (section 4.1), and waits for its end.
 * @throws ActionError if the service does not accept the prompt
 */
async function runNewJob(prompt: string, target: Target, watch: JobWatch): Promise<TurnEnd> {
  const { client, clock, inputs } = watch.step
  if (inputs.dryRun) return preview(prompt, target, watch)
  await target.beforeSend()
  let delivery: Delivery
  for (let attempt = 1; ; attempt++) {
    await target.validate()
    delivery = await deliver(() => client.createJob(prompt, attempt), watch)
    if (delivery.kind !== 'retry') break
    await waitToResend(delivery, watch.step)
  }
  if (delivery.kind === 'delivery-unknown') throw delivery.error
  const { job: created } = delivery
  watch.reportAcceptance(created, true)
  if (!inputs.wait) return { end: 'not-awaited' }
  const ending = await waitForJob(created, watch, clock.now() + CREATE_LAG_MS)
  return ending === undefined ? { end: 'timed-out' } : addShownEffect(ending, true)
}

/** Waits for a job without sending a prompt. */
async function runAttach(jobId: string, watch: JobWatch): Promise<TurnEnd> {
  const { inputs } = watch.step
  const job = await readJob(jobId, watch)
  if (job === undefined) {
    // Nothing is known about the job, so the step is red regardless of `fail-on`.
    const hint = watch.lastProblem?.hint ?? 'Increase `timeout-minutes`.'
    throw new ActionError('deadline', 'The deadline passed before the job could be read.', { hint })
  }
  // A job that has ended already may have a turn that has not started yet.
  watch.report({ sent: isTerminal(job) ? 'accepted' : 'started' })
  if (!isTerminal(job) && !inputs.wait) return { end: 'not-awaited' }
  watch.writeMilestone()
  const ending = await waitForJob(job, watch)
  return ending === undefined ? { end: 'timed-out' } : addShownEffect(ending, false)
}

/** Logs the prompt of a dry run instead of sending it. */
function preview(prompt: string, { pullRequestNumber }: Target, watch: JobWatch): TurnEnd {
  const { runner, inputs } = watch.step
  runner.log(`This prompt of ${formatCount(Buffer.byteLength(prompt), 'byte')} would be sent:`)
  runner.logQuote(prompt)
  const ofJob = watch.job?.prLink?.number
  const pullRequest = pullRequestNumber ?? (ofJob === undefined ? undefined : Number(ofJob))
  const isContinued = pullRequestNumber !== undefined
  return { end: 'previewed', preview: { pullRequest, isContinued, isJobRead: inputs.hasService } }
}

const START_PHRASES = { create: 'Creating a job', 'follow-up': 'Following up on', attach: 'Waiting for' }

/**
 * Runs a turn of the agent, from the prompt to its end.
 * @throws ActionError if the end was not observed; the watch has reported what was observed
 */
export async function runTurn(target: Target, watch: JobWatch): Promise<TurnEnd> {
  const { runner, inputs } = watch.step
  const { task } = target
  if (task.kind !== 'create' && !inputs.dryRun) runner.setOutput('job-id', task.jobId)
  const jobPhrase = task.kind === 'create' ? '' : ` job ${task.jobId}`
  // Before any request, so that the log of a step that hangs shows what it is about to do.
  runner.log(
    `${inputs.dryRun ? 'Dry run, nothing is sent: ' : ''}${START_PHRASES[task.kind]}${jobPhrase} in project ${inputs.projectId}, timeout ${formatDuration(inputs.timeoutMs)}.`,
  )
  switch (task.kind) {
    case 'create':
      return runNewJob(task.prompt, target, watch)
    case 'attach':
      return runAttach(task.jobId, watch)
    case 'follow-up': {
      const followUp = { ...target, task }
      if (inputs.hasService) return runFollowUp(followUp, watch)
      // A dry run without a key cannot read the job, and relies on the history comment.
      await target.beforeSend()
      return preview(completePrompt(followUp, watch), followUp, watch)
    }
  }
}
