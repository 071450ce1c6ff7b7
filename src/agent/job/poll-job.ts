import { comeBackMs, giveWayMs, ReadAgain } from '../../docs-service/retry.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import { nextPollMs, type PollState } from './poll-schedule.ts'

interface PollPlan {
  readonly jobId: string
  /** What to wait for. */
  readonly isFound: (job: Job) => boolean
  /** In place of the usual time to the next read, in milliseconds. */
  readonly nextMs?: typeof nextPollMs
  /** The last read is at this time, on the clock's scale; by default at the deadline. */
  readonly endsAt?: number
  /** Whether to give up if the service asks for patience past `endsAt`. */
  readonly endsOnLongWait?: boolean
  /** Otherwise after the first pause, as the job was just read. */
  readonly readsAtOnce?: true
  /** Until this time a job that is not found counts as not there yet. */
  readonly mayBeMissingUntil?: number | undefined
}

/** Reads the job again and again; gives what was waited for, or undefined if the time ran out. */
export type PollJob = (plan: PollPlan) => Promise<Job | undefined>

/** What hears of each read, and of the time between two if it has something to say then. */
interface Listener {
  observe(job: Job): void
  observeProblem(problem: ActionError): void
  untilHeartbeatMs?(): number
  beat?(): void
}

/** One poller serves a whole step, since answers that make no sense count in a row. */
export function createPoller(step: AgentStep, history: Listener): PollJob {
  const { pollIntervalMs: fixedMs } = step.inputs
  const { client, clock, signal, random, deadlineAt } = step
  const again = new ReadAgain(step)

  /** @throws ActionError if no further read could help */
  async function read({ jobId, endsAt = deadlineAt, mayBeMissingUntil = 0 }: PollPlan): Promise<Job | ActionError> {
    const seen = await again.attempt(() => client.getJob(jobId, endsAt), clock.now() < mayBeMissingUntil)
    if (seen instanceof ActionError) history.observeProblem(seen)
    else history.observe(seen)
    return seen
  }

  /** How long the service is to be left alone, and how long others are to be let past. Neither happens to a step that is alone. */
  function holdBack(
    seen: Job | ActionError | undefined,
    retryAfterMs: number,
  ): Pick<PollState, 'waitMs' | 'giveWayMs'> {
    const refusals = client.refusals()
    if (!(seen instanceof ActionError)) return { waitMs: 0, giveWayMs: giveWayMs(refusals, random()) }
    const refused = { retryAfterMs, refusals, leftMs: deadlineAt - clock.now() }
    const waitMs = seen.code === 'rate-limited' ? comeBackMs(refused, random()) : retryAfterMs
    return { waitMs, giveWayMs: 0 }
  }

  async function pause(ms: number): Promise<void> {
    const endsAt = clock.now() + ms
    for (let leftMs = ms; leftMs > 0; leftMs = endsAt - clock.now()) {
      await clock.sleep(Math.min(leftMs, history.untilHeartbeatMs?.() ?? Infinity), signal)
      history.beat?.()
    }
  }

  return async (plan) => {
    const startedAt = clock.now()
    const { nextMs = nextPollMs, endsAt = deadlineAt } = plan
    let seen = plan.readsAtOnce ? await read(plan) : undefined
    for (let reads = 0; ; reads++) {
      if (seen !== undefined && !(seen instanceof ActionError) && plan.isFound(seen)) return seen
      const now = clock.now()
      if (now >= endsAt) return undefined
      const retryAfterMs = seen instanceof ActionError ? again.patienceMs(seen) : 0
      if (plan.endsOnLongWait === true && now + retryAfterMs > endsAt) return undefined
      const state = { elapsedMs: now - startedAt, reads, random: random(), ...holdBack(seen, retryAfterMs) }
      await pause(Math.max(retryAfterMs, Math.min(nextMs(fixedMs, state), endsAt - now)))
      seen = await read(plan)
    }
  }
}
