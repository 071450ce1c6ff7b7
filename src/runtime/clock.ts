/** The only source of time and sleep, so that everything else can be tested without waiting. */
export interface Clock {
  /** Returns a monotonic timestamp in milliseconds. Only differences are meaningful. */
  now(): number
  /** Returns the time of the wall clock, which can jump. */
  wallTime(): Date
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Yields to the event loop, which then handles process signals and timers that became due while it was busy. */
  yieldToEventLoop(): Promise<void>
}

export const DAY_MS = 86_400_000

/** Node fires a timer of 2^31 ms or more immediately, so long sleeps are split. */
const MAX_TIMER_MS = 2 ** 30

function startTimer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(handle)
      reject(signal?.reason as Error)
    }
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

const waitForImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const systemClock: Clock = {
  // `performance.now()` returns the same time, but its first use makes Node load nine modules.
  now: () => process.uptime() * 1000,
  wallTime: () => new Date(),
  async sleep(ms, signal) {
    signal?.throwIfAborted()
    for (let remainingMs = ms; remainingMs > 0; remainingMs -= MAX_TIMER_MS) {
      await startTimer(Math.min(remainingMs, MAX_TIMER_MS), signal)
    }
  },
  async yieldToEventLoop() {
    // In an I/O callback, the first `setImmediate` fires before the next poll phase, and the second one after it.
    await waitForImmediate()
    await waitForImmediate()
  },
}

/**
 * Returns the pause before the next read in milliseconds, or `undefined` to stop.
 * @param pauses the number of pauses so far
 */
export type NextPauseMs = (pauses: number) => number | undefined

/** Reads until `isDone` accepts the result or no pause is left, and returns the last result. */
export async function pollUntil<T>(
  read: () => Promise<T>,
  isDone: (result: T) => boolean,
  getPauseMs: NextPauseMs,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  for (let pauses = 0; ; pauses++) {
    const result = await read()
    const ms = isDone(result) ? undefined : getPauseMs(pauses)
    if (ms === undefined) return result
    await clock.sleep(ms, signal)
  }
}
