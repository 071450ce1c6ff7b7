import type { Job } from '../../service/schemas.ts'
import { ActionError } from '../../shared/errors.ts'
import { nextTurnLookMs } from './poll-schedule.ts'
import type { Ending, RunContext } from './run-context.ts'
import { isRunning, showsNewTurn } from './verdict.ts'
import { findJob, waitForEnd, waitForJob } from './wait-for-job.ts'

/** How long a turn may take to begin. */
const TURN_START_MS = 120_000

function archivedBefore(): Ending {
  const error = new ActionError('not-sent', 'The prompt was not sent: the job is archived.', {
    hint: 'Create a new job: run the same step without `job-id`.',
  })
  return { outcome: 'archived', error }
}

function notSentInTime(reason: string): Ending {
  const error = new ActionError('not-sent', `The prompt was not sent: ${reason} before the deadline.`, {
    hint: 'Run the same step again later, or allow more time in `timeout-minutes`.',
  })
  return { outcome: 'timed-out', error }
}

/** Sends the prompt; gives the answer, or the error where the prompt may have been taken all the same. */
async function send(
  jobId: string,
  prompt: string,
  { client, history, accept }: RunContext,
): Promise<Job | ActionError> {
  try {
    const answer = await client.sendMessage(jobId, prompt)
    accept(answer)
    history.turn = 'taken'
    return answer
  } catch (error) {
    if (!(error instanceof ActionError) || error.code !== 'unknown-fate') throw error
    history.note('It is not known whether the service took the prompt. Looking whether its turn begins.')
    return error
  }
}

/** Waits until an answer proves that the turn began; undefined where none did. */
async function awaitTurn(before: Job, { poll, history, clock, deadlineAt }: RunContext): Promise<Job | undefined> {
  const turn = await poll({
    jobId: before.id,
    isFound: (seen) => showsNewTurn(before, seen),
    nextLookMs: nextTurnLookMs,
    endsAt: Math.min(clock.now() + TURN_START_MS, deadlineAt),
    looksAtOnce: false,
  })
  if (turn !== undefined) history.note('The turn of this prompt was seen.')
  return turn
}

/**
 * A prompt whose fate is unknown was taken if its turn is seen. That somebody archived the job proves nothing, and whatever
 * ends the looking, a cancelled run included, leaves the fate as it was.
 */
async function lookUp(fate: ActionError, before: Job, context: RunContext): Promise<Job> {
  const stop = (error: unknown): undefined => {
    if (!(error instanceof ActionError)) throw error
  }
  const turn = isRunning(before) ? undefined : await awaitTurn(before, context).catch(stop)
  if (turn === undefined || turn.status === 'archived') throw fate
  return turn
}

/**
 * Sends a follow-up to a job (section 4.2). A job tells nothing about its turns: the one before has to be over before the
 * prompt is sent, or its end would pass for ours, and no final state counts as ours until our turn was seen.
 */
export async function followUp(jobId: string, prompt: string, context: RunContext): Promise<Ending> {
  const { wait, history, clock, deadlineAt } = context
  const present = await findJob(jobId, context)
  if (present === undefined) return notSentInTime('the job could not be read')
  if (wait && isRunning(present)) history.note('The job is busy. The prompt is sent when its present turn ends.')
  const before = wait ? await waitForEnd(present, context) : present
  if (before?.status === 'archived') return archivedBefore()
  if (before === undefined || (before !== present && clock.now() >= deadlineAt))
    return notSentInTime('the present turn of the job did not end')

  const answer = await send(jobId, prompt, context)
  const known = answer instanceof ActionError ? await lookUp(answer, before, context) : answer
  if (!wait) return { outcome: 'submitted' }
  const turn = showsNewTurn(before, known) ? known : await awaitTurn(before, context)
  if (turn === undefined) return { outcome: 'unconfirmed' }
  history.turn = 'seen'
  return waitForJob(turn, context)
}
