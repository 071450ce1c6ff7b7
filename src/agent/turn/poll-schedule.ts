import type { Step } from '../../action/step.ts'
import type { NextPauseMs } from '../../runtime/clock.ts'

const FIRST_MS = 10_000
const SHARE_OF_ELAPSED = 0.08
const MIN_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 10_000
const JITTER = 0.1

/** How far the waiting has come. */
export interface PollState {
  /** Since the waiting began, in milliseconds. */
  readonly elapsedMs: number
  /** How many reads there were before. */
  readonly reads: number
  /** The least time, in milliseconds: the last response's `Retry-After`, and the jitter after a refusal. */
  readonly minDelayMs: number
  /** From 0 to 1. */
  readonly random: number
}

/**
 * The time to the next read, in milliseconds. First 10 s, as no job ends before; then 8 % of the job's age within 5 and
 * 10 s. A job of any length is then found done within 5 to 28 % more than the least mean lag that the same number of
 * requests could reach, while long back-off costs many times that. The jitter keeps a matrix of jobs from asking in step.
 * @param fixedMs the interval that the user asked for, in milliseconds
 */
export function nextPollMs(fixedMs: number | undefined, state: PollState): number {
  const { elapsedMs, reads, minDelayMs, random } = state
  const ownMs = reads === 0 ? FIRST_MS : Math.min(Math.max(SHARE_OF_ELAPSED * elapsedMs, MIN_PAUSE_MS), MAX_PAUSE_MS)
  return Math.max(fixedMs ?? ownMs * (1 + JITTER * (2 * random - 1)), minDelayMs)
}

/** Around a follow-up the job is read more often: the turn may be short, and its end has to be seen to stand. */
const TURN_FIRST_MS = 2_000
const TURN_LONGEST_MS = 5_000
const TURN_GROWTH = 1.25

/** The time to the next read for the beginning of a turn, or for an end that has to stand, in milliseconds. */
export function nextTurnPollMs(fixedMs: number | undefined, { reads, minDelayMs }: PollState): number {
  const plainMs = Math.min(TURN_FIRST_MS * TURN_GROWTH ** reads, TURN_LONGEST_MS)
  return Math.max(Math.min(plainMs, fixedMs ?? Infinity), minDelayMs)
}

/** The pauses of the reads for what a completed job leaves behind. */
const SETTLE_READS_MS = [1_000, 2_000, 3_000, 4_000, 5_000]
/** How long the link of a completed job may lag: five reads. */
export const LINK_LAG_MS = 15_000
/** How long the head of a pull request is read after a turn: four reads. */
const SETTLE_MS = 10_000

/**
 * The time to the next read for the link of a completed job, or for a head that moved, in milliseconds.
 * @param reads how many there were before
 */
export function nextSettlePollMs(reads: number): number {
  return SETTLE_READS_MS[reads] ?? 5_000
}

/** The time to the next read for the link of a completed job, in milliseconds: at the usual pace if the first reads failed. */
export function nextLinkPollMs(fixedMs: number | undefined, state: PollState): number {
  if (state.reads >= SETTLE_READS_MS.length) return nextPollMs(fixedMs, state)
  return Math.max(nextSettlePollMs(state.reads), state.minDelayMs)
}

/** The same for what GitHub's copies may lag behind with. */
export function settlePauses({ clock, deadlineAt }: Step): NextPauseMs {
  const endsAt = Math.min(clock.now() + SETTLE_MS, deadlineAt)
  return (pauses) => (clock.now() >= endsAt ? undefined : Math.min(nextSettlePollMs(pauses), endsAt - clock.now()))
}
