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
const MAX_TIMER_MS = 2 ** 30

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
    for (let left = ms; left > 0; left -= MAX_TIMER_MS) {
      await timer(Math.min(left, MAX_TIMER_MS), signal)
    }
  },
  async turn() {
    // From within what the loop has just read, the first comes before anything more is read, and the second after it.
    await immediate()
    await immediate()
  },
}

/** The pause before the next read, in milliseconds, after so many reads and pauses; undefined if there is to be none. */
export type NextPauseMs = (pauses: number) => number | undefined

/** Reads until an answer will do, or no pause is left: the last answer counts, whatever it is. */
export async function pollUntil<T>(
  read: () => Promise<T>,
  willDo: (answer: T) => boolean,
  nextPauseMs: NextPauseMs,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  for (let pauses = 0; ; pauses++) {
    const answer = await read()
    const ms = willDo(answer) ? undefined : nextPauseMs(pauses)
    if (ms === undefined) return answer
    await clock.sleep(ms, signal)
  }
}

/**
 * @param pausesMs each after another read
 * @param endsAt on the clock's scale: a pause that would reach it is none; a function for an end that may move
 */
export function pausesBefore(pausesMs: readonly number[], endsAt: number | (() => number), clock: Clock): NextPauseMs {
  return (pauses) => {
    const ms = pausesMs[pauses] ?? Infinity
    return clock.now() + ms < (typeof endsAt === 'number' ? endsAt : endsAt()) ? ms : undefined
  }
}
