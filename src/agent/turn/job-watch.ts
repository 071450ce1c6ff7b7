import { OutputsLost } from '../../action/toolkit.ts'
import { createTryRead, getRateLimitDelayMs, isAskedToWait, maxRetryAfterMs } from '../../docs-service/retry.ts'
import { isTerminal, type Job, STATUS_PHRASES } from '../../docs-service/schemas.ts'
import { ActionError, describeError, logCauses } from '../../runtime/errors.ts'
import { formatTimeAfter, Heartbeat } from '../../runtime/heartbeat.ts'
import { type Deadline, toDeadline } from '../../runtime/time-budget.ts'
import { formatCount, formatDuration } from '../../text/format.ts'
import { type AgentStep, writeMilestone } from '../journal.ts'
import type { Outcome } from '../report/report.ts'
import { type Ended, getReads, type JobReads, type UnusableLink, withReads } from '../report/turn.ts'
import { isWithoutLink, saysActive, seeEnd } from './job-state.ts'
import { LINK_LAG_MS, nextLinkPollMs, nextPollMs, nextTurnPollMs } from './poll-schedule.ts'

/** How to wait. */
interface PollPlan {
  /** In place of the usual time to the next read, in milliseconds. */
  readonly nextMs?: typeof nextPollMs
  /** The last read is after this time, in milliseconds, and at the deadline at the latest. */
  readonly withinMs?: number
  /** A read that is requested before this time, on the clock's scale, is cut off at it. */
  readonly cutsReadsAt?: number
  /** Otherwise after the first pause, as the job was just read. */
  readonly readsAtOnce?: true
  /** Until this time a job that is not found counts as not there yet. */
  readonly mayBeMissingUntil?: number | undefined
  /** Whether a job is gone only if it is not found twice in a row: a single 404 may be a gateway's. */
  readonly repeatsMissing?: true
}

/** Such a wait is said at once, also in a row of others, in milliseconds. */
const LONG_WAIT_MS = 60_000

/** @param requestedAtMs when the read was requested, on the clock's scale */
type IsFound = (job: Job, requestedAtMs: number) => boolean

/** Reads the job again and again; gives what was waited for, or undefined if the time ran out. */
type PollJob = (jobId: string, isFound: IsFound, plan?: PollPlan) => Promise<Job | undefined>

interface Listener {
  /** Hears of each read: a problem will be tried again. */
  observe(read: Job | ActionError): void
  /**
   * Makes the pause between two reads.
   * @param asked why the read failed, if the service asked for a pause of that length
   */
  sleep(ms: number, asked?: ActionError): Promise<void>
}

/**
 * One poller serves a whole step, since answers that make no sense count in a row.
 * @param step its deadline may move
 * @param waits until when the service may ask to wait, and whether it may ask for such a wait
 */
export function createPoller(
  step: AgentStep,
  listener: Listener,
  waits: Deadline = toDeadline(step.deadlineAt, step.clock),
): PollJob {
  const { client, clock, signal, random, inputs } = step
  const tryRead = createTryRead(signal)

  /** The least time until the next read, in milliseconds. */
  function getMinDelayMs(problem: ActionError | undefined, retryAfterMs: number): number {
    if (problem?.code !== 'rate-limited') return retryAfterMs
    const leftMs = waits.at - clock.now()
    return getRateLimitDelayMs(problem, { refusals: client.refusals(), leftMs, random: random() })
  }

  return async (jobId, isFound, { nextMs = nextPollMs, withinMs = Infinity, mayBeMissingUntil = 0, ...plan } = {}) => {
    const startedAt = clock.now()
    const getEnd = (): number => Math.min(startedAt + withinMs, step.deadlineAt)
    const { cutsReadsAt = -Infinity, repeatsMissing = false, readsAtOnce = false } = plan
    let requestedAt = startedAt
    let wasMissing = false
    const read = async (): Promise<Job | ActionError> => {
      requestedAt = clock.now()
      const readEndsAt = requestedAt < cutsReadsAt ? Math.min(cutsReadsAt, getEnd()) : getEnd()
      const mayBeMissing = requestedAt < mayBeMissingUntil || (repeatsMissing && !wasMissing)
      const seen = await tryRead(() => client.getJob(jobId, readEndsAt), mayBeMissing)
      wasMissing = seen instanceof ActionError && seen.code === 'not-found'
      listener.observe(seen)
      return seen
    }
    let seen = readsAtOnce ? await read() : undefined
    for (let reads = 0; ; reads++) {
      const [job, problem] = seen instanceof ActionError ? [undefined, seen] : [seen, undefined]
      if (job !== undefined && isFound(job, requestedAt)) return job
      const now = clock.now()
      if (now >= getEnd()) return undefined
      const retryAfterMs = problem === undefined ? 0 : maxRetryAfterMs(problem, clock, waits.at)
      const state = {
        elapsedMs: now - startedAt,
        reads,
        random: random(),
        minDelayMs: getMinDelayMs(problem, retryAfterMs),
      }
      const asked = problem !== undefined && isAskedToWait(problem) ? problem : undefined
      if (asked !== undefined) waits.allowWait(state.minDelayMs)
      const pauseMs = Math.max(retryAfterMs, Math.min(nextMs(inputs.pollIntervalMs, state), getEnd() - now))
      // A shorter wait than the step's own pause changes nothing.
      await listener.sleep(pauseMs, state.minDelayMs >= pauseMs ? asked : undefined)
      seen = await read()
    }
  }
}

const UNSAFE_LINK = 'The service gave an address for the pull request that is not safe to link, so it is not shown.'

/**
 * The jobs of a step as they are read, told as it happens: one log line a change, and one a minute while nothing changes.
 * It serves all of the step's turns.
 */
export class JobWatch {
  readonly step: AgentStep
  /** The one way to read on. */
  readonly poll: PollJob
  readonly #heartbeat: Heartbeat
  #count = 0
  #lastProblem: ActionError | undefined
  /** A problem after which the service asks to wait, until it is said. */
  #unsaidProblem: ActionError | undefined
  readonly #warned = new Set<string>()

  constructor(step: AgentStep) {
    this.step = step
    this.#heartbeat = new Heartbeat({ clock: step.clock, log: step.core.log })
    this.poll = createPoller(step, this)
  }

  /** Something that the step did or decided. */
  note(event: string): void {
    this.#heartbeat.restart()
    this.step.journal.note(event)
  }

  /** What the newest reads have shown. */
  get reads(): JobReads {
    return { job: getReads(this.step.journal.newest.state).job, lastProblem: this.#lastProblem }
  }

  /**
   * The service has accepted a prompt. First of all the next step is told: this one may be killed in the next moment.
   * @param isConfirmed whether there is no earlier turn of the job to confuse this one with
   */
  accept(answer: Job, isConfirmed: boolean): void {
    const { core, journal } = this.step
    try {
      core.setOutput('job-id', answer.id)
      core.setOutput('status', answer.status)
      core.setOutput('outcome', 'submitted' satisfies Outcome)
    } catch (error) {
      // The job is waited for all the same: the log and the end of the step tell it.
      if (!(error instanceof OutputsLost)) throw error
      core.log(error.message)
    }
    this.note(`The service accepted the prompt: job ${answer.id} ${STATUS_PHRASES[answer.status]}.`)
    journal.updateTurn({ kind: 'accepted', isConfirmed, lastProblem: this.#lastProblem, job: answer })
    this.observe(answer)
    writeMilestone(this.step)
  }

  /** A read, or why it failed: that is told once for each kind of problem. */
  observe(read: Job | ActionError): void {
    this.#count++
    const { job: before, lastProblem } = this.reads
    if (read instanceof ActionError) {
      const isNew = read.message !== lastProblem?.message
      // When it is read again is known only then.
      if (isNew && isAskedToWait(read)) this.#unsaidProblem = read
      else if (isNew) this.#heartbeat.say(`${describeError(read)} Trying again until the deadline.`)
      if (isNew) logCauses(read, this.step.core.debug)
      this.#update({ job: before, lastProblem: read })
      return
    }
    seeEnd(this.step.jobEnds, read, this.step.clock.now())
    if (saysActive(read)) this.step.activeJobs.add(read.id)
    const { status, unlistedStatus, hasUnsafeLink, prLink } = read
    if (unlistedStatus !== undefined)
      this.#warnOnce(
        'status',
        `The service reports an unknown status, “${unlistedStatus}”. The step treats it as still running.`,
      )
    if (hasUnsafeLink === true) this.#warnOnce('link', UNSAFE_LINK)
    if (lastProblem !== undefined) this.#heartbeat.say('The service answers again.')
    this.#update({ job: read, lastProblem: undefined })
    if (before?.status !== status) this.note(`The job ${STATUS_PHRASES[status]}.`)
    else if (prLink !== undefined && before.prLink?.href !== prLink.href) this.note('The job has a pull request.')
  }

  /** Sleeps until the next read, and says once a minute that nothing has changed, or how long the service asks to wait. */
  async sleep(ms: number, asked?: ActionError): Promise<void> {
    const { clock, signal } = this.step
    const endsAt = clock.now() + ms
    const until = formatTimeAfter(ms, clock)
    // Of many short waits in a row, the first is said, and one a minute.
    const unsaid = this.#unsaidProblem
    if (unsaid !== undefined) this.#heartbeat.say(`${describeError(unsaid)} Waiting until ${until}.`)
    else if (asked !== undefined && ms >= LONG_WAIT_MS)
      this.#heartbeat.say(`Waiting until ${until}, as the service asks.`)
    this.#unsaidProblem = undefined
    while (clock.now() < endsAt) {
      await clock.sleep(Math.min(endsAt - clock.now(), this.#heartbeat.untilMs()), signal)
      const leftMs = endsAt - clock.now()
      if (asked === undefined) {
        const status = this.reads.job?.status ?? 'not seen yet'
        this.#heartbeat.beat(`The job is still ${status} (checked ${formatCount(this.#count, 'time')}).`)
      } else if (leftMs > 0)
        this.#heartbeat.beat(`Still waiting until ${until}, for another ${formatDuration(leftMs)}.`)
    }
  }

  #update(reads: JobReads): void {
    const { journal } = this.step
    this.#lastProblem = reads.lastProblem
    journal.updateTurn(withReads(journal.newest.state, reads))
  }

  #warnOnce(kind: 'status' | 'link', text: string): void {
    if (!this.#warned.has(kind)) this.step.core.warn(text)
    this.#warned.add(kind)
  }
}

/** The first read of a job that should exist; undefined if the deadline passes without an answer. */
export function findJob(jobId: string, { poll }: JobWatch): Promise<Job | undefined> {
  return poll(jobId, () => true, { nextMs: nextTurnPollMs, readsAtOnce: true })
}

/** Whether a read says anything else than that the job completed without a pull request. */
const saysMore = (read: Job): boolean => !isWithoutLink(read) || read.hasUnsafeLink === true

/**
 * Reads a completed job without a link until a read says anything else, or says the same after the time that replicas may lag.
 * A read that fails proves nothing, so the reading goes on.
 * @returns the read that decides; undefined if the deadline ended the wait early
 * @throws ActionError if no further read could help
 */
async function awaitLink(jobId: string, watch: JobWatch): Promise<Job | undefined> {
  const standsAt = watch.step.clock.now() + LINK_LAG_MS
  return watch.poll(jobId, (job, requestedAt) => saysMore(job) || requestedAt >= standsAt, {
    nextMs: nextLinkPollMs,
    // The read that decides is requested later, and a read that hangs must not put it off.
    cutsReadsAt: standsAt,
    repeatsMissing: true,
  })
}

/** Neither a pull request to show, nor none. */
function unusableLink(job: Job): UnusableLink {
  const error = new ActionError(
    'unusable-link',
    'The agent finished, but the address of its pull request cannot be used: it is not a plain `https:` address.',
    { hint: 'Look for the pull request in the repository, and report it to those who run the service.' },
  )
  return { kind: 'unusable-link', job, error }
}

/** What a terminal state of a job means. */
export type JobEnd = Ended | UnusableLink

/**
 * What a terminal state of the job means. A completed job without a link is read for a while first.
 * @returns the newest read, if it contradicts the state; undefined if the time ran out
 */
export async function settleEnd(job: Job, watch: JobWatch): Promise<JobEnd | Job | undefined> {
  if (!isTerminal(job)) return job
  if (!isWithoutLink(job)) return { kind: 'ended', job, work: { kind: 'unknown' } }
  if (job.hasUnsafeLink === true) return unusableLink(job)
  const read = await awaitLink(job.id, watch)
  if (read === undefined || saysMore(read) || !isTerminal(read)) return read
  return { kind: 'ended', job: read, work: { kind: 'none' } }
}

/**
 * Waits for the end of the job's present turn and says what it means; undefined if the time ran out.
 * @param mayBeMissingUntil on the clock's scale: until then a job that was just created may not be found
 */
export async function waitForJob(
  present: Job,
  watch: JobWatch,
  mayBeMissingUntil?: number,
): Promise<JobEnd | undefined> {
  for (let job: Job | undefined = present; job !== undefined;) {
    if (!isTerminal(job)) job = await watch.poll(present.id, isTerminal, { mayBeMissingUntil })
    else {
      const settled: JobEnd | Job | undefined = await settleEnd(job, watch)
      if (settled === undefined || 'kind' in settled) return settled
      job = settled
    }
  }
  return undefined
}
