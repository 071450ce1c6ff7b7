const HOUR_MS = 3_600_000

/**
 * Allows `requestsPerHour` in any 60 minutes for each bucket. The returned function counts a request and returns 0, or returns
 * how many milliseconds to wait. Refused requests are not counted.
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
