import type { TokenPermissions } from '../../../src/emulator/github/state.ts'
import type { RunResult } from '../../small-runner/run-action.ts'
import type { Embedded } from '../embedded.ts'
import type { Session } from '../session.ts'
import type { Paint } from '../terminal.ts'
import type { GivenOutputs } from './given-outputs.ts'
import type { Job, Step } from './workflow-file.ts'

export type Texts = Readonly<Record<string, string>>

/** GitHub's limit for files that call each other, of which the first one is the workflow's. */
export const MAX_CALL_DEPTH = 4

/** What the jobs of one file share. A called workflow has its own `env`, inputs and secrets. */
export interface RunContext {
  readonly embedded: Embedded
  readonly session: Session
  /** How many seconds pass in one. */
  readonly speed: number
  /** The folder of this project. */
  readonly project: string
  readonly contexts: Readonly<Record<'github' | 'vars' | 'secrets' | 'inputs', unknown>>
  /** The `env` of the workflow. */
  readonly env: Job['env']
  /** The variables of the run, such as `GITHUB_SHA`. */
  readonly variables: Texts
  readonly eventName: string
  readonly payload: unknown
  /** The reader's repository. */
  readonly workspace: string
  /** A folder for files that a step writes. */
  readonly scratch: string
  /** The token that the workflow gets from GitHub. */
  readonly token: string
  /** Inputs of the README's step that the command line chooses. Undefined removes one. */
  readonly given: Readonly<Record<string, string | undefined>>
  /** Whether each step that can is a dry run. */
  readonly isDryRun: boolean
  readonly showsAll: boolean
  readonly outputs: GivenOutputs
  /** Called before each step of this action. */
  readonly onStep: (inputs: Texts) => void
  /** The file that is run, from the root of the repository. Undefined for the workflow's own. */
  readonly file?: string
  /** How many files call each other up to this one. */
  readonly depth: number
  /** The `concurrency` groups of the workflow and of the jobs that call this file. */
  readonly groups: readonly string[]
  /** What the caller allows the jobs of a called workflow. */
  readonly allowed?: TokenPermissions
}

/** A job that is run, and those beside it. */
export interface Stage {
  readonly job: Job
  readonly siblings: readonly Job[]
  /** The position in the matrix. */
  readonly leg: number
  readonly legCount: number
  /** How many jobs of the matrix run at the same time. */
  readonly maxParallel: number
}

/** A step of this action, or one that merges. */
export interface StepRun {
  readonly title: string
  readonly inputs: Texts
  readonly outputs: Texts
  /** One line, or several for a step with further problems. */
  readonly verdict: string
  readonly isRed: boolean
  /** The job, and for a called workflow the job in it. */
  readonly stages: readonly Stage[]
  /** The step itself. Undefined for one that merges, or that was not run. */
  readonly step?: Step
  /** When GitHub ends the step. */
  readonly limit?: TimeLimit | undefined
  /** A later step of its job that can make the run fail. */
  readonly later: Step | undefined
}

type Result = 'success' | 'failure' | 'cancelled' | 'skipped'

export interface JobEnd {
  /** Of a job with `continue-on-error`, it is `success`. */
  readonly result: Result
  readonly outputs: unknown
  readonly stepRuns: readonly StepRun[]
}

export interface StepEnd {
  readonly outcome: RunResult['conclusion'] | 'skipped'
  readonly conclusion: RunResult['conclusion'] | 'skipped'
  readonly outputs: unknown
}

/** When GitHub ends a step or a job. */
export interface TimeLimit {
  readonly minutes: number
  readonly endsAtMs: number
  readonly of: 'step' | 'job'
}

/** A job with one combination of its matrix, while it is run. */
export interface Leg {
  readonly context: RunContext
  readonly job: Job
  /** The job's id, with the values of its matrix. */
  readonly name: string
  readonly stages: readonly Stage[]
  /** All but those of single steps. */
  readonly contexts: Readonly<Record<string, unknown>>
  readonly permissions: TokenPermissions
  readonly limit: TimeLimit | undefined
  /** The variables of the job, and those that its steps have set so far. */
  env: Texts
  readonly notRun: Step[]
  readonly stepRuns: StepRun[]
}

export function createMissed(
  title: string,
  { stages }: Pick<Leg, 'stages'>,
  paint: Paint,
  reason = 'not run here',
): StepRun {
  const verdict = paint('red', `✘ ${reason}\n`)
  return { title, inputs: {}, outputs: {}, verdict, isRed: true, stages, later: undefined }
}
