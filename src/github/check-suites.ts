import { number, required, text } from '../runtime/read-json.ts'

/** The name of the app that runs workflows. */
export const ACTIONS = 'github-actions'

interface Progress {
  readonly status: string | undefined
  readonly conclusion: string | undefined
}

const progressOf = (from: object): Progress => ({ status: text(from, 'status'), conclusion: text(from, 'conclusion') })

export type CheckRun = Readonly<ReturnType<typeof toCheckRun>>

export const toCheckRun = (run: object) => ({
  ...progressOf(run),
  id: number(run, 'id'),
  name: text(run, 'name') ?? 'a check without a name',
  app: text(run, 'app.slug') ?? '',
  detailsUrl: text(run, 'details_url'),
  pageUrl: text(run, 'details_url') ?? text(run, 'html_url'),
  tookMs: Date.parse(text(run, 'completed_at') ?? '') - Date.parse(text(run, 'started_at') ?? ''),
  suiteId: number(run, 'check_suite.id'),
  title: text(run, 'output.title'),
  summary: text(run, 'output.summary'),
  annotations: number(run, 'output.annotations_count'),
})

export type CheckSuite = Readonly<ReturnType<typeof toCheckSuite>>

export const toCheckSuite = (suite: object) => ({
  ...progressOf(suite),
  id: number(suite, 'id'),
  app: text(suite, 'app.slug') ?? '',
  count: number(suite, 'latest_check_runs_count') ?? 0,
})

export type WorkflowRun = Readonly<ReturnType<typeof toWorkflowRun>>

export function toWorkflowRun(run: object) {
  const suite = /\/check-suites\/(\d+)$/.exec(text(run, 'check_suite_url') ?? '')?.[1]
  return {
    ...progressOf(run),
    id: required(number(run, 'id')),
    suiteId: number(run, 'check_suite_id') ?? (suite === undefined ? undefined : Number(suite)),
    workflow: number(run, 'workflow_id') ?? text(run, 'path'),
    // Behind the file there may be the ref that it was taken from.
    file: text(run, 'path')?.split('@')[0]?.split('/').pop(),
    event: text(run, 'event'),
    startedAt: text(run, 'run_started_at') ?? '',
  }
}

export type CommitStatus = Readonly<ReturnType<typeof toCommitStatus>>

export const toCommitStatus = (status: object) => ({
  name: text(status, 'context') ?? 'a commit status without a name',
  state: stateOfStatus(text(status, 'state')),
  summary: text(status, 'description'),
  detailsUrl: text(status, 'target_url'),
})

/** Conclusions that branch protection takes for passed. All others, such as `cancelled` and `stale`, are failures. */
const PASSED = ['success', 'neutral', 'skipped']

export type State = 'success' | 'failure' | 'pending'

/** What does not say how it ended has not ended. */
export function stateOf({ status, conclusion }: Progress): State {
  if (status !== 'completed' || conclusion === undefined) return 'pending'
  return PASSED.includes(conclusion) ? 'success' : 'failure'
}

export function stateOfStatus(state: string | undefined): State {
  if (state === 'success' || state === 'pending') return state
  return state === undefined ? 'pending' : 'failure'
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

/** A check suite and, if that is known, the run of a workflow that it belongs to. */
export type Suite = Readonly<ReturnType<typeof toSuite>>

function toSuite(suite: CheckSuite | undefined, run: WorkflowRun | undefined, checkRuns: readonly CheckRun[]) {
  const [id, app] = [suite?.id ?? run?.suiteId, suite?.app ?? ACTIONS]
  const told = [suite, run].filter((one) => one !== undefined)
  return {
    app,
    run,
    /** The workflow's file, or what is known instead. */
    name: run?.file ?? (app === '' ? 'an app' : app),
    /** One of the two lists may be older than the other, so that the worse of the two counts. */
    state: WORST_FIRST.find((worst) => told.some((one) => stateOfSuite(one) === worst)) ?? 'pending',
    /** What it ended with, if that is nothing good. */
    conclusion: told.find((one) => stateOfSuite(one) === 'failure')?.conclusion,
    /** How many check runs GitHub counts in it. */
    count: suite?.count ?? 0,
    /** Those of its check runs that are listed. */
    listed: checkRuns.filter((one) => id !== undefined && one.suiteId === id),
  }
}

/** All suites of a commit, those included that only the list of workflow runs knows of. */
export function joinSuites(
  suites: readonly CheckSuite[],
  runs: readonly WorkflowRun[],
  checkRuns: readonly CheckRun[],
): readonly Suite[] {
  const joined = suites.map((suite) => {
    const isOfRun = (run: WorkflowRun): boolean => suite.id !== undefined && run.suiteId === suite.id
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
  const { workflow, event, startedAt } = later
  const isSame = workflow !== undefined && workflow === older.workflow && event === older.event
  const isLater = later.id > older.id && (startedAt === '' || startedAt >= older.startedAt)
  return isSame && isLater && later.conclusion !== 'skipped'
}
