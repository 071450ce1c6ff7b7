import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { TaskResult } from '../report/report.ts'
import type { Preflight } from '../report/turns.ts'
import type { JobWatch } from './job-watch.ts'
import { nextPollMs, nextTurnPollMs } from './poll-schedule.ts'
import { lookAgain, prepare, type FollowUpTask } from './before-sending.ts'
import { compareHeads } from './compare-heads.ts'
import { readHead, readStandingHead, seenHead } from './pull-request-head.ts'
import { hasEnded, signsOfAnswer, withRead } from './turn-signs.ts'
import { isRunning } from './job-state.ts'
import { resolveOutcome } from './wait-for-job.ts'

/** How long a turn may take to begin, from the answer to its message. */
const TURN_START_MS = 120_000

/** Sends the prompt; gives the answer, or the error if the prompt may have been taken all the same. */
async function send(
  before: Job,
  prompt: string,
  { client }: Step,
  watch: JobWatch,
  beforeAgain: () => Promise<void>,
): Promise<Job | ActionError> {
  try {
    const answer = await client.sendMessage(before.id, prompt, beforeAgain)
    watch.accept(answer)
    watch.course.see({ progress: 'taken' })
    return answer
  } catch (error) {
    if (!(error instanceof ActionError) || error.code !== 'unknown-fate') throw error
    watch.note('It is not known whether the service took the prompt. The step looks whether the agent begins it.')
    return error
  }
}

/** Where a turn has come to: not begun, begun, or ended with this reading. */
type TurnState = 'unseen' | 'begun' | Job

/** Follows the turn of one message, from the service's answer to its end. */
class TurnWatch {
  readonly #before: Job
  readonly #step: Step
  readonly #watch: JobWatch
  #signs

  /** @param answer undefined if it was lost */
  constructor(before: Job, answer: Job | undefined, step: Step, watch: JobWatch) {
    this.#before = before
    this.#step = step
    this.#watch = watch
    this.#signs = signsOfAnswer(answer, step.clock.now())
  }

  async awaitBegin(): Promise<TurnState> {
    const { clock, deadlineAt } = this.#step
    if (this.#signs.hasBegun) return 'begun'
    const read = await this.#watch.poll({
      jobId: this.#before.id,
      isFound: (read) => this.#isOver(read) || this.#signs.hasBegun,
      nextMs: nextTurnPollMs,
      endsAt: Math.min(clock.now() + TURN_START_MS, deadlineAt),
    })
    if (read === undefined) return 'unseen'
    this.#watch.note('The agent has begun this follow-up.')
    return isRunning(read) ? 'begun' : read
  }

  /** Undefined if the deadline passes before. */
  awaitEnd(): Promise<Job | undefined> {
    return this.#watch.poll({
      jobId: this.#before.id,
      isFound: (read) => this.#isOver(read),
      // An end that has to stand is read at the pace of a turn's beginning.
      nextMs: (fixedMs, state) => (this.#signs.standing === undefined ? nextPollMs : nextTurnPollMs)(fixedMs, state),
      endsAt: this.#step.deadlineAt,
    })
  }

  #isOver(read: Job): boolean {
    const now = this.#step.clock.now()
    this.#signs = withRead(this.#signs, read, now)
    return hasEnded(this.#signs, this.#before, now)
  }
}

/**
 * Sends a follow-up to a job (section 4.2). A job tells nothing about its turns: the one before has to be over before the
 * prompt is sent, or its end would pass for ours, and no final state counts as ours until our turn was seen.
 */
export async function followUp(
  task: FollowUpTask,
  inputs: AgentInputs,
  step: Step,
  watch: JobWatch,
  preflight?: Preflight,
): Promise<TaskResult> {
  const { wait } = inputs
  watch.course.see({ progress: 'unsent' })
  const ready = await prepare(task, inputs, step, watch, preflight)
  if (!('before' in ready)) return ready
  const { before, wasBusy } = ready
  let { head } = ready
  // The check has just read it.
  if (wait && !wasBusy && preflight !== undefined) head = seenHead(before, step, watch.journal)
  if (wait && !wasBusy) head ??= await readHead(before, step, watch.journal)
  const beforeAgain = async (): Promise<void> => {
    // Somebody else's prompt may have had its turn.
    head &&= await readStandingHead(before, step, watch.journal)
    await lookAgain(before, preflight, step, watch)
  }
  const answer = await send(before, task.prompt, step, watch, beforeAgain)
  // The last look may have seen a newer one.
  head &&= watch.journal.heads.newest(head) ?? head
  const isLost = answer instanceof ActionError
  const turn = new TurnWatch(before, isLost ? undefined : answer, step, watch)
  const state = isLost ? await lookUp(answer, before, turn) : wait ? await turn.awaitBegin() : 'begun'
  if (state !== 'unseen' && (wait || isLost)) watch.course.see({ progress: 'seen' })
  if (!wait) return { outcome: 'submitted' }
  if (state === 'unseen') return { outcome: 'unconfirmed' }
  const ended = state === 'begun' ? await turn.awaitEnd() : state
  if (ended === undefined) return { outcome: 'timed-out' }
  return compareHeads(await resolveOutcome(ended, step, watch), before, head, step, watch)
}

/**
 * A prompt whose fate is unknown was taken if its turn is seen. That somebody archived the job proves nothing, and whatever
 * ends the reading, a cancelled run included, leaves the fate as it was.
 */
async function lookUp(fate: ActionError, before: Job, turn: TurnWatch): Promise<TurnState> {
  const stop = (error: unknown): TurnState => {
    if (!(error instanceof ActionError)) throw error
    return 'unseen'
  }
  const state = isRunning(before) ? 'unseen' : await turn.awaitBegin().catch(stop)
  if (state === 'unseen') throw fate
  return state
}
