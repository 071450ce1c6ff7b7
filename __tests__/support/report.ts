import { toOutputs } from '../../src/agent/report/outputs.ts'
import type { Report } from '../../src/agent/report/report.ts'
import type { Ended, Turn, TurnState, Work } from '../../src/agent/report/turn.ts'
import type { Task } from '../../src/agent/inputs.ts'
import { completed } from './fake-client.ts'

export const CREATE: Task = { kind: 'create', prompt: 'Fix the guide.' }
export const FOLLOW_UP: Task = { kind: 'follow-up', prompt: 'And the index.', jobId: 'job_1' }
export const ATTACH: Task = { kind: 'attach', jobId: 'job_1' }

const HEAD_BEFORE = 'a'.repeat(40)

/** What a turn did to the pull request. */
export const WORK = {
  created: { kind: 'created' },
  updated: { kind: 'updated', commits: 3, since: HEAD_BEFORE },
  unchanged: { kind: 'unchanged', hasHeadMoved: false },
  none: { kind: 'none' },
  unknown: { kind: 'unknown' },
} as const satisfies Record<Work['kind'], Work>

/** The end of a turn that was seen. */
export function endWith(work: Work['kind'] | Work, job = completed): Ended {
  return { kind: 'ended', job, work: typeof work === 'string' ? WORK[work] : work }
}

/** A follow-up in some state. */
export function turnIn(state: TurnState, fields: Partial<Turn> = {}): Turn {
  return { task: FOLLOW_UP, state, ...fields }
}

/** What is undefined is not there. */
export type Fields = { readonly [Key in keyof Report]?: Report[Key] | undefined }

/** A report of a job that ended well, changed where a test is about something else. */
export function createReport(fields: Fields = {}): Report {
  return {
    outcome: 'pull-request',
    task: CREATE,
    job: completed,
    timeline: [{ at: new Date('2026-01-01T03:00:05Z'), elapsedMs: 5_000, event: 'The job completed.' }],
    durationMs: 65_400,
    warnings: [],
    rounds: [],
    ...fields,
  } as Report
}

/** The agent's outputs, in the order in which they are set. */
export const OUTPUT_NAMES = [...Object.keys(toOutputs(createReport())), 'result']
