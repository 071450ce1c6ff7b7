import type { Step } from '../../action/step.ts'
import { type ActionError, describeError, rethrowFatal } from '../../runtime/errors.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Report, Shortfall, TimelineEntry } from './report.ts'
import { SeenHeads } from './seen-heads.ts'

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
  readonly shortfalls: Shortfall[] = []
  readonly #timeline: TimelineEntry[] = []
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

  /** Something that was to be done on GitHub and could not be. */
  reportSkipped(lost: string, error: ActionError): void {
    this.shortfalls.push({ lost, error })
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
    const { shortfalls } = this
    return { ...this.#findings, timeline: this.#timeline, shortfalls, durationMs: this.#elapsedMs() }
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

/** Every loss and each reason once: a round may lose what the one before has lost. */
export function formatLosses(shortfalls: readonly Shortfall[]): string[] {
  const reasons = new Set(shortfalls.map(({ error }) => error.message))
  return Array.from(reasons, (reason) => {
    const losses = new Set(shortfalls.filter(({ error }) => error.message === reason).map(({ lost }) => lost))
    return `${[...losses].join('. ')}: ${reason}`
  })
}

/**
 * One text for one notice: what is lost, then each piece of advice once. Undefined if there is nothing to say.
 * @param told what was said before, and is not said again
 */
export function formatShortfalls(shortfalls: readonly Shortfall[], told = ''): string | undefined {
  const losses = formatLosses(shortfalls).filter((loss) => !told.includes(loss))
  const hints = new Set(shortfalls.flatMap(({ error }) => error.hint ?? []))
  return [...losses, ...hints].join(' ') || undefined
}
