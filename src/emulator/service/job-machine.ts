import type { JobStatus } from '../../docs-service/interface.ts'

/** A status that the interface does not list (section 3). If it is ever listed, the compiler asks for another one here. */
export const UNLISTED_STATUS = 'hibernating' satisfies Exclude<'hibernating', JobStatus>

/** `archived`: a user archives the job while the agent works on it. */
type TurnEnding = 'pull-request' | 'no-changes' | 'failed' | 'archived'

/** How the agent will process a prompt. All times are in milliseconds of the service's clock. */
export interface TurnPlan {
  /**
   * The time from a message to the start of its turn. Until then the job's state does not change. `Infinity`: the turn never
   * starts. Does not apply to a job's first turn.
   */
  readonly startDelayMs: number
  readonly durationMs: number
  readonly ending: TurnEnding
  /** When the agent pushes, relative to the turn's start. Default: once, at the end of a turn that ends with a pull request. */
  readonly pushesMs?: readonly number[]
  /** The time from the end of the turn until `prLink` is filled. */
  readonly linkDelayMs: number
  /** When the job reads `UNLISTED_STATUS`, relative to the turn's start. */
  readonly unlistedWhile: { readonly fromMs: number; readonly toMs: number } | undefined
}

/** One prompt, on which the agent works from `startsAtMs` until just before `endsAtMs`. */
export interface ScheduledTurn {
  readonly prompt: string
  readonly startsAtMs: number
  readonly endsAtMs: number
  readonly plan: TurnPlan
}

/** The complete history of a job, from which its state at any time is derived. */
export interface JobRecord {
  readonly id: string
  readonly projectId: string
  /** Where the agent opens the job's pull request, `owner/name`. */
  readonly repository: string
  readonly createdAtMs: number
  /** The number of the pull request that this job opens, if it opens one. */
  readonly pullNumber: number
  readonly turns: readonly [ScheduledTurn, ...ScheduledTurn[]]
}

export interface JobState {
  readonly status: JobStatus | typeof UNLISTED_STATUS
  readonly pullRequest: 'none' | 'linked'
  readonly archivedAtMs: number | undefined
}

const STATUS_AFTER: Readonly<Record<TurnEnding, JobStatus>> = {
  'pull-request': 'completed',
  'no-changes': 'completed',
  failed: 'failed',
  archived: 'archived',
}

/** The times of a turn's pushes, in milliseconds of the service's clock. */
export function getPushTimesMs({ startsAtMs, plan }: ScheduledTurn): readonly number[] {
  const { ending, durationMs, pushesMs = ending === 'pull-request' ? [durationMs] : [] } = plan
  return pushesMs.map((ms) => startsAtMs + ms)
}

export function planTurn(prompt: string, plan: TurnPlan, startsAtMs: number): ScheduledTurn {
  return { prompt, startsAtMs, endsAtMs: startsAtMs + plan.durationMs, plan }
}

/** The turns that have started, oldest first. No turn starts after the job was archived. */
export function listStartedTurns(job: JobRecord, nowMs: number): readonly ScheduledTurn[] {
  const started = job.turns.filter(({ startsAtMs }) => startsAtMs <= nowMs)
  const archiving = started.findIndex(({ plan, endsAtMs }) => plan.ending === 'archived' && endsAtMs <= nowMs)
  return archiving === -1 ? started : started.slice(0, archiving + 1)
}

/** The turns whose edits are in the pull request, oldest first. */
export function listPushedTurns(job: JobRecord, nowMs: number): readonly ScheduledTurn[] {
  return listStartedTurns(job, nowMs).filter(
    ({ plan, endsAtMs }) => plan.ending === 'pull-request' && endsAtMs <= nowMs,
  )
}

function getTurnStatus({ startsAtMs, endsAtMs, plan }: ScheduledTurn, nowMs: number): JobState['status'] {
  if (nowMs >= endsAtMs) return STATUS_AFTER[plan.ending]
  const elapsedMs = nowMs - startsAtMs
  const { unlistedWhile } = plan
  return unlistedWhile !== undefined && elapsedMs >= unlistedWhile.fromMs && elapsedMs < unlistedWhile.toMs
    ? UNLISTED_STATUS
    : 'active'
}

/**
 * A job's state at a time (sections 2.1 and 3). The link is null while the agent works, and if no file was changed.
 * A job has one pull request, to which later turns push.
 */
export function getJobState(job: JobRecord, nowMs: number): JobState {
  const turn = listStartedTurns(job, nowMs).at(-1) ?? job.turns[0]
  const status = getTurnStatus(turn, nowMs)
  const isWorking = nowMs < turn.endsAtMs
  const pushed = listPushedTurns(job, nowMs).at(-1)
  const isLinked = !isWorking && pushed !== undefined && nowMs >= pushed.endsAtMs + pushed.plan.linkDelayMs
  return {
    status,
    pullRequest: isLinked ? 'linked' : 'none',
    archivedAtMs: status === 'archived' ? turn.endsAtMs : undefined,
  }
}

/**
 * Returns the job after a message (section 4.2). A message to an active job waits until its current turn has ended. An
 * archived job accepts no message.
 */
export function sendMessage(job: JobRecord, prompt: string, plan: TurnPlan, nowMs: number): JobRecord | 'archived' {
  if (getJobState(job, nowMs).status === 'archived') return 'archived'
  const lastEndsAtMs = job.turns.at(-1)?.endsAtMs ?? nowMs
  const startsAtMs = Math.max(nowMs + plan.startDelayMs, lastEndsAtMs)
  return { ...job, turns: [...job.turns, planTurn(prompt, plan, startsAtMs)] }
}
