import { formatCount } from '../../text/sentences.ts'
import { STATUS_PHRASES, type Job } from '../../docs-service/schemas.ts'
import { ActionError, describeError } from '../../runtime/errors.ts'
import { OutputsLost } from '../../action/core.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import type { AgentStep } from '../report/journal.ts'
import { writeMilestone } from '../report/milestone.ts'
import type { Outcome } from '../report/report.ts'
import { getReads, withReads, type JobReads } from '../report/turn.ts'
import { seeEnd } from './job-state.ts'
import { createPoller, type PollJob } from './poll-job.ts'

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
    const { journal } = this.step
    const { job: before, lastProblem } = this.reads
    if (read instanceof ActionError) {
      if (read.message !== lastProblem?.message)
        this.#heartbeat.say(`${describeError(read)} Trying again until the deadline.`)
      this.#update({ job: before, lastProblem: read })
      return
    }
    seeEnd(journal.ends, read, this.step.clock.now())
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

  /** Sleeps until the next read, and says once a minute that nothing has changed. */
  async sleep(ms: number): Promise<void> {
    const { clock, signal } = this.step
    const endsAt = clock.now() + ms
    while (clock.now() < endsAt) {
      await clock.sleep(Math.min(endsAt - clock.now(), this.#heartbeat.untilMs()), signal)
      const status = this.reads.job?.status ?? 'not seen yet'
      this.#heartbeat.beat(`The job is still ${status} (checked ${formatCount(this.#count, 'time')}).`)
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
