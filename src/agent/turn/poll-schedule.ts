/** Returns how long to wait between two reads. */
import type { Step } from '../../action/step.ts'
import type { NextPauseMs } from '../../runtime/clock.ts'

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

/** The turn of a follow-up may be short, and its end must be stable, so the job is read more often. */
const FIRST_TURN_PAUSE_MS = 2_000
const MAX_TURN_PAUSE_MS = 5_000
const TURN_PAUSE_GROWTH = 1.25

/** Returns the delay before the next read in milliseconds, while the start of a turn or a stable end is awaited. */
export function getTurnPollDelayMs(fixedMs: number | undefined, { reads, minDelayMs }: PollState): number {
  const adaptiveMs = Math.min(FIRST_TURN_PAUSE_MS * TURN_PAUSE_GROWTH ** reads, MAX_TURN_PAUSE_MS)
  return Math.max(Math.min(adaptiveMs, fixedMs ?? Infinity), minDelayMs)
}

/** The pauses while the link or the commits of a completed job may lag. */
const SETTLE_PAUSES_MS = [1_000, 2_000, 3_000, 4_000, 5_000]
/** The link of a completed job may lag this long: five reads. */
export const LINK_LAG_MS = 15_000
/** The head of a pull request is read this long after a turn: four reads. */
const HEAD_LAG_MS = 10_000

/**
 * Returns the delay in milliseconds before the next read of the link of a completed job, or of the head of a pull request.
 * @param reads the number of reads so far
 */
export function getSettleDelayMs(reads: number): number {
  return SETTLE_PAUSES_MS[reads] ?? 5_000
}

/** Returns the delay in milliseconds before the next read of a link: the usual one after the first five reads. */
export function getLinkPollDelayMs(fixedMs: number | undefined, state: PollState): number {
  if (state.reads >= SETTLE_PAUSES_MS.length) return getPollDelayMs(fixedMs, state)
  return Math.max(getSettleDelayMs(state.reads), state.minDelayMs)
}

/** Creates the pauses between the reads of a pull request after a turn, as GitHub's replicas lag. */
export function createSettlePauses({ clock, deadlineAt }: Step): NextPauseMs {
  const endsAt = Math.min(clock.now() + HEAD_LAG_MS, deadlineAt)
  return (pauses) => (clock.now() >= endsAt ? undefined : Math.min(getSettleDelayMs(pauses), endsAt - clock.now()))
}
