import { formatCount } from '../../text/sentences.ts'
import { STATUS_PHRASES, type Job } from '../../docs-service/schemas.ts'
import { describeError, type ActionError } from '../../runtime/errors.ts'
import { OutputsLost } from '../../action/core.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import type { AgentStep } from '../report/journal.ts'
import type { Outcome } from '../report/report.ts'
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
  #reads = 0
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

  /** The service has taken a prompt. First of all the next step is told: this one may be killed in the next moment. */
  accept(answer: Job): void {
    const { core } = this.step
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
    this.step.journal.see({ job: answer })
    this.observe(answer)
  }

  observe(job: Job): void {
    this.#reads++
    if (job.unlistedStatus !== undefined)
      this.#warnOnce(
        'status',
        `The service reports an unknown status, “${job.unlistedStatus}”. The step treats it as still running.`,
      )
    if (job.hasUnsafeLink === true) this.#warnOnce('link', UNSAFE_LINK)
    const { job: before, lastProblem } = this.step.journal.newest
    if (lastProblem !== undefined) this.#heartbeat.say('The service answers again.')
    this.step.journal.see({ job, lastProblem: undefined })
    if (before?.status !== job.status) this.note(`The job ${STATUS_PHRASES[job.status]}.`)
    else if (job.prLink !== undefined && before.prLink?.href !== job.prLink.href)
      this.note('The job has a pull request.')
  }

  /** A read that failed and will be tried again; told once for each kind of problem. */
  observeProblem(problem: ActionError): void {
    this.#reads++
    if (problem.message !== this.step.journal.newest.lastProblem?.message)
      this.#heartbeat.say(`${describeError(problem)} Trying again until the deadline.`)
    this.step.journal.see({ lastProblem: problem })
  }

  /** Milliseconds until a line is due although nothing changed. */
  untilHeartbeatMs(): number {
    return this.#heartbeat.untilMs()
  }

  beat(): void {
    const status = this.step.journal.newest.job?.status ?? 'not seen yet'
    this.#heartbeat.beat(`The job is still ${status} (checked ${formatCount(this.#reads, 'time')}).`)
  }

  #warnOnce(kind: 'status' | 'link', text: string): void {
    if (!this.#warned.has(kind)) this.step.core.warn(text)
    this.#warned.add(kind)
  }
}
