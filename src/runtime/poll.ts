import type { Clock } from './clock.ts'

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
