import type { Step } from '../../action/step.ts'
import { type ActionError, describeError, ERROR_TITLES, rethrowFatal } from '../../runtime/errors.ts'
import { TimeBudget } from '../../runtime/time-budget.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import { STOPS } from './fixing.ts'
import type { Recorded, Report, Shortfall, StandingEnd, TimelineEntry, Turn } from './report.ts'
import { SeenHeads } from './seen-heads.ts'
import { findStop, findUntold, newestOf, reportOf, stoppedBy, type Turns } from './turns.ts'

/** The memory of a step: its turns, what it did, what it could not do, and what it found out. */
export class Journal {
  readonly heads: SeenHeads
  /** The terminal states that jobs have shown since when, by job id. A job that runs has none. */
  readonly ends = new Map<string, StandingEnd>()
  readonly shortfalls: Shortfall[] = []
  readonly #step: Step
  readonly #turns: [Turn, ...Turn[]]
  readonly #timeline: TimelineEntry[] = []
  #findings: Partial<Recorded>

  constructor({ task, projectId, failOn, waitForChecks, allowedPaths }: AgentInputs, step: Step) {
    this.heads = new SeenHeads(step)
    this.#step = step
    this.#turns = [{ task }]
    this.#findings = { projectId, failOn, waitForChecks, allowedPaths, stepId: step.context.stepId }
  }

  get turns(): Turns {
    return this.#turns
  }

  get newest(): Turn {
    return newestOf(this.#turns)
  }

  /**
   * Begins a turn. A round goes on with the same job, as it was last read. Where the turn before has no result, this one takes
   * its place: nothing was sent, and nothing of its job is of this step.
   */
  begin(task: Task): void {
    const { job, lastProblem, result } = this.newest
    if (result === undefined) this.#turns[this.#turns.length - 1] = { task }
    else this.#turns.push({ task, job, lastProblem })
  }

  /** Something that was seen of the newest turn. */
  see(seen: Partial<Turn>): void {
    this.#turns[this.#turns.length - 1] = { ...this.newest, ...seen }
  }

  /** What stopped the newest turn, or what was to follow it. */
  stop(error: ActionError): void {
    this.see({ stopped: stoppedBy(error, this.#step.signal.aborted) })
  }

  add(findings: Partial<Recorded>): void {
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

  /** Says what ended the rounds, as the step's own turn stays its result. */
  noteEnd(): void {
    const { error } = this.newest.result ?? {}
    // Commits that may be in no merge are not to be overlooked.
    if (this.#turns.length > 1 && error?.code === 'left-behind')
      this.notice(ERROR_TITLES['left-behind'], describeError(error))
    const untold = findUntold(this.#turns)
    if (untold !== undefined) this.note(describeError(untold))
    const stop = findStop(this.#turns)
    // That they have passed was said.
    if (stop !== undefined && stop !== 'passed') this.note(`No further round: ${STOPS[stop]}`)
  }

  /** All that is known of the step, whether it has ended or not. */
  report(): Report {
    const { shortfalls } = this
    const recorded = { ...this.#findings, timeline: this.#timeline, shortfalls, durationMs: this.#elapsedMs() }
    return reportOf(this.#turns, recorded)
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
  readonly inputs: AgentInputs
  readonly journal: Journal
  /** The time of all questions to GitHub and the service before a prompt. */
  readonly questions: TimeBudget
}

/** In milliseconds, and no more than half of the step's time. */
const QUESTIONS_MS = 120_000

export function openAgentStep(inputs: AgentInputs, step: Step): AgentStep {
  const { clock, deadlineAt } = step
  const questions = new TimeBudget(Math.min(QUESTIONS_MS, inputs.timeoutMs / 2), deadlineAt, clock)
  return { ...step, inputs, journal: new Journal(inputs, step), questions }
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
