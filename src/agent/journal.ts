import type { Step } from '../action/step.ts'
import { OutputsLost } from '../action/toolkit.ts'
import type { Job } from '../docs-service/schemas.ts'
import type { CommentAddress } from '../github/comments.ts'
import type { PullRequestAddress } from '../github/pull-requests.ts'
import { type ActionError, describeError, ERROR_TITLES, logCauses, rethrowFatal } from '../runtime/errors.ts'
import { TimeBudget } from '../runtime/time-budget.ts'
import type { LinkedText } from '../text/markdown.ts'
import type { AgentInputs } from './inputs.ts'
import {
  getEnd,
  getNewest,
  getReads,
  type JobReads,
  type PullRequestFindings,
  type RoundStop,
  STOPS,
  type Turn,
  type Turns,
  type TurnState,
  withoutStop,
} from './report/turn.ts'
import {
  type Changes,
  type Facts,
  type LogPlace,
  redactReport,
  type Report,
  type TimelineEntry,
} from './report/report.ts'
import type { Warning } from './report/warnings.ts'
import { conclude } from './report/outcomes.ts'
import { type Outputs, renderResult, toOutputs } from './report/outputs.ts'
import { HeadTracker } from './head-tracker.ts'
import { findUnreportedError, getRoundStop } from './report/turns.ts'

/**
 * The live state of a step: its turns, what it did, what it could not do, and what it found out. It can be reported at any
 * moment, as a run may be cancelled at any moment.
 */
export class Journal {
  readonly warnings: Warning[] = []
  /** When the reads have to end that only improve the summary, on the clock's scale; undefined before the first of them. */
  shownReadsEndAt: number | undefined
  readonly #step: Step
  readonly #turns: [Turn, ...Turn[]]
  readonly #timeline: TimelineEntry[] = []
  #facts: Partial<Facts>

  constructor(inputs: AgentInputs, step: Step) {
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

  /** Writes that the log in the pull request may have a row of the newest turn. */
  markInLog(): void {
    this.#replaceNewest({ ...this.newest, isInLog: true })
  }

  /**
   * Writes what stopped the newest turn, or what was to follow it.
   * @param roundStop why the turn was not sent, if it is a round that was refused at the last look
   */
  stop(error: ActionError, roundStop?: RoundStop): void {
    logCauses(error, this.#step.core.debug)
    const during = withoutStop(this.newest.state)
    this.updateTurn({ kind: 'stopped', error, isCancelled: this.#step.signal.aborted, during, roundStop })
  }

  /** Writes that the step ends now, whatever it is doing. The service may have accepted a prompt that is being sent. */
  interrupt(error: ActionError): void {
    const { state } = this.newest
    if (state.kind === 'sending') this.updateTurn({ ...state, kind: 'delivery-unknown' })
    this.stop(error)
  }

  /** Records what started the run. */
  recordTrigger(startedBy: LinkedText): void {
    this.#record({ startedBy })
  }

  /** Records the comment that asks, which gets a reply. */
  recordComment(comment: CommentAddress): void {
    this.#record({ comment })
  }

  /** Records what was found of the change that started the run; undefined if nothing is to be said of it. */
  recordChange(change: string | undefined): void {
    this.#record({ change })
  }

  /** Records which pull requests the change came from. */
  recordSources(sources: readonly PullRequestAddress[]): void {
    this.#record({ sources })
  }

  /** Records why nothing was sent; undefined if something was. */
  recordSkip(skipReason: string | undefined): void {
    this.#record({ skipReason })
  }

  /** Records the files that the step has changed, if they are known. */
  recordFiles(changes: Changes | undefined): void {
    this.#record({ changes })
  }

  /** Records the pull request as it was read once more at the end of the step. */
  recordPullRequestAtEnd(pullRequestAtEnd: PullRequestFindings): void {
    this.#record({ pullRequestAtEnd })
  }

  /** Records where the log of the turns is; undefined if there is none. */
  setLogPlace(log: LogPlace | undefined): void {
    this.#record({ log })
  }

  get logPlace(): LogPlace | undefined {
    return this.#facts.log
  }

  /** Something that the step did or decided, for the log and the time line. */
  note(event: string): void {
    this.#addToTimeline(event)
    this.#step.core.log(event)
  }

  /** Something that is to be seen without opening the log. */
  notice(title: string, text: string): void {
    this.#addToTimeline(text)
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

  /** All that is known of the step. @param kind whether it has ended */
  report(kind: 'running' | 'ran' = 'ran'): Report {
    const { warnings } = this
    const [own, ...rounds] = this.#turns
    const facts = { ...this.#facts, timeline: this.#timeline, warnings, durationMs: this.#elapsedMs() }
    return { kind, turns: [own, ...rounds], ...facts }
  }

  #replaceNewest(turn: Turn): void {
    this.#turns[this.#turns.length - 1] = turn
  }

  #record(facts: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...facts }
  }

  #addToTimeline(event: string): void {
    this.#timeline.push({ at: this.#step.clock.wallTime(), elapsedMs: this.#elapsedMs(), event })
  }

  #elapsedMs(): number {
    return this.#step.clock.now() - this.#step.startedAt
  }
}

/** A terminal state of a job that every read since `sinceMs` has shown, up to the newest read at `lastMs`. */
export interface StandingEnd {
  readonly end: Job
  readonly sinceMs: number
  readonly lastMs: number
}

/** What every part of this action works with. */
export interface AgentStep extends Step {
  readonly inputs: AgentInputs
  readonly journal: Journal
  readonly heads: HeadTracker
  /** The terminal states that jobs have shown since when, by job id. A job that runs has none. */
  readonly jobEnds: Map<string, StandingEnd>
  /** The ids of the jobs that a read has shown at work. */
  readonly activeJobs: Set<string>
  /** The time of all questions to GitHub and the service before a prompt: those about rounds have a budget for each. */
  readonly questions: TimeBudget
}

/** In milliseconds, and no more than half of the step's time. */
const QUESTIONS_MS = 120_000

export function openQuestionBudget({ clock, deadlineAt, inputs }: Omit<AgentStep, 'questions'>): TimeBudget {
  return new TimeBudget(Math.min(QUESTIONS_MS, inputs.timeoutMs / 2), deadlineAt, clock)
}

export function openAgentStep(inputs: AgentInputs, given: Step): AgentStep {
  const journal = new Journal(inputs, given)
  const step = {
    ...given,
    inputs,
    journal,
    heads: new HeadTracker(given),
    jobEnds: new Map<string, StandingEnd>(),
    activeJobs: new Set<string>(),
  }
  return { ...step, questions: openQuestionBudget(step) }
}

const NOT_ENDED = {
  isGreen: false,
  title: 'The step has not ended',
  text: 'This is what was known before the end of the step. A step that is killed leaves it behind.',
}

/**
 * Empty until the step's end: what decides whether the pull request is good can change until then, and a later step must not
 * take a killed one for one that has checked all. `result` has them, and says that the step has not ended.
 */
const AT_END: readonly string[] = [
  'checks',
  'in-scope',
  'pr-mergeable',
  'duration-seconds',
] satisfies readonly (keyof Outputs)[]

/** Writes the outputs before the step's end, since a killed step writes nothing more. Every write makes the output file longer. */
export function writeMilestone({ core, journal }: AgentStep): void {
  const report = redactReport(journal.report('running'), core.redact)
  const result = renderResult(report, { ...NOT_ENDED, advice: conclude(report).advice }, core.redact)
  const outputs = Object.entries({ ...toOutputs(report), result }).filter(([name]) => !AT_END.includes(name))
  try {
    for (const [name, value] of outputs) core.setOutput(name, value)
  } catch (error) {
    if (!(error instanceof OutputsLost)) throw error
    core.log(error.message)
  }
}
