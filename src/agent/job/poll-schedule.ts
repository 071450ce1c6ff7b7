/** How often to look at a job. The lag of a poll and the number of requests trade against each other. */
export interface Pace {
  /** A fixed interval that the user asked for, in milliseconds. */
  readonly fixedMs: number | undefined
  /** How often the service has said that this is too fast. */
  readonly timesLimited: number
}

const FIRST_MS = 10_000
const SHARE_OF_ELAPSED = 0.08
const SHORTEST_MS = 5_000
const LONGEST_MS = 10_000
/** No amount of rate limiting makes the upper bound longer than this. */
const LONGEST_WHEN_LIMITED_MS = 60_000
const JITTER = 0.1

export interface Look {
  /** Since the waiting began, in milliseconds. */
  readonly elapsedMs: number
  /** How many there were before. */
  readonly looks: number
  /** What the service asked for in its last answer, in milliseconds: a floor. */
  readonly retryAfterMs: number
  /** From 0 to 1. */
  readonly random: number
}

function slowedDown(ms: number, timesLimited: number): number {
  return Math.min(ms * 2 ** timesLimited, Math.max(ms, LONGEST_WHEN_LIMITED_MS))
}

/**
 * The time to the next look, in milliseconds. First 10 s, as no job ends before; then 8 % of the job's age within 5 and
 * 10 s. A job of any length is then found done within 14 to 27 % more than the least mean lag that the same number of
 * requests could reach, while long back-off costs many times that. The jitter keeps a matrix of jobs from asking in step.
 * The upper bound doubles with each rate limit and stays there.
 */
export function nextLookMs({ fixedMs, timesLimited }: Pace, { elapsedMs, looks, retryAfterMs, random }: Look): number {
  if (fixedMs !== undefined) return Math.max(slowedDown(fixedMs, timesLimited), retryAfterMs)
  const longestMs = slowedDown(LONGEST_MS, timesLimited)
  const plainMs = looks === 0 ? FIRST_MS : Math.min(Math.max(SHARE_OF_ELAPSED * elapsedMs, SHORTEST_MS), longestMs)
  return Math.max(plainMs * (1 + JITTER * (2 * random - 1)), retryAfterMs)
}

/** Right after a follow-up the job is looked at more often, since the turn that begins may be short. */
const FOLLOW_UP_FIRST_MS = 2_000
const FOLLOW_UP_LONGEST_MS = 5_000
const FOLLOW_UP_GROWTH = 1.25

/** The time to the next look for the beginning of a turn, in milliseconds. */
export function nextTurnLookMs({ fixedMs }: Pace, { looks, retryAfterMs }: Look): number {
  const plainMs = Math.min(FOLLOW_UP_FIRST_MS * FOLLOW_UP_GROWTH ** looks, FOLLOW_UP_LONGEST_MS)
  return Math.max(Math.min(plainMs, fixedMs ?? Infinity), retryAfterMs)
}

/** How long the link of a completed job may lag behind its status: three looks within 6 s. */
const LINK_LOOKS_MS = [1_000, 2_000, 3_000]
export const LINK_LAG_MS = 6_000

/** The time to the next look for the link of a completed job, in milliseconds. */
export function nextLinkLookMs(_pace: Pace, { looks, retryAfterMs }: Look): number {
  return Math.max(LINK_LOOKS_MS[looks] ?? LINK_LAG_MS, retryAfterMs)
}
