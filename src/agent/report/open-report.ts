import type { Step } from '../../action/step.ts'
import { ERROR_TITLES } from '../../runtime/error-titles.ts'
import { type ActionError, describeError, rethrowFatal } from '../../runtime/errors.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import { mayHaveChanged, formatStop, type FixStop } from './fixing.ts'
import { isLookedAt, type Outcome, type Report, type TaskResult, type TimelineEntry } from './report.ts'
import { SeenHeads } from './seen-heads.ts'
import type { Shortfall } from './shortfalls.ts'

/** What may become known on the way; the rest is kept here. */
type Findings = Partial<Omit<Report, 'outcome' | 'error' | 'timeline' | 'durationMs' | 'shortfalls' | 'fixing'>>

/** What a single turn of the job has shown. */
const OF_TURN: readonly string[] = ['job', 'turn', 'lastProblem']

function pick(findings: Findings, isOfTurn: boolean): Findings {
  return Object.fromEntries(Object.entries(findings).filter(([name]) => OF_TURN.includes(name) === isOfTurn))
}

/** What the end of a round's turn means for further ones; undefined if its pull request is to be looked at. */
export function stopAfterTurn({ outcome, operation, hasOtherHead, error }: TaskResult): FixStop | undefined {
  if (outcome === 'pull-request') return operation === 'created' ? 'elsewhere' : undefined
  if (outcome === 'no-changes' && operation === undefined) return 'elsewhere'
  if (outcome === 'no-changes') return hasOtherHead === true ? undefined : 'unmoved'
  if (error?.code === 'not-sent') return outcome === 'archived' ? 'archived' : 'not-sent'
  if (error?.code === 'left-behind') return 'left-behind'
  if (error?.code === 'unusable-link') return 'elsewhere'
  return outcome === 'failed' || outcome === 'archived' ? outcome : 'unseen'
}

/** What is known so far. Whatever stops the step, an accepted job and a known pull request stay in it. */
export class OpenReport {
  readonly heads: SeenHeads
  readonly #step: Step
  readonly #timeline: TimelineEntry[] = []
  readonly #shortfalls: Shortfall[] = []
  #findings: Findings
  #result: TaskResult | undefined
  /** What the task's own turn has shown; undefined until it has ended. */
  #ownTurn: Findings | undefined
  #endedRounds = 0
  #fixStop: FixStop | undefined

  constructor(step: Step, findings: Findings) {
    this.heads = new SeenHeads(step)
    this.#step = step
    this.#findings = findings
  }

  add(findings: Findings): void {
    this.#findings = { ...this.#findings, ...findings }
  }

  /** Another task takes the place of one that was not sent: nothing of that one's job is of this step. */
  restart(task: Task): void {
    const { origin, asked = [], change, comment } = this.#findings
    this.#findings = { task, origin, asked, change, comment }
  }

  /**
   * How a turn ended. The first is the task's own, and stays the step's result: those after it are rounds that send failing
   * checks back, and only end or go on.
   */
  addResult(result: TaskResult): void {
    if (this.#result === undefined) this.#result = result
    else {
      // The job's result stands, but commits that may be in no merge are not to be overlooked.
      if (result.error?.code === 'left-behind') this.notice(ERROR_TITLES['left-behind'], describeError(result.error))
      // What a round has pushed is this step's work, too.
      if (result.operation === 'updated' && this.#result.operation !== 'created')
        this.#result = { ...this.#result, outcome: 'pull-request', operation: 'updated' }
      this.#endRound(stopAfterTurn(result))
    }
    this.#ownTurn ??= pick(this.#findings, true)
    this.#findings = pick(this.#findings, false)
  }

  /** Whether there is a pull request to take further. */
  get goesOn(): boolean {
    return this.#result !== undefined && isLookedAt(this.#result) && this.#fixStop === undefined
  }

  /** How often failing checks were sent back; one that is on its way counts. */
  get roundsSent(): number {
    return this.#endedRounds + (this.#isOnItsWay ? 1 : 0)
  }

  /** Whether the service has taken a round, and its end was not seen. */
  get #isOnItsWay(): boolean {
    const { turn } = this.#findings
    return this.#ownTurn !== undefined && (turn === 'taken' || turn === 'seen')
  }

  /** Failing checks go back no further. */
  stopFixing(stop: FixStop): void {
    if (this.#fixStop !== undefined) return
    this.#fixStop = stop
    // That they have passed was said.
    if (stop !== 'passed') this.note(`No further round: ${formatStop(stop)}`)
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

  ended(): Report {
    return this.#report(this.#result ?? { outcome: 'error' })
  }

  /** @param reason as a full sentence */
  skipped(reason: string): Report {
    this.add({ skipReason: reason })
    return this.#report({ outcome: 'skipped' })
  }

  /** What stops a round takes nothing from the job's result; a cancelled run is cancelled all the same, and a defect is red. */
  stopped(error: ActionError): Report {
    const outcome = this.#outcomeOf(error)
    const result = this.#result
    // Somebody may have taken it, so that it counts.
    if (result !== undefined && error.code === 'unknown-fate') this.#endedRounds++
    if (result === undefined || outcome === 'cancelled' || error.code === 'internal')
      return this.#report({ ...result, outcome, error })
    if (this.#fixStop === undefined) this.note(describeError(error))
    this.#endRound(error.code === 'unknown-fate' || this.#isOnItsWay ? 'unseen' : 'not-sent')
    return this.ended()
  }

  #endRound(stop: FixStop | undefined): void {
    this.#endedRounds = this.roundsSent
    this.#findings = pick(this.#findings, false)
    if (stop !== undefined) this.stopFixing(stop)
  }

  #outcomeOf({ code }: ActionError): Outcome {
    if (code === 'internal') return 'error'
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
    const sent = this.roundsSent
    const stop = this.#fixStop
    const fixing = sent === 0 && stop === undefined ? undefined : { sent, ...(stop && { stop }) }
    const { operation, ...others } = result
    return {
      ...this.#findings,
      ...this.#ownTurn,
      ...others,
      ...(operation === undefined || (operation === 'unchanged' && mayHaveChanged(fixing)) ? {} : { operation }),
      ...(fixing && { fixing }),
      timeline: this.#timeline,
      shortfalls: this.#shortfalls,
      durationMs: this.#elapsedMs(),
    }
  }
}

export function openReport({ task, projectId, waitForChecks, allowedPaths }: AgentInputs, step: Step): OpenReport {
  const checks = waitForChecks ? ['checks' as const] : []
  const asked = [...checks, ...(allowedPaths.length > 0 ? ['out-of-scope' as const] : [])]
  return new OpenReport(step, { task, asked, origin: { projectId, stepId: step.context.stepId } })
}
