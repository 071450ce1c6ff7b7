const HOUR_MS = 3_600_000

type Slot = { readonly kind: 'taken' } | { readonly kind: 'full'; readonly retryAfterMs: number }

interface RateLimiter {
  /** Takes one of the hour's requests for `bucket`, or tells how long to wait for the next one, in milliseconds. */
  take(bucket: string, nowMs: number): Slot
}

/** At most `requestsPerHour` in any 60 minutes, for each bucket by itself. Refused requests cost nothing. */
export function createRateLimiter(requestsPerHour: number): RateLimiter {
  const takenAtMs = new Map<string, number[]>()
  return {
    take(bucket, nowMs) {
      const recent = (takenAtMs.get(bucket) ?? []).filter((atMs) => atMs > nowMs - HOUR_MS)
      takenAtMs.set(bucket, recent)
      if (recent.length >= requestsPerHour) {
        return { kind: 'full', retryAfterMs: (recent[0] ?? nowMs) + HOUR_MS - nowMs }
      }
      recent.push(nowMs)
      return { kind: 'taken' }
    },
  }
}
