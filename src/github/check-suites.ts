import * as z from 'zod/mini'
import { integer, part, text, textOrEmpty } from './schemas.ts'

/** The name of the app that runs workflows. */
export const ACTIONS = 'github-actions'

interface Progress {
  readonly status?: string | undefined
  readonly conclusion?: string | undefined
}

const PROGRESS = { status: text, conclusion: text }

export type State = 'success' | 'failure' | 'pending'

/** Conclusions that branch protection takes for passed. All others, such as `cancelled` and `stale`, are failures. */
const PASSED = ['success', 'neutral', 'skipped']

/** What does not say how it ended has not ended. */
function stateOf({ status, conclusion }: Progress): State {
  if (status !== 'completed' || conclusion === undefined) return 'pending'
  return PASSED.includes(conclusion) ? 'success' : 'failure'
}

/** Whether it is a job that is to use an environment which somebody guards, or all of whose run is. */
const isWaiting = ({ status }: Progress): boolean => status === 'waiting'

/** `approval`: it waits for somebody to allow it. */
const WORST_FIRST = ['failure', 'approval', 'pending', 'success'] as const

/** For Actions, that a run waits for approval. For another app, that a person has to do something, such as to sign a CLA. */
const ACTION_REQUIRED = 'action_required'

function progressOf(suite: Progress, app = ACTIONS) {
  const { conclusion } = suite
  const waits = app === ACTIONS && (conclusion === ACTION_REQUIRED || isWaiting(suite))
  return { conclusion, state: waits ? ('approval' as const) : stateOf(suite) }
}

const wireCheckRun = z.object({
  ...PROGRESS,
  name: z.catch(z.string(), 'a check without a name'),
  id: integer,
  check_suite: part({ id: integer }),
  app: part({ slug: textOrEmpty }),
  output: part({ title: text, summary: text, annotations_count: integer }),
  details_url: text,
  html_url: text,
  started_at: textOrEmpty,
  completed_at: textOrEmpty,
})

export type CheckRun = Readonly<ReturnType<typeof toCheckRun>>

function toCheckRun(run: z.infer<typeof wireCheckRun>) {
  const { name, id, app, output, details_url: detailsUrl } = run
  const tookMs = Date.parse(run.completed_at) - Date.parse(run.started_at)
  return {
    name,
    state: stateOf(run),
    /** That it is pending until somebody lets it run. */
    waitsForApproval: isWaiting(run),
    /** A failure that no commit fixes. */
    needsPerson: run.conclusion === ACTION_REQUIRED,
    /** It did nothing, so it takes no place of one that did. */
    isSkipped: run.conclusion === 'skipped',
    id,
    suiteId: run.check_suite.id,
    /** What made it, such as `github-actions`; empty if that is not known. */
    app: app.slug,
    title: output.title,
    /** Markdown, or a commit status's description. */
    summary: output.summary,
    /** How many annotations it has. */
    annotations: output.annotations_count,
    detailsUrl,
    /** By which it is known whose run it is; `detailsUrl` is for people. */
    pageUrl: detailsUrl ?? run.html_url,
    /** If it has ended, in milliseconds. */
    tookMs: tookMs >= 0 ? tookMs : undefined,
  }
}

export const checkRunSchema = z.pipe(wireCheckRun, z.transform(toCheckRun))

const wireCheckSuite = z.object({
  ...PROGRESS,
  id: integer,
  app: part({ slug: textOrEmpty }),
  latest_check_runs_count: z.catch(z.int(), 0),
})

export type CheckSuite = Readonly<ReturnType<typeof toCheckSuite>>

const toCheckSuite = (suite: z.infer<typeof wireCheckSuite>) => ({
  ...progressOf(suite, suite.app.slug),
  id: suite.id,
  app: suite.app.slug,
  /** How many check runs GitHub counts in it. */
  count: suite.latest_check_runs_count,
})

export const checkSuiteSchema = z.pipe(wireCheckSuite, z.transform(toCheckSuite))

const wireWorkflowRun = z.object({
  ...PROGRESS,
  id: z.int(),
  check_suite_id: integer,
  check_suite_url: textOrEmpty,
  workflow_id: integer,
  path: text,
  event: text,
  run_started_at: textOrEmpty,
})

export type WorkflowRun = Readonly<ReturnType<typeof toWorkflowRun>>

function toWorkflowRun(run: z.infer<typeof wireWorkflowRun>) {
  const { id, path, event } = run
  const suite = /\/check-suites\/(\d+)$/.exec(run.check_suite_url)?.[1]
  return {
    ...progressOf(run),
    id,
    suiteId: run.check_suite_id ?? (suite === undefined ? undefined : Number(suite)),
    workflow: run.workflow_id ?? path,
    /** Of the workflow's file; behind it there may be the ref that it was taken from. */
    path,
    event,
    startedAt: run.run_started_at,
  }
}

export const workflowRunSchema = z.pipe(wireWorkflowRun, z.transform(toWorkflowRun))

/** A check suite and, if that is known, the run of a workflow that it belongs to. */
export type Suite = ReturnType<typeof joinSuites>[number]

/** All suites of a commit, those included that only the list of workflow runs knows of. */
export function joinSuites(
  suites: readonly CheckSuite[],
  runs: readonly WorkflowRun[],
  checkRuns: readonly CheckRun[],
) {
  const runOf = ({ id, app }: CheckSuite): WorkflowRun | undefined =>
    app === ACTIONS && id !== undefined ? runs.find(({ suiteId }) => suiteId === id) : undefined
  const known = suites.map((suite) => ({ suite, run: runOf(suite) }))
  const others = runs.filter((run) => !known.some((one) => one.run === run))
  return [...known, ...others.map((run) => ({ suite: undefined, run }))].map(({ suite, run }) => {
    const { id = run?.suiteId, app = ACTIONS, count = 0 } = suite ?? {}
    const told = [suite, run].filter((one) => one !== undefined)
    return {
      ...{ app, run, count },
      /** The workflow's file, or what is known instead. */
      name: run?.path?.split('@')[0]?.split('/').pop() ?? (app === '' ? 'an app' : app),
      /** One of the two lists may be older than the other, so that the worse of the two counts. */
      state: WORST_FIRST.find((worst) => told.some(({ state }) => state === worst)) ?? 'pending',
      /** What it ended with, if that is nothing good. */
      conclusion: told.find(({ state }) => state === 'failure')?.conclusion,
      needsPerson: told.some(({ state, conclusion }) => state === 'failure' && conclusion === ACTION_REQUIRED),
      /** Those of its check runs that are listed. */
      listed: checkRuns.filter(({ suiteId }) => id !== undefined && suiteId === id),
    }
  })
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
