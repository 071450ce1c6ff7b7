import * as z from 'zod/mini'
import { number, part, text } from './parse-answer.ts'

/** The name of the app that runs workflows. */
export const ACTIONS = 'github-actions'

const progress = { status: text, conclusion: text }
const app = z.pipe(
  part(z.object({ slug: text })),
  z.transform((of) => of?.slug ?? ''),
)

export const checkRunSchema = z.object({
  ...progress,
  id: number,
  name: text,
  app,
  details_url: text,
  html_url: text,
  started_at: text,
  completed_at: text,
  check_suite: part(z.object({ id: number })),
  output: part(z.object({ title: text, summary: text, annotations_count: number })),
})
export type CheckRun = z.infer<typeof checkRunSchema>

export const checkSuiteSchema = z.object({
  ...progress,
  id: number,
  app,
  latest_check_runs_count: z.catch(z.number(), 0),
})
export type CheckSuite = z.infer<typeof checkSuiteSchema>

export const workflowRunSchema = z.object({
  ...progress,
  id: z.number(),
  check_suite_id: number,
  check_suite_url: text,
  workflow_id: number,
  path: text,
  event: text,
  run_started_at: text,
})
export type WorkflowRun = z.infer<typeof workflowRunSchema>

export const commitStatusSchema = z.object({ context: text, state: text, description: text, target_url: text })
export type CommitStatus = z.infer<typeof commitStatusSchema>

type Progress = Pick<CheckRun, 'status' | 'conclusion'>

/** Conclusions that branch protection takes for passed. All others, such as `cancelled` and `stale`, are failures. */
const PASSED = ['success', 'neutral', 'skipped']

export type State = 'success' | 'failure' | 'pending'

/** What does not say how it ended has not ended. */
export function stateOf({ status, conclusion }: Progress): State {
  if (status !== 'completed' || conclusion === undefined) return 'pending'
  return PASSED.includes(conclusion) ? 'success' : 'failure'
}

/** Whether it is a job that is to use an environment which somebody guards, or all of whose run is. */
export function isWaiting({ status }: Progress): boolean {
  return status === 'waiting'
}

export function stateOfStatus(state: string | undefined): State {
  if (state === 'success' || state === 'pending') return state
  return state === undefined ? 'pending' : 'failure'
}

/** A check suite and, if that is known, the run of a workflow that it belongs to. */
export interface Suite {
  readonly id: number | undefined
  readonly app: string
  /** The workflow's file, or what is known instead. */
  readonly name: string
  /** `approval`: it waits for somebody to allow it. */
  readonly state: State | 'approval'
  /** What it ended with, if that is nothing good. */
  readonly conclusion: string | undefined
  /** How many check runs it has. */
  readonly count: number
  readonly run: WorkflowRun | undefined
}

const SUITE_PAGE = /\/check-suites\/(\d+)$/

function suiteIdOf({ check_suite_id: id, check_suite_url: url = '' }: WorkflowRun): number | undefined {
  const named = SUITE_PAGE.exec(url)?.[1]
  return id ?? (named === undefined ? undefined : Number(named))
}

/** Behind the file there may be the ref that it was taken from. */
const fileOf = (run: WorkflowRun | undefined): string | undefined => run?.path?.split('@')[0]?.split('/').pop()

const WORST_FIRST = ['failure', 'approval', 'pending', 'success'] as const

/** One of the two lists may be older than the other, so that the worse of the two counts. */
function toSuite(suite: CheckSuite | undefined, run: WorkflowRun | undefined): Suite {
  const app = suite?.app ?? ACTIONS
  const known = [suite, run].filter((one) => one !== undefined).map((one) => ({ ...one, state: stateOfSuite(one) }))
  const state = WORST_FIRST.find((worst) => known.some((one) => one.state === worst)) ?? 'pending'
  return {
    ...{ id: suite?.id ?? (run === undefined ? undefined : suiteIdOf(run)), app, state, run },
    name: fileOf(run) ?? (app === '' ? 'an app' : app),
    conclusion: known.find((one) => one.state === 'failure')?.conclusion,
    count: suite?.latest_check_runs_count ?? 0,
  }
}

function stateOfSuite(one: Pick<CheckSuite, 'status' | 'conclusion'>): Suite['state'] {
  return one.conclusion === 'action_required' || isWaiting(one) ? 'approval' : stateOf(one)
}

/** All suites of a commit, those included that only the list of runs knows of. */
export function joinSuites(suites: readonly CheckSuite[], runs: readonly WorkflowRun[]): readonly Suite[] {
  const runOf = ({ id, app }: CheckSuite): WorkflowRun | undefined =>
    app === ACTIONS && id !== undefined ? runs.find((run) => suiteIdOf(run) === id) : undefined
  const joined = suites.map((suite) => toSuite(suite, runOf(suite)))
  const others = runs.filter((run) => !joined.some((suite) => suite.run === run))
  return [...joined, ...others.map((run) => toSuite(undefined, run))]
}

/**
 * Whether a run took the place of an older one: it is of the same workflow and event, and did something. An older run that
 * was started again later stays beside it.
 */
function takesPlace(later: WorkflowRun, older: WorkflowRun): boolean {
  const [workflow, other] = [later, older].map((run) => run.workflow_id ?? run.path)
  const isSame =
    workflow !== undefined && workflow === other && later.event !== undefined && later.event === older.event
  const [began, beganBefore] = [later.run_started_at ?? '', older.run_started_at ?? '']
  const isLater = later.id > older.id && (began === '' || began >= beganBefore)
  return isSame && isLater && later.conclusion !== 'skipped'
}

/** Those that took the place of a suite. What cannot be told apart stays. */
export function replacementsOf({ run }: Suite, all: readonly Suite[]): readonly Suite[] {
  return run === undefined ? [] : all.filter((other) => other.run !== undefined && takesPlace(other.run, run))
}
