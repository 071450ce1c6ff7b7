import type { Step } from '../../action/step.ts'
import { type ActionError, describeError, ERROR_TITLES, logCauses, rethrowFatal } from '../../runtime/errors.ts'
import { TimeBudget } from '../../runtime/time-budget.ts'
import type { AgentInputs } from '../inputs.ts'
import {
  getEnd,
  getReads,
  type JobReads,
  type PullRequestFindings,
  type RoundStop,
  STOPS,
  type Turn,
  type TurnState,
  withoutStop,
} from './turn.ts'
import type { Facts, Report, Warning, StandingEnd, TimelineEntry } from './report.ts'
import { HeadTracker } from './head-tracker.ts'
import { findUnreportedError, getRoundStop, getNewest, createReport, type Turns } from './turns.ts'

/**
 * The live state of a step: its turns, what it did, what it could not do, and what it found out. It can be reported at any
 * moment, as a run may be cancelled at any moment.
 */
export class Journal {
  readonly heads: HeadTracker
  /** The terminal states that jobs have shown since when, by job id. A job that runs has none. */
  readonly ends = new Map<string, StandingEnd>()
  readonly warnings: Warning[] = []
  /** When the reads have to end that only improve the summary, on the clock's scale; undefined before the first of them. */
  shownReadsEndAt: number | undefined
  readonly #step: Step
  readonly #turns: [Turn, ...Turn[]]
  readonly #timeline: TimelineEntry[] = []
  #facts: Partial<Facts>

  constructor(inputs: AgentInputs, step: Step) {
    this.heads = new HeadTracker(step)
    this.#step = step
    const { task, projectId, dryRun, failOn, waitForChecks, allowedPaths } = inputs
    this.#turns = [{ task, state: { kind: 'planning' } }]
    this.#facts = { projectId, dryRun, failOn, waitForChecks, allowedPaths, stepId: step.context.stepId }
  }

  get turns(): Turns {
    return this.#turns
  }

  get newest(): Turn {
    return getNewest(this.#turns)
  }

  /**
   * Begins a turn. A round continues with the same job, as it was last read. A turn without an end is replaced: nothing was
   * sent, and nothing of its job is of this step.
   */
  begin(turn: Pick<Turn, 'task' | 'followUpReason' | 'failing'>): void {
    const { state } = this.newest
    const isReplaced = getEnd(this.newest) === undefined
    const reads: JobReads = isReplaced ? {} : getReads(state)
    const begun: Turn = { ...turn, startedAt: this.#step.clock.wallTime(), state: { kind: 'preparing', ...reads } }
    if (isReplaced) this.#replaceNewest(begun)
    else this.#turns.push(begun)
  }

  /** Writes the state of the newest turn. */
  updateTurn(state: TurnState): void {
    this.#replaceNewest({ ...this.newest, state })
  }

  /** Writes what was found of the pull request after the newest turn. */
  updatePullRequest(pullRequest: PullRequestFindings): void {
    this.#replaceNewest({ ...this.newest, pullRequest })
  }

  /** Writes why no round follows the newest turn; undefined if nobody asked for rounds. */
  endRounds(roundStop: RoundStop | undefined): void {
    this.#replaceNewest({ ...this.newest, roundStop })
  }

  /** Writes that the log in the pull request may have a row of the newest turn. */
  markInLog(): void {
    this.#replaceNewest({ ...this.newest, isInLog: true })
  }

  /** Writes what stopped the newest turn, or what was to follow it. */
  stop(error: ActionError): void {
    logCauses(error, this.#step.core.debug)
    const during = withoutStop(this.newest.state)
    this.updateTurn({ kind: 'stopped', error, isCancelled: this.#step.signal.aborted, during })
  }

  add(facts: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...facts }
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
  warn(lost: string, error: ActionError): void {
    this.warnings.push({ lost, error })
    this.#step.core.log(`${lost}: ${describeError(error)}`)
    logCauses(error, this.#step.core.debug)
  }

  /**
   * Gives what `perform` does, or undefined if it could not be done.
   * @throws ActionError `cancelled`, which is nothing to do without
   */
  async orWarn<T>(lost: string, perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      this.warn(lost, rethrowFatal(error))
      return undefined
    }
  }

  /** Says what ended the rounds, as the step's own turn stays its result. */
  noteEnd(): void {
    const end = getEnd(this.newest)
    // Commits that may be in no merge are not to be overlooked.
    if (this.#turns.length > 1 && end?.kind === 'left-behind')
      this.notice(ERROR_TITLES['left-behind'], describeError(end.error))
    const unreported = findUnreportedError(this.#turns)
    if (unreported !== undefined) this.note(describeError(unreported))
    const stop = getRoundStop(this.#turns)
    // That they have passed was said.
    if (stop !== undefined && stop !== 'passed') this.note(`No further round: ${STOPS[stop]}`)
  }

  /** All that is known of the step, whether it has ended or not. */
  report(): Report {
    const { warnings } = this
    const facts = { ...this.#facts, timeline: this.#timeline, warnings, durationMs: this.#elapsedMs() }
    return createReport(this.#turns, facts)
  }

  #replaceNewest(turn: Turn): void {
    this.#turns[this.#turns.length - 1] = turn
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
  /** The time of all questions to GitHub and the service before a prompt: those about rounds have a budget for each. */
  readonly questions: TimeBudget
}

/** In milliseconds, and no more than half of the step's time. */
const QUESTIONS_MS = 120_000

export function openQuestionBudget({ clock, deadlineAt, inputs }: Omit<AgentStep, 'questions'>): TimeBudget {
  return new TimeBudget(Math.min(QUESTIONS_MS, inputs.timeoutMs / 2), deadlineAt, clock)
}

export function openAgentStep(inputs: AgentInputs, given: Step): AgentStep {
  const step = { ...given, inputs, journal: new Journal(inputs, given) }
  return { ...step, questions: openQuestionBudget(step) }
}

/** Every loss and each reason once: a round may lose what the one before has lost. */
export function formatLosses(warnings: readonly Warning[]): string[] {
  const reasons = new Set(warnings.map(({ error }) => error.message))
  return Array.from(reasons, (reason) => {
    const losses = new Set(warnings.filter(({ error }) => error.message === reason).map(({ lost }) => lost))
    return `${[...losses].join('. ')}: ${reason}`
  })
}

/**
 * One text for one notice: what is lost, then each piece of advice once. Undefined if there is nothing to say.
 * @param told what was said before, and is not said again
 */
export function formatWarnings(warnings: readonly Warning[], told = ''): string | undefined {
  const losses = formatLosses(warnings).filter((loss) => !told.includes(loss))
  const hints = new Set(warnings.flatMap(({ error }) => error.hint ?? []))
  return [...losses, ...hints].join(' ') || undefined
}
