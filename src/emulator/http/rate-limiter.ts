const HOUR_MS = 3_600_000

/**
 * At most `requestsPerHour` in any 60 minutes, for each bucket by itself. Gives a function that takes one, and tells 0, or
 * how long to wait for the next one, in milliseconds. Refused requests cost nothing.
 */
export function createRateLimiter(requestsPerHour: number): (bucket: string, nowMs: number) => number {
  const takenAtMs = new Map<string, number[]>()
  return (bucket, nowMs) => {
    const recent = (takenAtMs.get(bucket) ?? []).filter((atMs) => atMs > nowMs - HOUR_MS)
    takenAtMs.set(bucket, recent)
    if (recent.length >= requestsPerHour) return (recent[0] ?? nowMs) + HOUR_MS - nowMs
    recent.push(nowMs)
    return 0
  }
}
