import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { TaskResult } from '../report/report.ts'
import type { Preflight } from '../report/turns.ts'
import { lookAgain, prepare, type FollowUpTask } from './before-sending.ts'
import { compareHeads } from './compare-heads.ts'
import { isRunning } from './job-state.ts'
import type { JobWatch } from './job-watch.ts'
import { nextPollMs, nextTurnPollMs } from './poll-schedule.ts'
import { readHead, readStandingHead } from './pull-request-of-turn.ts'
import { hasEnded, signsOfAnswer, withRead } from './turn-signs.ts'
import { resolveOutcome } from './wait-for-job.ts'

/** How long a turn may take to begin, from the answer to its message. */
const TURN_START_MS = 120_000

/** Sends the prompt; gives the answer, or the error if the prompt may have been taken all the same. */
async function send(
  { id }: Job,
  prompt: string,
  watch: JobWatch,
  beforeAgain: () => Promise<void>,
): Promise<Job | ActionError> {
  try {
    const answer = await watch.step.client.sendMessage(id, prompt, beforeAgain)
    watch.accept(answer)
    watch.step.journal.see({ progress: 'taken' })
    return answer
  } catch (error) {
    if (!(error instanceof ActionError) || error.code !== 'unknown-fate') throw error
    watch.note('It is not known whether the service accepted the prompt. The step looks whether the agent begins it.')
    return error
  }
}

/** Where a turn has come to: not begun, begun, or ended with this reading. */
type TurnState = 'unseen' | 'begun' | Job

/**
 * Follows the turn of one message, from the service's answer to its end.
 * @param answer undefined if it was lost
 */
function watchTurn(before: Job, answer: Job | undefined, watch: JobWatch) {
  const { clock, deadlineAt } = watch.step
  const jobId = before.id
  let signs = signsOfAnswer(answer, clock.now())
  const isOver = (read: Job): boolean => {
    signs = withRead(signs, read, clock.now())
    return hasEnded(signs, before, clock.now())
  }
  return {
    awaitBegin: async (): Promise<TurnState> => {
      if (signs.hasBegun) return 'begun'
      const isFound = (read: Job): boolean => isOver(read) || signs.hasBegun
      const endsAt = Math.min(clock.now() + TURN_START_MS, deadlineAt)
      const read = await watch.poll({ jobId, isFound, nextMs: nextTurnPollMs, endsAt })
      if (read === undefined) return 'unseen'
      watch.note('The agent has begun this follow-up.')
      return isRunning(read) ? 'begun' : read
    },
    /** Undefined if the deadline passes before. */
    awaitEnd(): Promise<Job | undefined> {
      // An end that has to stand is read at the pace of a turn's beginning.
      const nextMs: typeof nextPollMs = (fixedMs, state) =>
        (signs.standing === undefined ? nextPollMs : nextTurnPollMs)(fixedMs, state)
      return watch.poll({ jobId, isFound: isOver, nextMs })
    },
  }
}

/**
 * Sends a follow-up to a job (section 4.2). A job tells nothing about its turns: the one before has to be over before the
 * prompt is sent, or its end would pass for ours, and no final state counts as ours until our turn was seen.
 */
export async function followUp(task: FollowUpTask, watch: JobWatch, preflight?: Preflight): Promise<TaskResult> {
  const { step } = watch
  const { journal } = step
  const { wait } = step.inputs
  journal.see({ progress: 'unsent' })
  const ready = await prepare(task, watch, preflight)
  if (!('before' in ready)) return ready
  const { before } = ready
  let head = wait && !ready.wasBusy ? await readHead(before, step, preflight !== undefined) : ready.head
  const answer = await send(before, task.prompt, watch, async () => {
    // Somebody else's prompt may have had its turn.
    head &&= await readStandingHead(before, step)
    await lookAgain(before, preflight, watch)
  })
  // The last look may have seen a newer one.
  head &&= journal.heads.newest(head) ?? head
  const isLost = answer instanceof ActionError
  const turn = watchTurn(before, isLost ? undefined : answer, watch)
  const state = isLost ? await lookUp(answer, before, turn.awaitBegin) : wait ? await turn.awaitBegin() : 'begun'
  if (state !== 'unseen' && (wait || isLost)) journal.see({ progress: 'seen' })
  if (!wait) return { outcome: 'submitted' }
  if (state === 'unseen') return { outcome: 'unconfirmed' }
  const ended = state === 'begun' ? await turn.awaitEnd() : state
  if (ended === undefined) return { outcome: 'timed-out' }
  return compareHeads(await resolveOutcome(ended, watch), before, head, watch)
}

/**
 * A prompt whose fate is unknown was taken if its turn is seen. That somebody archived the job proves nothing, and whatever
 * ends the reading, a cancelled run included, leaves the fate as it was.
 */
async function lookUp(fate: ActionError, before: Job, awaitBegin: () => Promise<TurnState>): Promise<TurnState> {
  if (isRunning(before)) throw fate
  const state = await awaitBegin().catch((error: unknown) => {
    throw error instanceof ActionError ? fate : error
  })
  if (state === 'unseen') throw fate
  return state
}
