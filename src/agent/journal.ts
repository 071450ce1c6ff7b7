/** What a step says while it runs: in the log, and later in its report. */
import type { Step } from '../action/step.ts'
import { isSameRepository } from '../github/schemas.ts'
import { ActionError, catchExpected, describeError, logCauses } from '../runtime/errors.ts'
import type { AgentInputs } from './facts.ts'
import { formatGrant } from './permissions.ts'

export interface TimelineEntry {
  readonly at: Date
  /** Time since the step began. */
  readonly elapsedMs: number
  readonly event: string
}

/** Something on GitHub that could not be done. It never changes the result of the job. */
export interface Warning {
  /** What was not done, without a period, such as `The label was not added to the pull request`. */
  readonly message: string
  readonly error: ActionError
}

type JournalStep = Pick<Step, 'clock' | 'context' | 'runner' | 'startedAt'>

/** The timeline and the warnings of a step, which also go to the log. */
export class Journal {
  readonly timeline: TimelineEntry[] = []
  readonly warnings: Warning[] = []
  readonly #inputs: AgentInputs
  readonly #step: JournalStep

  constructor(inputs: AgentInputs, step: JournalStep) {
    this.#inputs = inputs
    this.#step = step
  }

  /** Adds what the step did or decided to the log and the timeline. */
  note(event: string): void {
    this.#addToTimeline(event)
    this.#step.runner.log(event)
  }

  /** Adds a notice, which readers see without opening the log, and a timeline entry. */
  notice(title: string, text: string): void {
    this.#addToTimeline(text)
    this.#step.runner.notice(title, text)
  }

  /** Warns that something on GitHub could not be done. The same warning, such as one for each check, is logged once. */
  warn(message: string, error: ActionError): void {
    const { context, runner } = this.#step
    const isLogged = this.warnings.some((one) => one.message === message && one.error.message === error.message)
    // Advises to grant all permissions: whoever lists only the missing one in a workflow takes all others away.
    const advised = isSameRepository(error.lacksPermissionIn ?? '', context.repository)
      ? new ActionError(error.code, error.message, { cause: error, hint: formatGrant(this.#inputs) })
      : error
    this.warnings.push({ message, error: advised })
    if (isLogged) return
    runner.log(`${message}: ${describeError(error)}`)
    logCauses(error, runner.debug)
  }

  /**
   * Returns the result of `perform`, or warns and returns `undefined` if it fails.
   * @param message of the warning
   * @throws ActionError `cancelled`: a cancelled step does not continue
   */
  async orWarn<T>(message: string, perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      this.warn(message, catchExpected(error))
      return undefined
    }
  }

  #addToTimeline(event: string): void {
    const { clock, startedAt } = this.#step
    this.timeline.push({ at: clock.wallTime(), elapsedMs: clock.now() - startedAt, event })
  }
}

/** Lists the warnings by reason, each once: a fix round may repeat the warning of the preceding one. */
export function listWarnings(warnings: readonly Warning[]): string[] {
  const reasons = new Set(warnings.map(({ error }) => error.message))
  return Array.from(reasons, (reason) => {
    const messages = new Set(warnings.filter(({ error }) => error.message === reason).map(({ message }) => message))
    return `${[...messages].join('. ')}: ${reason}`
  })
}

/**
 * Formats the warnings as one text, followed by each hint once. Returns `undefined` if the text would be empty.
 * @param shownText warnings in this text are left out
 */
export function formatWarnings(warnings: readonly Warning[], shownText = ''): string | undefined {
  const texts = listWarnings(warnings).filter((text) => !shownText.includes(text))
  const hints = new Set(warnings.flatMap(({ error }) => error.hint ?? []))
  return [...texts, ...hints].join(' ') || undefined
}
