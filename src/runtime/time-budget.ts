import type { Clock } from './clock.ts'

interface Limits {
  readonly clock: Clock
  /** Ends the work with its reason. */
  readonly signal: AbortSignal
  /** A function gives what is left of a time that may be extended. */
  readonly timeoutMs: number | (() => number)
  /** What the time ends with. */
  readonly timedOut: Error
}

/**
 * Ends work that would hang. The timer is our own and holds the event loop: what undici and Octokit limit does not cover every
 * place that can hang, and some of their timers hear of no signal.
 * @param perform its signal aborts as soon as the work ends, however it ends, so that nothing is left behind
 * @throws `timedOut` after `timeoutMs`, and the reason of `signal` once it aborts
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

/** When requests have to end. */
export interface Deadline {
  /** On the clock's scale, in milliseconds. */
  readonly at: number
  /** Whether a wait for a rate limit that begins now may be made. The deadline may move by it. */
  readonly allowWait: (ms: number) => boolean
}

/** @param deadline a number is a time on the clock's scale, which nothing moves */
export function toDeadline(deadline: number | Deadline, clock: Clock): Deadline {
  if (typeof deadline !== 'number') return deadline
  return { at: deadline, allowWait: (ms) => clock.now() + ms < deadline }
}

/** Time that pieces of work have together. Waits that a server asks for are not taken from it; they end with the step. */
export class TimeBudget implements Deadline {
  /** In milliseconds. */
  readonly totalMs: number
  readonly #stepEndsAt: number
  readonly #clock: Clock
  #leftMs: number
  /** When the present work began, later by all waits that are not counted. Undefined between two pieces of work. */
  #since: number | undefined
  /** When the last of these waits ends: several requests may wait at once. */
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

  /** A deadline for a part of the work, which begins now and may take so long. */
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

  /** Takes the time that the work needs from the budget; what is done inside of other work is counted once. */
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
