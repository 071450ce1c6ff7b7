import type { Step } from '../../step/step.ts'
import { ActionError, describeError } from '../../shared/errors.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import type { Outcome, Report, TaskResult, TimelineEntry } from './report.ts'
import type { Shortfall } from './shortfalls.ts'

/** What may become known on the way; the rest is kept here. */
export type Findings = Partial<Omit<Report, 'outcome' | 'error' | 'timeline' | 'durationMs' | 'shortfalls'>>

/** What is known so far. Whatever stops the step, an accepted job and a known pull request stay in it. */
export class OpenReport {
  readonly #step: Step
  readonly #timeline: TimelineEntry[] = []
  readonly #shortfalls: Shortfall[] = []
  #findings: Findings
  #result: TaskResult | undefined

  constructor(step: Step, findings: Findings) {
    this.#step = step
    this.#findings = findings
  }

  add(findings: Findings): void {
    this.#findings = { ...this.#findings, ...findings }
  }

  /** Another task takes the place of one that was not sent: nothing of that one's job is of this step. */
  restart(task: Task): void {
    const { origin, change, comment } = this.#findings
    this.#findings = { task, origin, change, comment }
  }

  /** How the task ended; of several, the last one counts. */
  addResult(result: TaskResult): void {
    this.#result = result
  }

  /** Something that the step did or decided, for the log and the time line. */
  note(event: string): void {
    this.#record(event)
    this.#step.host.log(event)
  }

  /** Something that is to be seen without opening the log. */
  notice(title: string, text: string): void {
    this.#record(text)
    this.#step.host.notice(title, text)
  }

  get shortfalls(): readonly Shortfall[] {
    return this.#shortfalls
  }

  /** Something that was to be done on GitHub and could not be. */
  miss(lost: string, error: ActionError): void {
    this.#shortfalls.push({ lost, error })
    this.#step.host.log(`${lost}: ${describeError(error)}`)
  }

  /**
   * Gives what `perform` does, or undefined if it could not be done.
   * @throws ActionError `cancelled`, which is nothing to do without
   */
  async attempt<T>(lost: string, perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      if (!(error instanceof ActionError) || error.code === 'cancelled') throw error
      this.miss(lost, error)
      return undefined
    }
  }

  ended(): Report {
    return this.#report(this.#result ?? { outcome: 'error' })
  }

  /** @param reason as a full sentence */
  skipped(reason: string): Report {
    this.add({ skipReason: reason })
    return this.#report({ outcome: 'skipped' })
  }

  stopped(error: ActionError): Report {
    return this.#report({ ...this.#result, outcome: this.#outcomeOf(error), error })
  }

  #outcomeOf({ code }: ActionError): Outcome {
    if (code === 'cancelled' || this.#step.signal.aborted) return 'cancelled'
    return code === 'deadline' ? 'timed-out' : 'error'
  }

  #record(event: string): void {
    this.#timeline.push({ at: this.#step.clock.wallTime(), elapsedMs: this.#elapsedMs(), event })
  }

  #elapsedMs(): number {
    return this.#step.clock.now() - this.#step.startedAt
  }

  #report(result: TaskResult): Report {
    return {
      ...this.#findings,
      ...result,
      timeline: this.#timeline,
      shortfalls: this.#shortfalls,
      durationMs: this.#elapsedMs(),
    }
  }
}

export function openReport({ task, projectId }: AgentInputs, step: Step): OpenReport {
  const { workflowJob, stepId } = step.facts
  return new OpenReport(step, { task, origin: { projectId, workflowJob, stepId } })
}
