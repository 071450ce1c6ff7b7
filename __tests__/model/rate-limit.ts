/** A limit for all requests under one key. */
export interface LimitPlan {
  /** A window begins anew at fixed times; a bucket fills up evenly. */
  readonly kind: 'window' | 'bucket'
  /** One request is allowed in this time, in milliseconds, on the average. */
  readonly everyMs: number
  /** So many at once: all of a window, or what fits into the bucket. */
  readonly burst: number
  /** Whether a refusal says how long to wait; or what it says in any case, in milliseconds. */
  readonly retryAfter: boolean | number
}

type Slot = { readonly isFree: true } | { readonly isFree: false; readonly retryAfterMs: number | undefined }

/** The seconds of a header, which are whole. */
const inWholeSeconds = (ms: number): number => Math.ceil(ms / 1_000) * 1_000

/** Takes one request at a time, in milliseconds, that must not go backwards. */
export function createLimit({ kind, everyMs, burst, retryAfter }: LimitPlan): (nowMs: number) => Slot {
  const windowMs = everyMs * burst
  let left = burst
  let countedAt = 0
  return (nowMs) => {
    const windowAt = Math.floor(nowMs / windowMs) * windowMs
    if (kind === 'bucket') left = Math.min(burst, left + (nowMs - countedAt) / everyMs)
    else if (windowAt > countedAt) left = burst
    countedAt = kind === 'bucket' ? nowMs : windowAt
    if (left >= 1) {
      left--
      return { isFree: true }
    }
    const freeInMs = kind === 'bucket' ? (1 - left) * everyMs : windowAt + windowMs - nowMs
    if (typeof retryAfter === 'number') return { isFree: false, retryAfterMs: retryAfter }
    return { isFree: false, retryAfterMs: retryAfter ? inWholeSeconds(freeInMs) : undefined }
  }
}
