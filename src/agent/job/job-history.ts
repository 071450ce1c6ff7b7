import type { Job } from '../../docs-service/schemas.ts'
import { describeError, type ActionError } from '../../runtime/errors.ts'
import { OutputsLost } from '../../action/core.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import type { Step } from '../../action/step.ts'
import type { Task } from '../inputs/task.ts'
import type { OpenReport } from '../report/open-report.ts'
import type { Outcome } from '../report/report.ts'

/** What was seen of the job so far, told as it happens: one log line a change, and one a minute while nothing changes. */
export class JobHistory {
  lastJob: Job | undefined
  /** Why the last read failed, if it did. */
  lastProblem: ActionError | undefined
  readonly #step: Step
  readonly #known: OpenReport
  readonly #heartbeat: Heartbeat
  #reads = 0
  #warnedOfUnlisted = false
  #warnedOfLink = false

  constructor(step: Step, known: OpenReport) {
    this.#step = step
    this.#known = known
    this.#heartbeat = new Heartbeat({ clock: step.clock, log: step.core.log })
  }

  /** Something that the step did or decided. */
  note(event: string): void {
    this.#heartbeat.restart()
    this.#known.note(event)
  }

  /** The service has taken a prompt. First of all the next step is told: this one may be killed in the next moment. */
  accept(answer: Job): void {
    this.#handOn(answer)
    this.note(`The service has taken the prompt: job ${answer.id} is ${answer.status}.`)
    this.lastJob = answer
    this.observe(answer)
  }

  /** Another task takes the place of one that was not sent. */
  restart(task: Task): void {
    this.lastJob = undefined
    this.#known.restart(task)
  }

  observe(job: Job): void {
    this.#reads++
    this.#warnOfUnlisted(job)
    this.#warnOfLink(job)
    if (this.lastProblem !== undefined) this.#heartbeat.say('The service answers again.')
    this.lastProblem = undefined
    const before = this.lastJob
    this.lastJob = job
    this.#known.add({ job, lastProblem: undefined })
    if (before?.status !== job.status) this.note(`The job is ${job.status}.`)
    else if (job.prLink !== undefined && before.prLink?.href !== job.prLink.href)
      this.note('The job has a pull request.')
  }

  /** A read that failed and will be tried again; told once for each kind of problem. */
  observeProblem(problem: ActionError): void {
    this.#reads++
    if (problem.message !== this.lastProblem?.message)
      this.#heartbeat.say(`${describeError(problem)} Looking again until the deadline.`)
    this.lastProblem = problem
    this.#known.add({ lastProblem: problem })
  }

  /** Milliseconds until a line is due although nothing changed. */
  untilHeartbeatMs(): number {
    return this.#heartbeat.untilMs()
  }

  beat(): void {
    const status = this.lastJob?.status ?? 'not seen yet'
    const looks = this.#reads === 1 ? '1 look' : `${this.#reads} looks`
    this.#heartbeat.beat(`The job is still ${status} (${looks}).`)
  }

  /** If the outputs cannot be written, the job is waited for all the same: the log and the end of the step tell it. */
  #handOn({ id, status }: Job): void {
    const { core } = this.#step
    try {
      core.setOutput('job-id', id)
      core.setOutput('status', status)
      core.setOutput('outcome', 'submitted' satisfies Outcome)
    } catch (error) {
      if (!(error instanceof OutputsLost)) throw error
      core.log(error.message)
    }
  }

  #warnOfUnlisted({ unlistedStatus }: Job): void {
    if (unlistedStatus === undefined || this.#warnedOfUnlisted) return
    this.#warnedOfUnlisted = true
    this.#step.core.warn(
      `The service reports a status that is not known here, “${unlistedStatus}”. It is taken for still running.`,
    )
  }

  #warnOfLink({ hasUnsafeLink }: Job): void {
    if (hasUnsafeLink !== true || this.#warnedOfLink) return
    this.#warnedOfLink = true
    this.#step.core.warn(
      'The service gave an address for the pull request that is not safe to link, so it is not shown.',
    )
  }
}
