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
