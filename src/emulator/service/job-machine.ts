import type { JobStatus } from '../../docs-service/schemas.ts'

/** How a turn of the agent ends. `archived`: somebody archives the job while the agent works on it. */
type TurnEnding = 'pull-request' | 'no-changes' | 'failed' | 'archived'

/** How the agent will go about a prompt. All times are in milliseconds of the service's time. */
export interface TurnPlan {
  /**
   * From a message to the start of its turn. Until then the job reads as it did before. `Infinity`: the turn never starts.
   * A job's first turn starts at once.
   */
  readonly startDelayMs: number
  readonly durationMs: number
  readonly ending: TurnEnding
  /** When the agent pushes, from the turn's start. Default: once, at the end of a turn that comes to a pull request. */
  readonly pushesMs?: readonly number[]
  /** From the end of the turn until the pull request's link can be read. */
  readonly linkDelayMs: number
  /** A part of the turn, counted from its start, in which the job reads `paused`, which section 3 does not list. */
  readonly pause: { readonly fromMs: number; readonly toMs: number } | undefined
}

/** One prompt and what the agent makes of it: it works from `startsAtMs` until just before `endsAtMs`. */
export interface Turn {
  readonly prompt: string
  readonly startsAtMs: number
  readonly endsAtMs: number
  readonly plan: TurnPlan
}

/** All that is ever known of a job. What it reads at some time follows from this and the time. */
export interface JobRecord {
  readonly id: string
  readonly projectId: string
  /** Where the agent opens the job's pull request, `owner/name`. */
  readonly repository: string
  readonly createdAtMs: number
  /** The number of the one pull request that this job opens, if it opens any. */
  readonly pullNumber: number
  readonly turns: readonly [Turn, ...Turn[]]
}

export interface JobState {
  readonly status: JobStatus | 'paused'
  readonly pullRequest: 'none' | 'linked'
  readonly archivedAtMs: number | undefined
}

const STATUS_AFTER: Readonly<Record<TurnEnding, JobStatus>> = {
  'pull-request': 'completed',
  'no-changes': 'completed',
  failed: 'failed',
  archived: 'archived',
}

/** When a turn pushes, in milliseconds of the service's time. */
export function pushTimes({ startsAtMs, plan }: Turn): readonly number[] {
  const { ending, durationMs, pushesMs = ending === 'pull-request' ? [durationMs] : [] } = plan
  return pushesMs.map((ms) => startsAtMs + ms)
}

export function planTurn(prompt: string, plan: TurnPlan, startsAtMs: number): Turn {
  return { prompt, startsAtMs, endsAtMs: startsAtMs + plan.durationMs, plan }
}

/** The turns that have begun by now, oldest first. None begins after the job was archived. */
export function startedTurns(job: JobRecord, nowMs: number): readonly Turn[] {
  const started = job.turns.filter(({ startsAtMs }) => startsAtMs <= nowMs)
  const archiving = started.findIndex(({ plan, endsAtMs }) => plan.ending === 'archived' && endsAtMs <= nowMs)
  return archiving === -1 ? started : started.slice(0, archiving + 1)
}

/** The turns whose edits are in the pull request by now, oldest first. */
export function pushedTurns(job: JobRecord, nowMs: number): readonly Turn[] {
  return startedTurns(job, nowMs).filter(({ plan, endsAtMs }) => plan.ending === 'pull-request' && endsAtMs <= nowMs)
}

function statusOfTurn({ startsAtMs, endsAtMs, plan }: Turn, nowMs: number): JobState['status'] {
  if (nowMs >= endsAtMs) return STATUS_AFTER[plan.ending]
  const elapsedMs = nowMs - startsAtMs
  const { pause } = plan
  return pause !== undefined && elapsedMs >= pause.fromMs && elapsedMs < pause.toMs ? 'paused' : 'active'
}

/**
 * What a job reads at a time (sections 2.1 and 3). The link is null while the agent works, and when no file was changed.
 * A job has one pull request: later turns push to it.
 */
export function stateAt(job: JobRecord, nowMs: number): JobState {
  const turn = startedTurns(job, nowMs).at(-1) ?? job.turns[0]
  const status = statusOfTurn(turn, nowMs)
  const working = status === 'active' || status === 'paused'
  const pushed = pushedTurns(job, nowMs).at(-1)
  const linked = !working && pushed !== undefined && nowMs >= pushed.endsAtMs + pushed.plan.linkDelayMs
  return {
    status,
    pullRequest: linked ? 'linked' : 'none',
    archivedAtMs: status === 'archived' ? turn.endsAtMs : undefined,
  }
}

/**
 * A job after a message (section 4.2). What an active job is told waits until its present turn has ended. An archived job
 * takes no message.
 */
export function sendMessage(job: JobRecord, prompt: string, plan: TurnPlan, nowMs: number): JobRecord | 'archived' {
  if (stateAt(job, nowMs).status === 'archived') return 'archived'
  const lastEndsAtMs = job.turns.at(-1)?.endsAtMs ?? nowMs
  const startsAtMs = Math.max(nowMs + plan.startDelayMs, lastEndsAtMs)
  return { ...job, turns: [...job.turns, planTurn(prompt, plan, startsAtMs)] }
}
