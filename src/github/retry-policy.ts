/** A rate limit is waited for this often in one request; one that comes back again and again is not going to end. */
const MOST_RATE_LIMIT_WAITS = 3

/**
 * Whether a request that hit one of GitHub's rate limits may wait for its end. GitHub says in seconds how long that takes;
 * a wait that does not end before the deadline is pointless from its start.
 */
export function mayWaitForRateLimit(retryAfterSeconds: number, retryCount: number, leftMs: number): boolean {
  return retryCount < MOST_RATE_LIMIT_WAITS && retryAfterSeconds * 1000 < leftMs
}
