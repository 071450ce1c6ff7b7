import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, rethrowFatal } from '../../runtime/errors.ts'
import { writeMilestone } from '../report/milestone.ts'
import type { StandingEnd } from '../report/report.ts'
import type { TurnEnd } from '../report/turn.ts'
import type { Target } from '../report/plan.ts'
import type { Stop } from './decide-send.ts'
import { recheckBeforeSend, type Send } from './prepare-send.ts'
import { compareHeads } from './compare-heads.ts'
import { hasStood, isRunning, isSameEnd, saysActive, STANDING_MS, standingAfter } from './job-state.ts'
import type { JobWatch } from './job-watch.ts'
import type { HeadBefore } from './pull-request-of-turn.ts'
import { nextPollMs, nextTurnPollMs } from './poll-schedule.ts'
import { settleEnd, type JobEnd } from './wait-for-job.ts'

/** How long a turn may take to begin, from the answer to its message. */
const TURN_START_MS = 120_000

/**
 * Given one read after another, tells whether each is the end of a turn that has begun. A job tells nothing about its turns, and a
 * read may come from a copy that lags. So an end counts after a read that said `active` if it differs from the one before the
 * message, and no copy can be older than that; and else if it has stood for 15 s. The usual case is the second: `completed`,
 * with the same pull request as before.
 * @param answeredAtMs when the message was answered, on the clock's scale
 * @param wasReadActive whether a read, and not only the answer, said `active`
 */
export function endOfTurn(
  before: Job,
  answeredAtMs: number,
  wasReadActive: boolean,
): (read: Job, nowMs: number) => boolean {
  let isSeenActive = wasReadActive
  let standing: StandingEnd | undefined
  return (read, nowMs) => {
    isSeenActive ||= saysActive(read)
    standing = standingAfter(standing, read, nowMs)
    if (standing === undefined) return false
    if (isSeenActive && nowMs - answeredAtMs >= STANDING_MS && !isSameEnd(read, before)) return true
    return hasStood(standing)
  }
}

/** Whether the turn of a message is seen. No final state counts as its end before that. */
async function awaitBegin(jobId: string, watch: JobWatch): Promise<boolean> {
  const read = await watch.poll(jobId, saysActive, { nextMs: nextTurnPollMs, withinMs: TURN_START_MS })
  if (read !== undefined) watch.note('The agent has begun this follow-up.')
  return read !== undefined
}

/**
 * A prompt whose fate is unknown was taken if its turn is seen. That somebody archived the job proves nothing, and whatever
 * ends the reading, a cancelled run included, leaves the fate as it was.
 * @throws the fate
 */
async function lookUp(fate: ActionError, before: Job, watch: JobWatch): Promise<void> {
  watch.note('It is not known whether the service accepted the prompt. The step looks whether the agent begins it.')
  const isTaken =
    !isRunning(before) &&
    (await awaitBegin(before.id, watch).catch((error: unknown) => {
      if (error instanceof ActionError) return false
      throw error
    }))
  if (!isTaken) throw fate
}

/** Waits for the end of the turn. A read that contradicts an end while its link is awaited reopens the question. */
async function awaitEnd(
  jobId: string,
  isEnd: ReturnType<typeof endOfTurn>,
  watch: JobWatch,
): Promise<JobEnd | undefined> {
  const { clock } = watch.step
  const isEndNow = (read: Job): boolean => isEnd(read, clock.now())
  // An end that has to stand is read at the pace of a turn's beginning.
  const nextMs: typeof nextPollMs = (...now) => {
    const { job } = watch.reads
    return job && !isRunning(job) ? nextTurnPollMs(...now) : nextPollMs(...now)
  }
  let ended = await watch.poll(jobId, isEndNow, { nextMs })
  while (ended !== undefined) {
    const settled = await settleEnd(ended, watch)
    if (settled === undefined || 'kind' in settled) return settled
    ended = isEndNow(settled) ? settled : await watch.poll(jobId, isEndNow, { nextMs })
  }
  return undefined
}

interface Sent {
  readonly kind: 'sent'
  /** The response, or why it is not known whether the service accepted the prompt. */
  readonly response: Job | ActionError
  /** The pull request of the job, as it was read last before the prompt. */
  readonly head: HeadBefore | undefined
}

/** Sends the prompt. After a rate limit, sends it again only if it may still be sent. */
async function send(prompt: string, target: Target, prepared: Send, watch: JobWatch): Promise<Sent | Stop> {
  const { client, journal } = watch.step
  journal.updateTurn({ kind: 'sending', ...watch.reads })
  let basis = prepared
  let stop = undefined as Stop | undefined
  const recheck = async (): Promise<void> => {
    const decision = await recheckBeforeSend(basis, target, watch)
    if (decision.kind === 'send') basis = decision
    else throw (stop = decision).error
  }
  try {
    const response = await client.sendMessage(prepared.before.id, prompt, recheck)
    return { kind: 'sent', response, head: basis.head }
  } catch (error) {
    if (stop !== undefined) return stop
    // The prompt may have been accepted without a response.
    return { kind: 'sent', response: rethrowFatal(error, 'unknown-fate'), head: basis.head }
  }
}

/**
 * Sends a prompt to a job (section 4.2) that was prepared for it, and waits for the end of its turn.
 * @returns `stop` if the prompt had to wait and may not be sent any more
 */
export async function followUp(
  prompt: string,
  target: Target,
  prepared: Send,
  watch: JobWatch,
): Promise<TurnEnd | Stop> {
  const { step } = watch
  const { clock, inputs, journal } = step
  const { before } = prepared
  const sent = await send(prompt, target, prepared, watch)
  if (sent.kind === 'stop') return sent
  const { response: answer } = sent
  const answeredAtMs = clock.now()
  // The last look may have seen a newer one.
  const head = sent.head && { ...sent.head, ...journal.heads.newest(sent.head) }
  const isAnsweredActive = !(answer instanceof ActionError) && saysActive(answer)
  if (answer instanceof ActionError) {
    journal.updateTurn({ kind: 'delivery-unknown', ...watch.reads })
    await lookUp(answer, before, watch)
    journal.updateTurn({ kind: 'accepted', ...watch.reads, job: watch.reads.job ?? before, isConfirmed: true })
    writeMilestone(step)
  } else {
    watch.accept(answer, false)
    if (!inputs.wait) return { kind: 'submitted', job: answer, isConfirmed: false }
    const hasBegun = isAnsweredActive || (await awaitBegin(before.id, watch))
    if (!hasBegun) return { kind: 'unconfirmed', job: watch.reads.job ?? answer }
    journal.updateTurn({ kind: 'accepted', ...watch.reads, job: watch.reads.job ?? answer, isConfirmed: true })
  }
  if (!inputs.wait) return { kind: 'submitted', job: watch.reads.job ?? before, isConfirmed: true }

  const isEnd = endOfTurn(before, answeredAtMs, !isAnsweredActive)
  const end = await awaitEnd(before.id, isEnd, watch)
  return end === undefined ? { kind: 'timed-out', ...watch.reads } : compareHeads(end, before, head, step)
}
