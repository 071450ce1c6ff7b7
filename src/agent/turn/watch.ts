/**
 * Reads a job until a read shows what the step waits for. Hides when the next read is due, which errors end the wait,
 * what is logged, and how long a terminal state or a link may be stale.
 */
import { OutputsLost } from '../../action/toolkit.ts'
import { getRateLimitDelayMs, type MissingJob, requiresWait, maxRetryAfterMs } from '../../docs-service/retry.ts'
import { isTerminal, type Job, isSamePullRequest } from '../../docs-service/schemas.ts'
import { STATUS_PHRASES } from '../../docs-service/interface.ts'
import { ActionError, describeError, isTransient, logCauses } from '../../runtime/errors.ts'
import { formatTimeAfter, Heartbeat, MIN_LOGGED_WAIT_MS } from '../../runtime/heartbeat.ts'
import { formatCount, formatDuration } from '../../text/format.ts'
import type { Turn, Outcome } from '../record.ts'
import type { Acts, Reads } from '../step.ts'
import { LINK_LAG_MS, getLinkPollDelayMs, getPollDelayMs, getTurnPollDelayMs } from './schedule.ts'

/** Whether a read proves that a turn is running. An unlisted status counts as running, but is no proof. */
export function provesRunningTurn({ status, unlistedStatus }: Job): boolean {
  switch (status) {
    case 'active':
      return unlistedStatus === undefined
    case 'completed':
    case 'failed':
    case 'archived':
      return false
  }
}

/** Whether the job has completed without a pull request link. The link can lag behind the status. */
export function isWithoutLink({ status, prLink }: Job): boolean {
  switch (status) {
    case 'completed':
      return prLink === undefined
    case 'active':
    case 'failed':
    case 'archived':
      return false
  }
}

/** Whether the service accepts another prompt for the job, now or after the current turn. */
export function acceptsPrompts({ status }: Job): boolean {
  switch (status) {
    case 'active':
    case 'completed':
    case 'failed':
      return true
    case 'archived':
      return false
  }
}

/** Whether two reads show the same status and the same pull request. */
export function isSameEnd(a: Job, b: Job): boolean {
  if (a.status !== b.status) return false
  if (a.prLink === undefined || b.prLink === undefined) return a.prLink === b.prLink
  return isSamePullRequest(a.prLink, b.prLink)
}

/** How to poll. */
interface PollPlan extends MissingJob {
  /** Returns the delay before the next read in milliseconds. */
  readonly getDelayMs?: typeof getPollDelayMs
  /** Stops polling after this time in milliseconds. The deadline can come earlier. */
  readonly withinMs?: number
  /** When reads that were requested earlier time out, as a timestamp of `clock.now()`. */
  readonly readTimeoutAt?: number
  /** Reads immediately, instead of after the first pause. */
  readonly readsImmediately?: true
}

/** Waits of this length are logged immediately, even directly after another wait. */
const LONG_WAIT_MS = 60_000

/** @param requestedAtMs when the read was requested, as a timestamp of `clock.now()` */
type IsDone = (job: Job, requestedAtMs: number) => boolean

/** Reads the job until `isDone` accepts a read, and returns that read, or `undefined` after the time limit. */
type PollJob = (jobId: string, isDone: IsDone, plan?: PollPlan) => Promise<Job | undefined>

interface Listener {
  /** Receives each read. An error is one that will be retried. */
  observe(read: Job | ActionError): void
  /**
   * Sleeps between two reads.
   * @param requestedBy why the last read failed, if the service requests a pause of this length
   */
  sleep(ms: number, requestedBy?: ActionError): Promise<void>
}

/** Creates a function that polls jobs and reports each read to the listener. */
export function createPoller(step: Reads, listener: Listener): PollJob {
  const { client, clock, deadlineAt, random, inputs, tryReadJob } = step

  return async (jobId, isDone, { getDelayMs = getPollDelayMs, withinMs = Infinity, ...plan } = {}) => {
    const startedAt = clock.now()
    const endsAt = Math.min(startedAt + withinMs, deadlineAt)
    const { readTimeoutAt = -Infinity, readsImmediately = false } = plan
    let requestedAt = startedAt
    const read = async (): Promise<Job | ActionError> => {
      requestedAt = clock.now()
      const readEndsAt = requestedAt < readTimeoutAt ? Math.min(readTimeoutAt, endsAt) : endsAt
      const result = await tryReadJob(jobId, () => client.getJob(jobId, readEndsAt), plan)
      listener.observe(result)
      return result
    }
    let result = readsImmediately ? await read() : undefined
    for (let reads = 0; ; reads++) {
      const [job, problem] = result instanceof ActionError ? [undefined, result] : [result, undefined]
      if (job !== undefined && isDone(job, requestedAt)) return job
      const now = clock.now()
      if (now >= endsAt) return undefined
      const retryAfterMs = problem === undefined ? 0 : maxRetryAfterMs(problem, clock, deadlineAt)
      const leftMs = deadlineAt - now
      const state = {
        elapsedMs: now - startedAt,
        reads,
        random: random(),
        minDelayMs:
          problem?.code === 'rate-limited'
            ? getRateLimitDelayMs(problem, { refusals: client.rateLimitsInARow(), leftMs, random: random() })
            : retryAfterMs,
      }
      const requestedBy = problem !== undefined && requiresWait(problem) ? problem : undefined
      const pauseMs = Math.max(retryAfterMs, Math.min(getDelayMs(inputs.pollIntervalMs, state), endsAt - now))
      // A requested wait that is shorter than the step's own pause changes nothing.
      await listener.sleep(pauseMs, state.minDelayMs >= pauseMs ? requestedBy : undefined)
      result = await read()
    }
  }
}

const RETRIED_UNTIL_DEADLINE = 'Trying again until the deadline.'
const RETRIED_TO_CONFIRM = 'Reading the job again, because one such response proves nothing.'

/** What a turn finds out before its end. */
export type TurnProgress = Partial<Pick<Turn, 'task' | 'hadConflict' | 'headBefore' | 'sent' | 'job' | 'lastProblem'>>

/** What the watch uses of the record. It keeps no copy of what it has reported. */
export interface TurnRecord {
  readonly newest: Pick<Turn, 'task' | 'sent' | 'job' | 'lastProblem'>
  /** Adds to the newest turn as soon as it is known, because the step can fail, be cancelled or be killed at any time. */
  readonly update: (progress: TurnProgress) => void
}

/**
 * Reads the jobs of a step, in all of its turns, and logs each change. While nothing changes, it logs a line every minute.
 */
export class JobWatch {
  readonly step: Acts
  readonly poll: PollJob
  /** Adds what is newly known of the turn to the record. */
  readonly report: TurnRecord['update']
  readonly writeMilestone: () => void
  readonly #record: TurnRecord
  readonly #heartbeat: Heartbeat
  /** When a read first showed the end of the newest turn that the step has seen, as a timestamp of `clock.now()`. */
  idleSince = -Infinity
  #count = 0
  /** A problem after which the service requests a wait. It is logged when the length of the wait is known. */
  #unloggedProblem: ActionError | undefined
  #hasWarnedOfStatus = false

  /** @param writeMilestone writes the outputs as far as they are known */
  constructor(step: Acts, record: TurnRecord, writeMilestone: () => void) {
    this.step = step
    this.report = record.update
    this.#record = record
    this.writeMilestone = writeMilestone
    this.#heartbeat = new Heartbeat({ clock: step.clock, log: step.runner.log })
    this.poll = createPoller(step, this)
  }

  /** Adds what the step did or decided to the log and the timeline. */
  note(event: string): void {
    this.#heartbeat.restart()
    this.step.journal.note(event)
  }

  /** The newest read of the job. */
  get job(): Job | undefined {
    return this.#record.newest.job
  }

  /** Why the newest read failed, if it did. */
  get lastProblem(): ActionError | undefined {
    return this.#record.newest.lastProblem
  }

  /**
   * Reports that the service has accepted a prompt. Sets the outputs first, because the step can be killed at any time.
   * @param accepted the job in the service's response
   * @param isConfirmed whether the job has no earlier turn that could be mistaken for this one
   */
  reportAcceptance(accepted: Job, isConfirmed: boolean): void {
    const { runner, pullRequests } = this.step
    const response = pullRequests.toCurrent(accepted)
    try {
      runner.setOutput('job-id', response.id)
      runner.setOutput('status', response.status)
      runner.setOutput('outcome', 'submitted' satisfies Outcome)
    } catch (error) {
      // The step still waits for the job: its log and summary show the result.
      if (!(error instanceof OutputsLost)) throw error
      runner.log(error.message)
    }
    this.note(`The service accepted the prompt (job ${response.id}).`)
    this.report({ sent: isConfirmed ? 'started' : 'accepted', job: response })
    this.observe(response)
    this.writeMilestone()
  }

  /** Reports a read, or the error of a failed one. The same error in a row is logged once. */
  observe(read: Job | ActionError): void {
    this.#count++
    if (read instanceof ActionError) {
      const isNew = read.message !== this.lastProblem?.message
      this.report({ lastProblem: read })
      if (!isNew) return
      // `sleep` logs it with the time of the next read.
      if (requiresWait(read)) this.#unloggedProblem = read
      else
        this.#heartbeat.log(`${describeError(read)} ${isTransient(read) ? RETRIED_UNTIL_DEADLINE : RETRIED_TO_CONFIRM}`)
      logCauses(read, this.step.runner.debug)
      return
    }
    const { job: before, lastProblem } = this.#record.newest
    // A terminal state that differs from the previous one shows that a turn has ended between the two reads.
    const isNewEnd = before !== undefined && isTerminal(read) && !isSameEnd(before, read)
    if (isNewEnd) this.idleSince = this.step.clock.now()
    const { status, unlistedStatus, prLink } = read
    if (unlistedStatus !== undefined && !this.#hasWarnedOfStatus) {
      this.step.runner.warn(
        `The service reports an unknown status, “${unlistedStatus}”. The step treats it as still running.`,
      )
      this.#hasWarnedOfStatus = true
    }
    if (lastProblem !== undefined) this.#heartbeat.log('The service responds again.')
    this.report({ job: read, lastProblem: undefined })
    // Until the turn is seen to begin, a read can show the state of an earlier one.
    if (!this.#isTurnSeen()) return
    if (before?.status !== status) this.note(`The job ${STATUS_PHRASES[status]}.`)
    else if (prLink !== undefined && before.prLink?.href !== prLink.href) this.note('The job has a pull request.')
  }

  /** Sleeps until the next read. Logs every minute that nothing has changed, or how long the service requests to wait. */
  async sleep(ms: number, requestedBy?: ActionError): Promise<void> {
    const { clock, signal } = this.step
    const endsAt = clock.now() + ms
    const until = formatTimeAfter(ms, clock)
    // In a series of short waits, the first is logged, and then one a minute.
    const unlogged = this.#unloggedProblem
    if (unlogged !== undefined) this.#heartbeat.log(`${describeError(unlogged)} Waiting until ${until}.`)
    else if (requestedBy !== undefined && ms >= LONG_WAIT_MS)
      this.#heartbeat.log(`Waiting until ${until}, as the service requests.`)
    this.#unloggedProblem = undefined
    while (clock.now() < endsAt) {
      const restMs = endsAt - clock.now()
      const lineMs = this.#heartbeat.getTimeLeftMs()
      const isWorthALine = restMs - lineMs >= (requestedBy === undefined ? 0 : MIN_LOGGED_WAIT_MS)
      await clock.sleep(isWorthALine ? lineMs : restMs, signal)
      const leftMs = endsAt - clock.now()
      if (requestedBy === undefined) {
        this.#heartbeat.logIfDue(`${this.#describeWait()} (checked ${formatCount(this.#count, 'time')}).`)
      } else if (leftMs >= MIN_LOGGED_WAIT_MS)
        this.#heartbeat.logIfDue(`Still waiting until ${until}, for another ${formatDuration(leftMs)}.`)
    }
  }

  /** Whether the reads are of the newest turn. The only turn of a new job, or of one that is attached to, needs no proof. */
  #isTurnSeen(): boolean {
    const { sent, task } = this.#record.newest
    return sent === 'started' || (sent === 'accepted' && task.kind !== 'follow-up')
  }

  #describeWait(): string {
    const { job, sent } = this.#record.newest
    if (sent !== undefined && sent !== 'no' && !this.#isTurnSeen())
      return 'The agent has not been seen to start this follow-up yet'
    return `The job ${job === undefined ? 'could not be read yet' : `is still ${job.status}`}`
  }
}

/** Reads a job that should exist. Returns `undefined` if no read succeeds before the deadline. */
export function readJob(jobId: string, { poll }: JobWatch): Promise<Job | undefined> {
  return poll(jobId, () => true, { getDelayMs: getTurnPollDelayMs, readsImmediately: true })
}

/** What is known at the end of a turn. */
export type TurnEnd = Pick<Turn, 'end' | 'job' | 'effect' | 'headBefore' | 'pullRequest' | 'preview' | 'error'>

/** The end of a turn that its job shows, or the newest read, which contradicts it. */
type ConfirmedEnd =
  { readonly kind: 'ended'; readonly ending: TurnEnd } | { readonly kind: 'running'; readonly job: Job }

/**
 * Determines what a terminal state of the job means. A job that completed without a link is read until a read shows something
 * else, or shows the same after the time that a link may lag. A failed read is retried.
 * @returns `undefined` if the deadline came first
 * @throws ActionError if a retry cannot help
 */
export async function confirmEnd(job: Job, watch: JobWatch): Promise<ConfirmedEnd | undefined> {
  if (!isTerminal(job)) return { kind: 'running', job }
  const end = 'finished'
  if (!isWithoutLink(job)) return { kind: 'ended', ending: { end, job } }
  const decidedAt = watch.step.clock.now() + LINK_LAG_MS
  const read = await watch.poll(job.id, (read, requestedAt) => !isWithoutLink(read) || requestedAt >= decidedAt, {
    getDelayMs: getLinkPollDelayMs,
    // A read that hangs must not delay the decisive read, which is requested then.
    readTimeoutAt: decidedAt,
    // The response to a prompt can show the end of its job, so this read can be the first.
    confirmsMissing: true,
  })
  if (read === undefined) return undefined
  if (!isWithoutLink(read) || !isTerminal(read)) return { kind: 'running', job: read }
  return { kind: 'ended', ending: { end, job: read } }
}

/**
 * Waits for the end of the job's current turn.
 * @param mayBeMissingUntil until this timestamp, a job that was just created may not be found
 * @returns `undefined` if the deadline came first
 */
export async function waitForJob(
  current: Job,
  watch: JobWatch,
  mayBeMissingUntil?: number,
): Promise<TurnEnd | undefined> {
  for (let job: Job | undefined = current; job !== undefined;) {
    if (!isTerminal(job)) job = await watch.poll(current.id, isTerminal, { mayBeMissingUntil })
    else {
      const confirmed: ConfirmedEnd | undefined = await confirmEnd(job, watch)
      if (confirmed?.kind !== 'running') return confirmed?.ending
      job = confirmed.job
    }
  }
  return undefined
}
