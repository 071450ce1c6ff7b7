/** Limits how long work takes: the timeout of one piece of work, and the deadline of a step. */
import type { Clock } from './clock.ts'

interface Limits {
  readonly clock: Clock
  /** Aborts the work. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
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
    await clock.sleep(Math.max(0, timeoutMs), end)
    throw timedOut
  }
  try {
    return await Promise.race([perform(end), expire()])
  } finally {
    done.abort()
  }
}

/** For what is left to write when the deadline has passed. */
export const ENDING_MS = 30_000
/** For what is left to write when the run is cancelled: the runner kills a cancelled step after some seconds. */
const CANCELLED_ENDING_MS = 1_000

/** When requests end: at a time, or when the run is cancelled. */
export class Deadline {
  readonly #clock: Clock
  #at: number
  #signal: AbortSignal

  /**
   * @param at a timestamp of `clock.now()`
   * @param signal aborts when the run is cancelled
   */
  constructor(at: number, signal: AbortSignal, clock: Clock) {
    this.#at = at
    this.#signal = signal
    this.#clock = clock
  }

  /** A timestamp of `clock.now()`. Nothing is sent, awaited or retried after it. */
  get at(): number {
    return this.#at
  }

  /** Aborts when nothing may be sent or awaited anymore, because the run is cancelled. */
  get signal(): AbortSignal {
    return this.#signal
  }

  /** Returns how much time is left, in milliseconds. */
  getLeftMs(): number {
    return this.#at - this.#clock.now()
  }

  /** After a cancellation, makes requests possible again for one second, once. */
  resumeAfterCancel(): void {
    if (!this.#signal.aborted) return
    this.#signal = new AbortController().signal
    this.#at = this.#clock.now() + CANCELLED_ENDING_MS
  }
}
