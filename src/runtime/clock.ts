/** The only place that reads time or sleeps, so that everything else can be tested without waiting. */
export interface Clock {
  /** Monotonic time in milliseconds; only differences mean something. */
  now(): number
  /** The wall clock, for display only: it can jump. */
  wallTime(): Date
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Lets everything be heard that arrived while the loop was busy: the process's signals above all, and timers that are due. */
  turn(): Promise<void>
}

/** Node fires a timer of 2^31 ms or more at once, so long sleeps are cut into slices. */
const LONGEST_TIMER_MS = 2 ** 30

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
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

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const systemClock: Clock = {
  // `performance` is the same time, but the first use of it makes Node load nine modules, before the first request.
  now: () => process.uptime() * 1000,
  wallTime: () => new Date(),
  async sleep(ms, signal) {
    signal?.throwIfAborted()
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
      await timer(Math.min(left, LONGEST_TIMER_MS), signal)
    }
  },
  async turn() {
    // From within what the loop has just read, the first comes before anything more is read, and the second after it.
    await immediate()
    await immediate()
  },
}
