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
  getTurnEnd,
  getNewest,
  getReads,
  type JobReads,
  type PullRequestFindings,
  type RoundStop,
  ROUND_STOP_REASONS,
  type Turn,
  type Turns,
  type TurnState,
  unwrapStopped,
} from './report/turn.ts'
import {
  type Changes,
  type Facts,
  type LogPlace,
  redactReport,
  type Report,
  type TimelineEntry,
  type Warning,
} from './report/report.ts'
import { conclude } from './report/outcomes.ts'
import { type Outputs, renderResult, toOutputs } from './report/outputs.ts'
import { HeadTracker } from './head-tracker.ts'
import { findUnreportedError, getRoundStop } from './report/turns.ts'

/**
 * The live state of a step: its turns, facts, warnings and timeline. A run can be cancelled at any time, so the journal can be
 * reported at any time.
 */
export class Journal {
  readonly warnings: Warning[] = []
  /** The deadline of the reads that only improve the summary, as a timestamp of `clock.now()`. The first of them sets it. */
  summaryReadsEndAt: number | undefined
  readonly #step: Step
  readonly #turns: [Turn, ...Turn[]]
  readonly #timeline: TimelineEntry[] = []
  #facts: Partial<Facts>

  constructor(inputs: AgentInputs, step: Step) {
    this.#step = step
    const { task, projectId, dryRun, failOn, waitForChecks, allowedPaths } = inputs
    this.#turns = [{ task, state: { kind: 'planning' } }]
    const { stepId, isRehearsal } = step.context
    this.#facts = { projectId, dryRun, failOn, waitForChecks, allowedPaths, stepId, isRehearsal }
  }

  get turns(): Turns {
    return this.#turns
  }

  get newest(): Turn {
    return getNewest(this.#turns)
  }

  /**
   * Begins a turn. A fix round continues with the job as it was last read. A turn without an end is replaced: no prompt was
   * sent, so its job has nothing to do with this step.
   */
  begin(turn: Pick<Turn, 'task' | 'followUpReason' | 'failing'>): void {
    const isReplaced = getTurnEnd(this.newest) === undefined
    const reads: JobReads = isReplaced ? {} : getReads(this.newest)
    const begun: Turn = { ...turn, startedAt: this.#step.clock.wallTime(), state: { kind: 'preparing', ...reads } }
    if (isReplaced) this.#replaceNewest(begun)
    else this.#turns.push(begun)
  }

  /** Sets the state of the newest turn. */
  updateTurn(state: TurnState): void {
    this.#replaceNewest({ ...this.newest, state })
  }

  /** Records that the log in the pull request may have a row for the newest turn. */
  markInLog(): void {
    this.#replaceNewest({ ...this.newest, isInLog: true })
  }

  /**
   * Records the error that stopped the newest turn or the work after it.
   * @param roundStop why the prompt was not sent, if the turn is a fix round whose last check failed
   */
  stop(error: ActionError, roundStop?: RoundStop): void {
    logCauses(error, this.#step.core.debug)
    const during = unwrapStopped(this.newest.state)
    this.updateTurn({ kind: 'stopped', error, isCancelled: this.#step.signal.aborted, during, roundStop })
  }

  /** Writes that the step ends now, in any state. The service may have accepted a prompt that is being sent. */
  interrupt(error: ActionError): void {
    const { state } = this.newest
    if (state.kind === 'sending') this.updateTurn({ ...state, kind: 'delivery-unknown' })
    this.stop(error)
  }

  /** Records what started the run. */
  recordTrigger(startedBy: LinkedText): void {
    this.#record({ startedBy })
  }

  /** Records the comment with the command, which gets a reply. */
  recordComment(comment: CommentAddress): void {
    this.#record({ comment })
  }

  /** Records the description of the change that started the run; `undefined` if there is nothing to show. */
  recordChange(change: string | undefined): void {
    this.#record({ change })
  }

  /** Records the pull requests that the change comes from. */
  recordSources(sources: readonly PullRequestAddress[]): void {
    this.#record({ sources })
  }

  /** Records why the step sent nothing; `undefined` if it was not skipped. */
  recordSkip(skipReason: string | undefined): void {
    this.#record({ skipReason })
  }

  /** Records the files that the step has changed; `undefined` if they are unknown. */
  recordFiles(changes: Changes | undefined): void {
    this.#record({ changes })
  }

  /** Records the pull request as it was read at the end of the step. */
  recordPullRequestAtEnd(pullRequestAtEnd: PullRequestFindings): void {
    this.#record({ pullRequestAtEnd })
  }

  /** Records the comment with the log of the turns; `undefined` if there is none. */
  setLogPlace(log: LogPlace | undefined): void {
    this.#record({ log })
  }

  get logPlace(): LogPlace | undefined {
    return this.#facts.log
  }

  /** Adds what the step did or decided to the log and the timeline. */
  note(event: string): void {
    this.#addToTimeline(event)
    this.#step.core.log(event)
  }

  /** Adds a notice, which readers see without opening the log, and a timeline entry. */
  notice(title: string, text: string): void {
    this.#addToTimeline(text)
    this.#step.core.notice(title, text)
  }

  /** Records that something on GitHub could not be done. */
  warn(message: string, error: ActionError): void {
    this.warnings.push({ message, error })
    this.#step.core.log(`${message}: ${describeError(error)}`)
    logCauses(error, this.#step.core.debug)
  }

  /**
   * Returns the result of `perform`, or records a warning and returns `undefined` if it fails.
   * @param message of the warning
   * @throws ActionError `cancelled`: a cancelled step does not continue
   */
  async orWarn<T>(message: string, perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      this.warn(message, rethrowFatal(error))
      return undefined
    }
  }

  /** Logs why the fix rounds ended: the result of the step is that of its first turn, so it does not show this. */
  logEnd(): void {
    const end = getTurnEnd(this.newest)
    // Readers must not overlook commits that may be unmerged.
    if (this.#turns.length > 1 && end?.kind === 'left-behind')
      this.notice(ERROR_TITLES['left-behind'], describeError(end.error))
    const unreported = findUnreportedError(this.#turns)
    if (unreported !== undefined) this.note(describeError(unreported))
    const stop = getRoundStop(this.#turns)
    // The log already says that the checks have passed.
    if (stop !== 'may-follow' && stop !== 'passed') this.note(`No further round: ${ROUND_STOP_REASONS[stop]}`)
  }

  /** Returns everything that is known about the step. @param kind `running`: the step has not ended */
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

/** A terminal state that every read of a job has shown, from `sinceMs` to the newest read at `lastMs`. */
export interface ObservedEnd {
  readonly end: Job
  readonly sinceMs: number
  readonly lastMs: number
}

/** The step with what every part of this action shares. */
export interface AgentStep extends Step {
  readonly inputs: AgentInputs
  readonly journal: Journal
  readonly heads: HeadTracker
  /** The observed terminal states of jobs, by job id. A running job has none. */
  readonly jobEnds: Map<string, ObservedEnd>
  /** The ids of the jobs of which a read has proved that a turn ran. */
  readonly jobsSeenRunning: Set<string>
  /** The time for all requests to GitHub and the service before a prompt. Each fix round has its own budget. */
  readonly planningBudget: TimeBudget
}

/** At most half of the step's time. */
const MAX_PLANNING_MS = 120_000

export function openPlanningBudget({ clock, deadlineAt, inputs }: Omit<AgentStep, 'planningBudget'>): TimeBudget {
  return new TimeBudget(Math.min(MAX_PLANNING_MS, inputs.timeoutMs / 2), deadlineAt, clock)
}

export function openAgentStep(inputs: AgentInputs, given: Step): AgentStep {
  const journal = new Journal(inputs, given)
  const step = {
    ...given,
    inputs,
    journal,
    heads: new HeadTracker(given),
    jobEnds: new Map<string, ObservedEnd>(),
    jobsSeenRunning: new Set<string>(),
  }
  return { ...step, planningBudget: openPlanningBudget(step) }
}

const NOT_ENDED = {
  isGreen: false,
  title: 'The step has not ended',
  text: 'This result was written while the step was running. If it is still here afterwards, the step was killed.',
}

/**
 * The outputs that stay empty until the step's end. They can change until then, and a later step must not mistake a killed
 * step for one that has checked everything. `result` has them, but says that the step has not ended.
 */
const AT_END: readonly string[] = ['checks', 'in-scope'] satisfies readonly (keyof Outputs)[]

/** Writes the outputs before the step's end, because the step can be killed. Every write makes the output file longer. */
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
