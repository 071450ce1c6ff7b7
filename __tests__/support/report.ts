import { toOutputs } from '../../src/agent/report/outputs.ts'
import type { Facts, Report } from '../../src/agent/report/report.ts'
import {
  getError,
  getJob,
  getLastProblem,
  getLastReadJob,
  getOperation,
  getOutcome,
  getPullRequest,
  getRounds,
  getStepFollowUpReason,
  getStepProgress,
  getTask,
} from '../../src/agent/report/turns.ts'
import {
  type EndedState,
  type FollowUpReason,
  type PullRequestFindings,
  type RoundStop,
  type Turn,
  type TurnEnd,
  type TurnState,
  type Work,
  unwrapStopped,
} from '../../src/agent/report/turn.ts'
import type { Task } from '../../src/agent/inputs.ts'
import type { Job } from '../../src/docs-service/schemas.ts'
import { ActionError, type ErrorCode } from '../../src/runtime/errors.ts'
import { active, archived, completed, failure, withoutLink } from './fake-client.ts'

export const CREATE: Task = { kind: 'create', prompt: 'Fix the guide.' }
export const FOLLOW_UP: Task = { kind: 'follow-up', prompt: 'And the index.', jobId: 'job_1' }
export const ATTACH: Task = { kind: 'attach', jobId: 'job_1' }

const HEAD_BEFORE = 'a'.repeat(40)

/** The work of a turn by its kind. */
export const WORK = {
  created: { kind: 'created' },
  updated: { kind: 'updated', commits: 3, since: HEAD_BEFORE },
  unchanged: { kind: 'unchanged', hasHeadMoved: false },
  none: { kind: 'none' },
  unknown: { kind: 'unknown' },
} as const satisfies Record<Work['kind'], Work>

/** Creates an observed end of a turn. */
export function endWith(work: Work['kind'] | Work, job = completed): EndedState {
  return { kind: 'ended', job, work: typeof work === 'string' ? WORK[work] : work }
}

/** Creates the state of an accepted prompt. @param isConfirmed whether the start of the turn was observed */
export function accept(job: Job = active, isConfirmed = false): Extract<TurnState, { kind: 'accepted' }> {
  return { kind: 'accepted', job, isConfirmed }
}

type StoppedState = Extract<TurnState, { kind: 'stopped' }>

/** Creates the state of a turn that an error stopped. @param isCancelled whether the run was cancelled */
export function stopWith(
  given: ErrorCode | ActionError,
  during: StoppedState['during'] = { kind: 'preparing' },
  isCancelled = false,
): StoppedState {
  return { kind: 'stopped', error: given instanceof ActionError ? given : failure(given), isCancelled, during }
}

/** All ends of turns that have an error. */
export const ENDS_WITH_ERROR: readonly TurnEnd[] = [
  { kind: 'not-sent', reason: 'archived', error: failure('not-sent'), job: archived },
  { kind: 'not-sent', reason: 'timed-out', error: failure('not-sent'), job: active },
  { kind: 'timed-out', error: failure('deadline') },
  { kind: 'unusable-link', job: withoutLink, error: failure('unusable-link') },
  {
    kind: 'left-behind',
    job: completed,
    error: failure('left-behind'),
    work: WORK.updated,
    pullRequest: { state: 'merged' },
  },
]

/** Creates a follow-up in a state. */
export function turnIn(state: TurnState, fields: Partial<Turn> = {}): Turn {
  return { task: FOLLOW_UP, state, ...fields }
}

/** The turns and facts of a step. Omitted fields have defaults. */
export interface Fields extends Partial<Facts> {
  readonly task?: Task
  /** The state of the step's own turn. Default: the usual end of its task. */
  readonly state?: TurnState
  readonly followUpReason?: FollowUpReason
  /** The findings about the pull request after the step's own turn. */
  readonly pullRequest?: PullRequestFindings
  readonly rounds?: readonly Turn[]
  /** Why no round follows the step's own turn. */
  readonly roundStop?: RoundStop
}

const USUAL_WORK = { create: 'created', 'follow-up': 'updated', attach: 'unknown' } as const

interface Findings {
  readonly pullRequest?: PullRequestFindings | undefined
  readonly roundStop?: RoundStop | undefined
}

/** Adds findings to an ended state. @throws Error if the step does not look at a pull request after this state */
export function withFindings(state: TurnState, found: Findings): TurnState {
  const { pullRequest, roundStop } = found
  if (pullRequest === undefined && roundStop === undefined) return state
  if (state.kind === 'stopped') return { ...state, during: unwrapStopped(withFindings(state.during, found)) }
  if (state.kind === 'ended') return { ...state, ...(pullRequest && { pullRequest }), roundStop }
  throw new Error(`No step looks at the pull request of a turn that is ${state.kind}.`)
}

/** Creates the report of a step that ran, by default with a new job that opened a pull request. */
export function createReport(fields: Fields = {}): Report {
  const { task = CREATE, state, followUpReason, pullRequest, rounds = [], roundStop, ...facts } = fields
  const own: Turn = {
    task,
    state: withFindings(state ?? endWith(USUAL_WORK[task.kind]), { pullRequest, roundStop }),
    followUpReason,
  }
  return {
    kind: 'ran',
    turns: [own, ...rounds],
    timeline: [{ at: new Date('2026-01-01T03:00:05Z'), elapsedMs: 5_000, event: 'The job completed.' }],
    durationMs: 65_400,
    warnings: [],
    ...facts,
  }
}

/** A report with what follows from it, each by the function that the views use. */
export type DescribedReport = Report & ReturnType<typeof describe>

export function describeReport(report: Report): DescribedReport {
  return Object.assign({}, report, describe(report))
}

function describe(report: Report) {
  return {
    outcome: getOutcome(report),
    error: getError(report),
    task: getTask(report),
    job: getJob(report),
    lastReadJob: getLastReadJob(report),
    lastProblem: getLastProblem(report),
    operation: getOperation(report),
    progress: getStepProgress(report),
    continued: getStepFollowUpReason(report),
    pullRequest: getPullRequest(report),
    rounds: getRounds(report).rounds,
    stop: getRounds(report).stop,
  }
}

/** The agent's outputs, in the order in which they are set. */
export const OUTPUT_NAMES = [...Object.keys(toOutputs(createReport())), 'result']
