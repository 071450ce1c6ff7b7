import { comeBackMs, createTryRead, giveWayMs, patienceMs } from '../../docs-service/retry.ts'
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

  /** How long the service is to be left alone, and how long others are to be let past. Neither happens to a step that is alone. */
  function holdBack(problem: ActionError | undefined, retryAfterMs: number) {
    const refusals = client.refusals()
    if (problem === undefined) return { waitMs: 0, giveWayMs: giveWayMs(refusals, random()) }
    if (problem.code !== 'rate-limited') return { waitMs: retryAfterMs, giveWayMs: 0 }
    const waitMs = comeBackMs(problem, { refusals, leftMs: deadlineAt - clock.now(), random: random() })
    return { waitMs, giveWayMs: 0 }
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
      const state = { elapsedMs: now - startedAt, reads, random: random(), ...holdBack(problem, retryAfterMs) }
      await listener.sleep(Math.max(retryAfterMs, Math.min(nextMs(inputs.pollIntervalMs, state), endsAt - now)))
      seen = await read()
    }
  }
}
