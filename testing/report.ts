import { conclude } from '../src/agent/conclude.ts'
import { toOutputs } from '../src/agent/output/outputs.ts'
import {
  getError,
  getPullRequestFacts,
  getJob,
  getLastReadJob,
  getOperation,
  getOwnTurn,
  getRoundStop,
  listSentRounds,
} from '../src/agent/selectors.ts'
import type { Effect, Run, Turn } from '../src/agent/record.ts'
import type { Task } from '../src/agent/facts.ts'
import type { Job } from '../src/docs-service/schemas.ts'
import { ActionError, type ErrorCode } from '../src/runtime/errors.ts'
import { active, archived, completed, failure } from './jobs.ts'

export const CREATE: Task = { kind: 'create', prompt: 'Fix the guide.' }
export const FOLLOW_UP: Task = { kind: 'follow-up', prompt: 'And the index.', jobId: 'job_1' }
export const ATTACH: Task = { kind: 'attach', jobId: 'job_1' }

const HEAD_BEFORE = 'a'.repeat(40)

/** What a turn did, by its kind. */
export const EFFECTS = {
  created: { kind: 'created' },
  updated: { kind: 'updated', commits: 3 },
  unchanged: { kind: 'unchanged' },
  none: { kind: 'none' },
} as const satisfies Record<Effect['kind'], Effect>

/** A kind, or that the effect is not known. */
export type EffectName = Effect['kind'] | 'unknown'

/** Facts about a turn, in the order in which a step learns them. */
export type TurnFacts = Partial<Omit<Turn, 'task'>>

/** The observed end of a turn. */
export function endWith(effect: EffectName | Effect, job: Job = completed): TurnFacts {
  const ended: TurnFacts = { sent: 'started', end: 'finished', job }
  if (effect === 'unknown') return ended
  const known = typeof effect === 'string' ? EFFECTS[effect] : effect
  return { ...ended, effect: known, headBefore: known.kind === 'created' ? undefined : HEAD_BEFORE }
}

/** A prompt that was accepted. @param isConfirmed whether the start of the turn was observed */
export function accept(job: Job = active, isConfirmed = false): TurnFacts {
  return { sent: isConfirmed ? 'started' : 'accepted', job }
}

/** A turn that an error stopped. @param isCancelled whether the run was cancelled */
export function stopWith(given: ErrorCode | ActionError, during: TurnFacts = {}, isCancelled = false): TurnFacts {
  return { ...during, error: given instanceof ActionError ? given : failure(given), isCancelled }
}

/** All ends of turns that have an error. */
export const ENDS_WITH_ERROR: readonly TurnFacts[] = [
  { error: failure('not-sent'), job: archived },
  { error: failure('deadline'), job: active },
  { sent: 'started', error: failure('deadline') },
  {
    sent: 'started',
    end: 'finished',
    job: completed,
    error: failure('merged-too-early'),
    effect: EFFECTS.updated,
    pullRequest: { state: 'merged' },
  },
]

/** Creates a follow-up with facts. */
export function turnIn(facts: TurnFacts, fields: Partial<Turn> = {}): Turn {
  return { task: FOLLOW_UP, ...facts, ...fields }
}

/** The facts of a step and of its own turn. Omitted fields have defaults. */
export interface Fields
  extends Partial<Omit<Run, 'state'>>, Pick<TurnFacts, 'followUpReason' | 'pullRequest' | 'roundStop'> {
  readonly task?: Task
  /** The facts of the step's own turn. Default: the usual end of its task. */
  readonly state?: TurnFacts
  readonly rounds?: readonly Turn[]
}

const USUAL_EFFECTS = { create: 'created', 'follow-up': 'updated', attach: 'unknown' } as const

/** Creates the record of a step that ran, by default with a new job that opened a pull request. */
export function createReport(fields: Fields = {}): Run {
  const { task = CREATE, state, followUpReason, pullRequest, rounds = [], roundStop, ...facts } = fields
  const own: Turn = {
    task,
    startedAt: new Date('2026-01-01T03:00:00Z'),
    ...(state ?? endWith(USUAL_EFFECTS[task.kind])),
    followUpReason,
    ...(pullRequest && { pullRequest }),
    ...(roundStop && { roundStop }),
  }
  return {
    state: 'ended',
    turns: [own, ...rounds],
    timeline: [{ at: new Date('2026-01-01T03:00:05Z'), elapsedMs: 5_000, event: 'The job completed.' }],
    durationMs: 65_400,
    warnings: [],
    ...facts,
  }
}

/** A record with what follows from it, each by the function that the views use. */
export type DescribedReport = Run & ReturnType<typeof describe>

export function describeReport(run: Run): DescribedReport {
  return Object.assign({}, run, describe(run))
}

function describe(run: Run) {
  const own = getOwnTurn(run)
  return {
    outcome: conclude(run).outcome,
    error: getError(run),
    task: own?.task,
    job: getJob(run),
    lastReadJob: getLastReadJob(run),
    lastProblem: own?.lastProblem,
    operation: getOperation(run),
    sent: own?.sent,
    continued: own?.sent === 'accepted' || own?.sent === 'started' ? own.followUpReason : undefined,
    pullRequest: getPullRequestFacts(run),
    rounds: listSentRounds(run),
    stop: getRoundStop(run),
  }
}

/** The agent's outputs, in the order in which they are set. */
export const OUTPUT_NAMES = [...Object.keys(toOutputs(createReport(), conclude(createReport()))), 'result']
