import type { DocsServiceClient } from '../../service/client.ts'
import { isPassingReadError } from '../../service/retry.ts'
import type { Job } from '../../service/schemas.ts'
import type { Clock } from '../../shared/clock.ts'
import { ActionError } from '../../shared/errors.ts'
import type { JobHistory } from './job-history.ts'
import type { Look, Pace } from './poll-schedule.ts'

export interface PollPlan {
  readonly jobId: string
  /** What to look for. */
  readonly isFound: (job: Job) => boolean
  /** The time to the next look, in milliseconds. */
  readonly nextLookMs: (pace: Pace, look: Look) => number
  /** The last look is at this time, on the clock's scale. */
  readonly endsAt: number
  /** Whether to give up where the service asks for patience past `endsAt`. */
  readonly isHurried?: boolean
  /** Where the job was just read, the first look comes after the first pause. */
  readonly looksAtOnce: boolean
  /** Until this time a job that is not found counts as not there yet. */
  readonly youngUntil?: number | undefined
}

export interface PollPorts {
  readonly client: DocsServiceClient
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly random: () => number
  readonly history: JobHistory
  /** Of the whole step, on the clock's scale. */
  readonly deadlineAt: number
  readonly pollIntervalMs: number | undefined
}

/** Looks at the job again and again; gives what was looked for, or undefined where the time ran out. */
export type PollJob = (plan: PollPlan) => Promise<Job | undefined>

/** One poller serves a whole step, since a rate limit slows down all that comes after it. */
export function createPoller(ports: PollPorts): PollJob {
  const { client, clock, signal, random, history, deadlineAt } = ports
  let pace: Pace = { fixedMs: ports.pollIntervalMs, timesLimited: 0 }
  let badAnswersInARow = 0

  /** @throws ActionError where no further look could help */
  async function look({ jobId, endsAt, youngUntil = 0 }: PollPlan): Promise<Job | ActionError> {
    try {
      const job = await client.getJob(jobId, endsAt)
      badAnswersInARow = 0
      history.observe(job)
      return job
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      signal.throwIfAborted()
      badAnswersInARow = error.code === 'bad-answer' ? badAnswersInARow + 1 : 0
      if (!isPassingReadError(error, { badAnswersInARow, isYoung: clock.now() < youngUntil })) throw error
      if (error.code === 'rate-limited') pace = { ...pace, timesLimited: pace.timesLimited + 1 }
      history.observeProblem(error)
      return error
    }
  }

  async function pause(ms: number): Promise<void> {
    const endsAt = clock.now() + ms
    for (let leftMs = ms; leftMs > 0; leftMs = endsAt - clock.now()) {
      await clock.sleep(Math.min(leftMs, history.untilHeartbeatMs()), signal)
      history.beat()
    }
  }

  /** @throws ActionError where the service asks for more time than the step has */
  function patience(seen: Job | ActionError | undefined): number {
    const retryAfterMs = (seen instanceof ActionError ? seen.retryAfterMs : undefined) ?? 0
    if (clock.now() + retryAfterMs <= deadlineAt) return retryAfterMs
    const until = new Date(clock.wallTime().getTime() + retryAfterMs).toISOString()
    throw new ActionError(
      'rate-limited',
      `The service asks not to be asked before ${until}, which is after this step's deadline.`,
      {
        hint: 'Allow more time in `timeout-minutes`, or run fewer jobs at once.',
      },
    )
  }

  return async (plan) => {
    const startedAt = clock.now()
    let seen = plan.looksAtOnce ? await look(plan) : undefined
    for (let looks = 0; ; looks++) {
      if (seen !== undefined && !(seen instanceof ActionError) && plan.isFound(seen)) return seen
      const now = clock.now()
      if (now >= plan.endsAt) return undefined
      const retryAfterMs = patience(seen)
      if (plan.isHurried && now + retryAfterMs > plan.endsAt) return undefined
      const nextMs = plan.nextLookMs(pace, { elapsedMs: now - startedAt, looks, retryAfterMs, random: random() })
      await pause(Math.max(retryAfterMs, Math.min(nextMs, plan.endsAt - now)))
      seen = await look(plan)
    }
  }
}
