/** Returns how long to wait between two reads. */

/** The service's replicas may lag this long: no read shows an older state. */
export const REPLICA_LAG_MS = 15_000

/** How long a turn may take to start, from the response to its prompt. */
export const TURN_START_TIMEOUT_MS = 120_000

const FIRST_PAUSE_MS = 10_000
const SHARE_OF_ELAPSED = 0.08
const MIN_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 10_000
const JITTER = 0.1

/** The progress of a wait. */
export interface PollState {
  /** Since the wait began, in milliseconds. */
  readonly elapsedMs: number
  /** The number of reads so far. */
  readonly reads: number
  /** The minimum delay in milliseconds: the last response's `Retry-After`, plus jitter after a rate limit. */
  readonly minDelayMs: number
  /** From 0 to 1. */
  readonly random: number
}

/**
 * Returns the delay before the next read of a job in milliseconds. No job ends before 10 s, so that is the first delay.
 * The next ones are 8% of the job's age, but at least 5 and at most 10 s. The mean lag until the end of a job is noticed is
 * then 5 to 28% above the optimum for the same number of requests; a long back-off has many times that lag. The jitter keeps
 * the jobs of a matrix from sending their requests at the same time.
 * @param fixedMs the interval of the input, if there is one
 */
export function getPollDelayMs(fixedMs: number | undefined, state: PollState): number {
  const { elapsedMs, reads, minDelayMs, random } = state
  const adaptiveMs =
    reads === 0 ? FIRST_PAUSE_MS : Math.min(Math.max(SHARE_OF_ELAPSED * elapsedMs, MIN_PAUSE_MS), MAX_PAUSE_MS)
  return Math.max(fixedMs ?? adaptiveMs * (1 + JITTER * (2 * random - 1)), minDelayMs)
}

const FIRST_TURN_PAUSE_MS = 2_000
const MAX_TURN_PAUSE_MS = 5_000
const TURN_PAUSE_GROWTH = 1.25

/** Returns the delay before the next read in milliseconds, while a job is read before a prompt. */
export function getTurnPollDelayMs(fixedMs: number | undefined, { reads, minDelayMs }: PollState): number {
  const adaptiveMs = Math.min(FIRST_TURN_PAUSE_MS * TURN_PAUSE_GROWTH ** reads, MAX_TURN_PAUSE_MS)
  return Math.max(Math.min(adaptiveMs, fixedMs ?? Infinity), minDelayMs)
}

const START_PAUSE_MS = 1_000
const FREQUENT_UNTIL_MS = 30_000
const LATE_START_PAUSE_MS = 3_000

/**
 * Returns the delay before the next read in milliseconds, while the start of a turn is awaited: a turn can be short, and one
 * that is never seen to run cannot be confirmed. So a fixed interval does not apply.
 */
export function getTurnStartDelayMs(_fixedMs: number | undefined, { elapsedMs, minDelayMs }: PollState): number {
  return Math.max(elapsedMs < FREQUENT_UNTIL_MS ? START_PAUSE_MS : LATE_START_PAUSE_MS, minDelayMs)
}

/** The pauses while the link of a completed job may lag. */
const LINK_PAUSES_MS = [1_000, 2_000, 3_000, 4_000, 5_000]

/** The link of a completed job may lag this long: five reads. */
export const LINK_LAG_MS = 15_000

/** Returns the delay in milliseconds before the next read of a link: the usual one after the first five reads. */
export function getLinkPollDelayMs(fixedMs: number | undefined, state: PollState): number {
  const pauseMs = LINK_PAUSES_MS[state.reads]
  return pauseMs === undefined ? getPollDelayMs(fixedMs, state) : Math.max(pauseMs, state.minDelayMs)
}
