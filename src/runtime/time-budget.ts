/** Limits how long work takes: timeouts, deadlines and shared budgets. */
import type { Clock } from './clock.ts'

interface Limits {
  readonly clock: Clock
  /** Aborts the work. */
  readonly signal: AbortSignal
  /** A function returns the remaining time, for a deadline that can move. */
  readonly timeoutMs: number | (() => number)
  /** Thrown after the timeout. */
  readonly timedOut: Error
}

/**
 * Runs work with a timeout. The timer is our own and keeps the event loop alive: the timeouts of undici and Octokit do
 * not cover everything that can hang, and some of them ignore the signal.
 * @param perform its signal aborts as soon as the work ends in any way, so that nothing keeps running
 * @throws `timedOut` after `timeoutMs`, or the reason of `signal` when it aborts
 */
export async function withDeadline<T>(
  perform: (end: AbortSignal) => Promise<T>,
  { clock, signal, timeoutMs, timedOut }: Limits,
): Promise<T> {
  const done = new AbortController()
  const end = AbortSignal.any([signal, done.signal])
  const expire = async (): Promise<never> => {
    if (typeof timeoutMs === 'number') await clock.sleep(Math.max(0, timeoutMs), end)
    else for (let leftMs = timeoutMs(); leftMs > 0; leftMs = timeoutMs()) await clock.sleep(leftMs, end)
    throw timedOut
  }
  try {
    return await Promise.race([perform(end), expire()])
  } finally {
    done.abort()
  }
}

/** The time at which requests end. */
export interface Deadline {
  /** A timestamp of `clock.now()`, in milliseconds. */
  readonly at: number
  /** Returns whether a wait for a rate limit may begin now. If so, this can move the deadline. */
  readonly allowWait: (ms: number) => boolean
}

/** @param deadline a number is a timestamp that never moves */
export function toDeadline(deadline: number | Deadline, clock: Clock): Deadline {
  if (typeof deadline !== 'number') return deadline
  return { at: deadline, allowWait: (ms) => clock.now() + ms < deadline }
}

/**
 * Time that several pieces of work share. Waits for rate limits do not count, but they must end before the step does.
 */
export class TimeBudget implements Deadline {
  /** In milliseconds. */
  readonly totalMs: number
  readonly #stepEndsAt: number
  readonly #clock: Clock
  #leftMs: number
  /** When the current work began, plus all waits that do not count. Undefined while no work runs. */
  #since: number | undefined
  /** When the last of these waits ends. Several requests can wait at the same time. */
  #waitsUntil = -Infinity

  constructor(totalMs: number, stepEndsAt: number, clock: Clock) {
    this.totalMs = totalMs
    this.#leftMs = totalMs
    this.#stepEndsAt = stepEndsAt
    this.#clock = clock
  }

  get at(): number {
    return Math.min((this.#since ?? this.#clock.now()) + this.#leftMs, this.#stepEndsAt)
  }

  readonly allowWait = (ms: number): boolean => {
    const now = this.#clock.now()
    const endsAt = now + ms
    if (endsAt >= this.#stepEndsAt) return false
    const uncountedMs = endsAt - Math.max(now, this.#waitsUntil)
    if (this.#since !== undefined) this.#since += Math.max(0, uncountedMs)
    this.#waitsUntil = Math.max(this.#waitsUntil, endsAt)
    return true
  }

  /**
   * Returns a deadline for a part of the work, which starts now. Allowed waits extend it, as they extend the budget.
   * @param ms the time that the part may take, without waits
   */
  limit(ms: number): Deadline {
    const getBudgetEnd = (): number => this.at
    let endsAt = this.#clock.now() + ms
    return {
      get at() {
        return Math.min(endsAt, getBudgetEnd())
      },
      allowWait: (waitMs) => {
        const isAllowed = this.allowWait(waitMs)
        if (isAllowed) endsAt += waitMs
        return isAllowed
      },
    }
  }

  /** Runs work and subtracts its time from the budget. Nested work counts once. */
  async spend<T>(work: () => Promise<T>): Promise<T> {
    if (this.#since !== undefined) return work()
    this.#since = this.#clock.now()
    try {
      return await work()
    } finally {
      this.#leftMs -= Math.max(0, this.#clock.now() - this.#since)
      this.#since = undefined
    }
  }
}
