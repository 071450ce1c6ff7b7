import type { Job } from '../../service/schemas.ts'
import type { Clock } from '../../shared/clock.ts'
import { formatDuration } from '../../shared/duration.ts'
import { describeError, type ActionError } from '../../shared/errors.ts'
import { cleanPullRequestLink } from '../../service/pull-request-link.ts'
import type { TimelineEntry, Turn } from '../report/report.ts'

export interface HistoryPorts {
  readonly clock: Clock
  /** When the step began, on the clock's scale. */
  readonly startedAt: number
  readonly log: (line: string) => void
  readonly warn: (line: string) => void
}

const HEARTBEAT_MS = 60_000

/** What was seen of the job so far, told as it happens: one log line a change, and one a minute while nothing changes. */
export class JobHistory {
  readonly timeline: TimelineEntry[] = []
  lastJob: Job | undefined
  /** Why the last look failed, where it did. */
  lastProblem: ActionError | undefined
  turn: Turn = 'unsent'
  readonly #ports: HistoryPorts
  #looks = 0
  #lastLineAt: number
  #warnedOfUnlisted = false
  #warnedOfLink = false

  constructor(ports: HistoryPorts) {
    this.#ports = ports
    this.#lastLineAt = ports.startedAt
  }

  /** Something that the step did or decided. */
  note(event: string): void {
    this.timeline.push({ at: this.#ports.clock.wallTime(), elapsedMs: this.#elapsedMs(), event })
    this.#say(event)
  }

  observe(job: Job): void {
    this.#looks++
    this.#warnOfUnlisted(job)
    this.#warnOfLink(job)
    if (this.lastProblem !== undefined) this.#say('The service answers again.')
    this.lastProblem = undefined
    const before = this.lastJob
    this.lastJob = job
    if (before?.status !== job.status) this.note(`The job is ${job.status}.`)
    else if (job.prLink !== undefined && before.prLink !== job.prLink) this.note('The job has a pull request.')
  }

  /** A read that failed and will be tried again; told once for each kind of problem. */
  observeProblem(problem: ActionError): void {
    this.#looks++
    if (problem.message !== this.lastProblem?.message)
      this.#say(`${describeError(problem)} Looking again until the deadline.`)
    this.lastProblem = problem
  }

  /** Milliseconds until a line is due although nothing changed. */
  untilHeartbeatMs(): number {
    return Math.max(0, this.#lastLineAt + HEARTBEAT_MS - this.#ports.clock.now())
  }

  beat(): void {
    if (this.untilHeartbeatMs() > 0) return
    const status = this.lastJob?.status ?? 'not seen yet'
    const looks = this.#looks === 1 ? '1 look' : `${this.#looks} looks`
    this.#say(`The job is still ${status} after ${formatDuration(this.#elapsedMs())} (${looks}).`)
  }

  #elapsedMs(): number {
    return this.#ports.clock.now() - this.#ports.startedAt
  }

  #say(line: string): void {
    this.#lastLineAt = this.#ports.clock.now()
    this.#ports.log(line)
  }

  #warnOfUnlisted({ unlistedStatus }: Job): void {
    if (unlistedStatus === undefined || this.#warnedOfUnlisted) return
    this.#warnedOfUnlisted = true
    this.#ports.warn(
      `The service reports a status that is not known here, “${unlistedStatus}”. It is taken for still running.`,
    )
  }

  #warnOfLink({ prLink }: Job): void {
    if (prLink === undefined || this.#warnedOfLink || cleanPullRequestLink(prLink) !== undefined) return
    this.#warnedOfLink = true
    this.#ports.warn('The service gave an address for the pull request that is not safe to link, so it is not shown.')
  }
}
