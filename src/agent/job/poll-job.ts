import { createTryRead, getRateLimitDelayMs, patienceMs } from '../../docs-service/retry.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import { nextPollMs } from './poll-schedule.ts'

/** How to wait. */
interface PollPlan {
  /** In place of the usual time to the next read, in milliseconds. */
  readonly nextMs?: typeof nextPollMs
  /** The last read is after this time, in milliseconds, and at the deadline at the latest. */
  readonly withinMs?: number
  /** Whether to give up if the service asks for patience past the last read. */
  readonly endsOnLongWait?: true
  /** Otherwise after the first pause, as the job was just read. */
  readonly readsAtOnce?: true
  /** Until this time a job that is not found counts as not there yet. */
  readonly mayBeMissingUntil?: number | undefined
}

/** Reads the job again and again; gives what was waited for, or undefined if the time ran out. */
export type PollJob = (jobId: string, isFound: (job: Job) => boolean, plan?: PollPlan) => Promise<Job | undefined>

interface Listener {
  /** Hears of each read: a problem will be tried again. */
  observe(read: Job | ActionError): void
  /** Makes the pause between two reads. */
  sleep(ms: number): Promise<void>
}

/** One poller serves a whole step, since answers that make no sense count in a row. */
export function createPoller(step: AgentStep, listener: Listener): PollJob {
  const { client, clock, signal, random, deadlineAt, inputs } = step
  const tryRead = createTryRead(signal)

  /** The least time until the next read, in milliseconds. */
  function getMinDelayMs(problem: ActionError | undefined, retryAfterMs: number): number {
    if (problem?.code !== 'rate-limited') return retryAfterMs
    const leftMs = deadlineAt - clock.now()
    return getRateLimitDelayMs(problem, { refusals: client.refusals(), leftMs, random: random() })
  }

  return async (jobId, isFound, { nextMs = nextPollMs, withinMs = Infinity, mayBeMissingUntil = 0, ...plan } = {}) => {
    const startedAt = clock.now()
    const endsAt = Math.min(startedAt + withinMs, deadlineAt)
    const read = async (): Promise<Job | ActionError> => {
      const seen = await tryRead(() => client.getJob(jobId, endsAt), clock.now() < mayBeMissingUntil)
      listener.observe(seen)
      return seen
    }
    let seen = plan.readsAtOnce ? await read() : undefined
    for (let reads = 0; ; reads++) {
      const [job, problem] = seen instanceof ActionError ? [undefined, seen] : [seen, undefined]
      if (job !== undefined && isFound(job)) return job
      const now = clock.now()
      if (now >= endsAt) return undefined
      const retryAfterMs = problem === undefined ? 0 : patienceMs(problem, clock, deadlineAt)
      if (plan.endsOnLongWait && now + retryAfterMs > endsAt) return undefined
      const state = {
        elapsedMs: now - startedAt,
        reads,
        random: random(),
        minDelayMs: getMinDelayMs(problem, retryAfterMs),
      }
      await listener.sleep(Math.max(retryAfterMs, Math.min(nextMs(inputs.pollIntervalMs, state), endsAt - now)))
      seen = await read()
    }
  }
}
