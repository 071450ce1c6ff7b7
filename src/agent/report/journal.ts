import type { Step } from '../../action/step.ts'
import { type ActionError, describeError, rethrowFatal } from '../../runtime/errors.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Report, TimelineEntry } from './report.ts'
import { SeenHeads } from './seen-heads.ts'
import type { Shortfall } from './shortfalls.ts'

/** What is found out once for the step, whatever its turns come to. */
type Findings = Partial<
  Pick<Report, 'asked' | 'origin' | 'startedBy' | 'change' | 'comment' | 'skipReason' | 'log' | 'changes'>
>

/** What the journal has for a report. */
export type Recorded = Findings & Pick<Report, 'timeline' | 'shortfalls' | 'durationMs'>

/** What only accumulates while a step runs: what it did, what it could not do, and what it found out. */
export class Journal {
  readonly heads: SeenHeads
  readonly #step: Step
  readonly #timeline: TimelineEntry[] = []
  readonly #shortfalls: Shortfall[] = []
  #findings: Findings

  constructor({ waitForChecks, allowedPaths, projectId }: AgentInputs, step: Step) {
    this.heads = new SeenHeads(step)
    this.#step = step
    this.#findings = {
      asked: [
        ...(waitForChecks ? ['checks' as const] : []),
        ...(allowedPaths.length > 0 ? ['out-of-scope' as const] : []),
      ],
      origin: { projectId, stepId: step.context.stepId },
    }
  }

  add(findings: Findings): void {
    this.#findings = { ...this.#findings, ...findings }
  }

  get found(): Findings {
    return this.#findings
  }

  /** Something that the step did or decided, for the log and the time line. */
  note(event: string): void {
    this.#record(event)
    this.#step.core.log(event)
  }

  /** Something that is to be seen without opening the log. */
  notice(title: string, text: string): void {
    this.#record(text)
    this.#step.core.notice(title, text)
  }

  get shortfalls(): readonly Shortfall[] {
    return this.#shortfalls
  }

  /** Something that was to be done on GitHub and could not be. */
  reportSkipped(lost: string, error: ActionError): void {
    this.#shortfalls.push({ lost, error })
    this.#step.core.log(`${lost}: ${describeError(error)}`)
  }

  /**
   * Gives what `perform` does, or undefined if it could not be done.
   * @throws ActionError `cancelled`, which is nothing to do without
   */
  async bestEffort<T>(lost: string, perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      this.reportSkipped(lost, rethrowFatal(error))
      return undefined
    }
  }

  recorded(): Recorded {
    const [timeline, shortfalls] = [this.#timeline, this.#shortfalls]
    return { ...this.#findings, timeline, shortfalls, durationMs: this.#elapsedMs() }
  }

  #record(event: string): void {
    this.#timeline.push({ at: this.#step.clock.wallTime(), elapsedMs: this.#elapsedMs(), event })
  }

  #elapsedMs(): number {
    return this.#step.clock.now() - this.#step.startedAt
  }
}

/** What every part of this action works with. */
export interface AgentStep extends Step {
  readonly journal: Journal
}

export function withJournal(inputs: AgentInputs, step: Step): AgentStep {
  return { ...step, journal: new Journal(inputs, step) }
}
