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

/** `approval`: it waits for somebody to allow it. */
const WORST_FIRST = ['failure', 'approval', 'pending', 'success'] as const

function stateOfSuite(one: Progress): State | 'approval' {
  return one.conclusion === 'action_required' || isWaiting(one) ? 'approval' : stateOf(one)
}

function suiteIdOf({ check_suite_id: id, check_suite_url: url = '' }: WorkflowRun): number | undefined {
  const named = /\/check-suites\/(\d+)$/.exec(url)?.[1]
  return id ?? (named === undefined ? undefined : Number(named))
}

/** A check suite and, if that is known, the run of a workflow that it belongs to. */
export type Suite = Readonly<ReturnType<typeof toSuite>>

function toSuite(suite: CheckSuite | undefined, run: WorkflowRun | undefined, checkRuns: readonly CheckRun[]) {
  const [id, app] = [suite?.id ?? (run && suiteIdOf(run)), suite?.app ?? ACTIONS]
  // Behind the file there may be the ref that it was taken from.
  const file = run?.path?.split('@')[0]?.split('/').pop()
  const told = [suite, run].filter((one) => one !== undefined)
  return {
    app,
    run,
    /** The workflow's file, or what is known instead. */
    name: file ?? (app === '' ? 'an app' : app),
    /** One of the two lists may be older than the other, so that the worse of the two counts. */
    state: WORST_FIRST.find((worst) => told.some((one) => stateOfSuite(one) === worst)) ?? 'pending',
    /** What it ended with, if that is nothing good. */
    conclusion: told.find((one) => stateOfSuite(one) === 'failure')?.conclusion,
    /** How many check runs GitHub counts in it. */
    count: suite?.latest_check_runs_count ?? 0,
    /** Those of its check runs that are listed. */
    listed: checkRuns.filter((one) => id !== undefined && one.check_suite?.id === id),
  }
}

/** All suites of a commit, those included that only the list of workflow runs knows of. */
export function joinSuites(
  suites: readonly CheckSuite[],
  runs: readonly WorkflowRun[],
  checkRuns: readonly CheckRun[],
): readonly Suite[] {
  const joined = suites.map((suite) => {
    const isOfRun = (run: WorkflowRun): boolean => suite.id !== undefined && suiteIdOf(run) === suite.id
    return toSuite(suite, suite.app === ACTIONS ? runs.find(isOfRun) : undefined, checkRuns)
  })
  const others = runs.filter((run) => !joined.some((suite) => suite.run === run))
  return [...joined, ...others.map((run) => toSuite(undefined, run, checkRuns))]
}

/**
 * Whether a run took the place of an older one: it is of the same workflow and event, and did something. An older run that
 * was started again later stays beside it. What cannot be told apart stays, too.
 */
export function tookPlace(later: WorkflowRun | undefined, older: WorkflowRun | undefined): boolean {
  if (later === undefined || older === undefined || later.event === undefined) return false
  const workflow = later.workflow_id ?? later.path
  const isSame = workflow !== undefined && workflow === (older.workflow_id ?? older.path) && later.event === older.event
  const began = later.run_started_at ?? ''
  const isLater = later.id > older.id && (began === '' || began >= (older.run_started_at ?? ''))
  return isSame && isLater && later.conclusion !== 'skipped'
}
