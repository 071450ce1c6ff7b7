/** Reads the checks of a commit, and selects those that count. */
import * as z from 'zod/mini'
import { ActionError, orUndefined } from '../runtime/errors.ts'
import { formatCount } from '../text/format.ts'
import { type Call, type FirstPage, PAGE_SIZE, createFirstPageParser, readAll } from './pages.ts'
import { type Built, integerField, looseObject, skipMalformed, stringField, stringOrEmpty } from './schemas.ts'

/** The slug of the app that runs workflows. */
export const ACTIONS = 'github-actions'

interface Progress {
  readonly status?: string | undefined
  readonly conclusion?: string | undefined
}

const PROGRESS = { status: stringField, conclusion: stringField }

type State = 'success' | 'failure' | 'pending'

/** Conclusions that branch protection accepts. All others, such as `cancelled` and `stale`, are failures. */
const PASSED = ['success', 'neutral', 'skipped']

/** Without a conclusion, the state is `pending`. */
function getState({ status, conclusion }: Progress): State {
  if (status !== 'completed' || conclusion === undefined) return 'pending'
  return PASSED.includes(conclusion) ? 'success' : 'failure'
}

/** Whether a job or a whole run waits for the approval of a protected environment. */
const isWaiting = ({ status }: Progress): boolean => status === 'waiting'

/** `approval`: it is pending until somebody approves it. */
const WORST_FIRST = ['failure', 'approval', 'pending', 'success'] as const

/** A run of GitHub Actions waits for approval, or another app requires a person to act, such as to sign a CLA. */
const ACTION_REQUIRED = 'action_required'
/** Conclusions that no commit changes: somebody has to act, or to run the check again. */
const UNFIXABLE = [ACTION_REQUIRED, 'cancelled', 'stale', 'startup_failure']
const isUnfixable = (conclusion = ''): boolean => UNFIXABLE.includes(conclusion)

function readProgress(suite: Progress, app = ACTIONS) {
  const { conclusion } = suite
  const waits = app === ACTIONS && (isWaiting(suite) || conclusion === ACTION_REQUIRED)
  return { conclusion, state: waits ? ('approval' as const) : getState(suite) }
}

const wireCheckRun = () =>
  z.object({
    ...PROGRESS,
    name: z.catch(z.string(), 'a check without a name'),
    id: integerField,
    check_suite: looseObject({ id: integerField }),
    app: looseObject({ slug: stringOrEmpty }),
    output: looseObject({
      title: stringField,
      summary: stringField,
      text: stringField,
      annotations_count: integerField,
    }),
    details_url: stringField,
    html_url: stringField,
    started_at: stringOrEmpty,
    completed_at: stringOrEmpty,
  })

type CheckRun = Readonly<ReturnType<typeof toCheckRun>>

function toCheckRun(run: Built<typeof wireCheckRun>) {
  const { name, id, app, output, details_url: detailsUrl } = run
  const tookMs = Date.parse(run.completed_at) - Date.parse(run.started_at)
  return {
    name,
    state: getState(run),
    /** Whether it is pending until somebody approves it. */
    waitsForApproval: isWaiting(run),
    /** Whether it is a failure that a person must resolve, because no commit fixes it. */
    needsPerson: isUnfixable(run.conclusion),
    conclusion: run.conclusion,
    id,
    suiteId: run.check_suite.id,
    /** The slug of the app that created it, such as `github-actions`. Empty if unknown. */
    app: app.slug,
    title: output.title,
    /** Markdown, or the description of a commit status. */
    summary: output.summary,
    /** Markdown with the details. */
    text: output.text,
    /** The number of annotations. */
    annotations: output.annotations_count,
    detailsUrl,
    /** Identifies the workflow run. `detailsUrl` is for readers. */
    pageUrl: detailsUrl ?? run.html_url,
    /** The duration in milliseconds. Undefined until it has ended. */
    tookMs: tookMs >= 0 ? tookMs : undefined,
  }
}

export const checkRunSchema = z.lazy(() => z.pipe(wireCheckRun(), z.transform(toCheckRun)))

const wireCheckSuite = () =>
  z.object({
    ...PROGRESS,
    id: integerField,
    app: looseObject({ slug: stringOrEmpty }),
    latest_check_runs_count: z.catch(z.int(), 0),
  })

type CheckSuite = Readonly<ReturnType<typeof toCheckSuite>>

const toCheckSuite = (suite: Built<typeof wireCheckSuite>) => ({
  ...readProgress(suite, suite.app.slug),
  status: suite.status,
  id: suite.id,
  app: suite.app.slug,
  /** How many check runs GitHub counts in the suite. */
  count: suite.latest_check_runs_count,
})

export const checkSuiteSchema = z.lazy(() => z.pipe(wireCheckSuite(), z.transform(toCheckSuite)))

const wireWorkflowRun = () =>
  z.object({
    ...PROGRESS,
    id: z.int(),
    check_suite_id: integerField,
    check_suite_url: stringOrEmpty,
    workflow_id: integerField,
    path: stringField,
    event: stringField,
  })

type WorkflowRun = Readonly<ReturnType<typeof toWorkflowRun>>

function toWorkflowRun(run: Built<typeof wireWorkflowRun>) {
  const { id, path, event } = run
  const suite = /\/check-suites\/(\d+)$/.exec(run.check_suite_url)?.[1]
  return {
    ...readProgress(run),
    id,
    suiteId: run.check_suite_id ?? (suite === undefined ? undefined : Number(suite)),
    workflow: run.workflow_id ?? path,
    /** The path of the workflow file, which can be followed by `@` and a ref. */
    path,
    event,
  }
}

export const workflowRunSchema = z.lazy(() => z.pipe(wireWorkflowRun(), z.transform(toWorkflowRun)))

/** A check suite and its workflow run, if known. */
type Suite = ReturnType<typeof joinSuites>[number]

/** Joins the check suites of a commit with its workflow runs. Includes runs whose suites are not listed. */
function joinSuites(suites: readonly CheckSuite[], runs: readonly WorkflowRun[], checkRuns: readonly CheckRun[]) {
  const findRun = ({ id, app }: CheckSuite): WorkflowRun | undefined =>
    app === ACTIONS && id !== undefined ? runs.find(({ suiteId }) => suiteId === id) : undefined
  const known = suites.map((suite) => ({ suite, run: findRun(suite) }))
  const others = runs.filter((run) => !known.some((pair) => pair.run === run))
  return [...known, ...others.map((run) => ({ suite: undefined, run }))].map(({ suite, run }) => {
    const { id = run?.suiteId, app = ACTIONS, count = 0 } = suite ?? {}
    const sources = [suite, run].filter((source) => source !== undefined)
    return {
      app,
      run,
      count,
      /** The file name of the workflow, or else the app. */
      name: run?.path?.split('@')[0]?.split('/').pop() ?? (app === '' ? 'an app' : app),
      /** Either list can be stale, so the worse state of the two counts. */
      state: WORST_FIRST.find((worst) => sources.some(({ state }) => state === worst)) ?? 'pending',
      /** Set if the suite failed. */
      conclusion: sources.find(({ state }) => state === 'failure')?.conclusion,
      needsPerson: sources.some(({ state, conclusion }) => state === 'failure' && isUnfixable(conclusion)),
      /** The check runs of the suite that GitHub lists. */
      listed: checkRuns.filter(({ suiteId }) => id !== undefined && suiteId === id),
    }
  })
}

type Result = Pick<CheckRun, 'id' | 'conclusion'> & { readonly state: Suite['state'] }

/**
 * Whether a workflow run or a job replaces an older one of the same workflow and name. The newest one of each event counts,
 * as in `gh pr checks`, but a skipped one replaces nothing: a run for `labeled` often skips all jobs of the run for `opened`.
 */
function supersedes(later: Result, older: Result, isSameEvent: boolean): boolean {
  const isLater = (later.id ?? 0) > (older.id ?? 0) && later.conclusion !== 'skipped'
  // A concurrency group cancels one of two runs, whatever their events.
  return isLater && (isSameEvent || (older.conclusion === 'cancelled' && later.state === 'success'))
}

/**
 * Whether another run of the same workflow replaces a workflow run or, if given, one of its jobs. Other apps have one suite
 * each, of which GitHub lists only the latest check runs.
 */
function isReplaced({ run, state }: Suite, all: readonly Suite[], job?: CheckRun): boolean {
  if (run?.workflow === undefined) return false
  const { workflow, event } = run
  return all.some(({ run: other, state: otherState, listed }) => {
    if (other === undefined || other.id === run.id || other.workflow !== workflow) return false
    const isSameEvent = event !== undefined && other.event === event
    const isRunReplaced = supersedes({ ...other, state: otherState }, { ...run, state }, isSameEvent)
    if (job === undefined) return isRunReplaced
    const isJobReplaced = listed.some((later) => later.name === job.name && supersedes(later, job, isSameEvent))
    // A run that has not ended can still register a job of this name.
    return isJobReplaced || (isRunReplaced && otherState === 'pending')
  })
}

/** A check run, a commit status, or a check that GitHub counts but does not list. */
export type Check = Pick<CheckRun, 'name' | 'state'> &
  Partial<CheckRun> & {
    /** How many check runs it represents. Default: 1. */
    readonly count?: number
  }

/** Counts check runs and commit statuses, including those that a check represents. */
export const countChecks = (checks: readonly Check[]): number => checks.reduce((sum, { count = 1 }) => sum + count, 0)

/** Whether a check represents a check suite instead of a check run or a commit status. */
export const isCheckSuite = ({ id, app }: Check): boolean => id === undefined && app !== undefined

function getStatusState(state: string | undefined): State {
  if (state === 'success' || state === 'pending') return state
  return state === undefined ? 'pending' : 'failure'
}

export const commitStatusSchema = z.lazy(() =>
  z.pipe(
    z.object({
      context: z.catch(z.string(), 'a commit status without a name'),
      state: stringField,
      description: stringField,
      target_url: stringField,
    }),
    z.transform(({ context: name, state, description: summary, target_url: detailsUrl }): Check => ({
      name,
      state: getStatusState(state),
      summary,
      detailsUrl,
    })),
  ),
)

/**
 * The run of this step, which would wait for itself. Its id is unique on the server, even if its repository was
 * renamed.
 */
interface OwnRun {
  readonly serverUrl: string
  readonly runId: number
}

/** GitHub's lists for one commit. */
interface CommitLists {
  readonly suites: FirstPage<CheckSuite>
  readonly checkRuns: FirstPage<CheckRun>
  readonly statuses: FirstPage<Check>
  /** Empty if the token cannot read them. */
  readonly workflowRuns: readonly WorkflowRun[]
}

/** A check that GitHub counts but does not list has an unknown state, so it never counts as passed. */
function createUnlistedChecks(missing: number, isFull: boolean, singular: string, plural?: string): readonly Check[] {
  const where = isFull ? `past the first ${PAGE_SIZE}` : 'that GitHub does not list'
  return missing > 0
    ? [{ name: `${formatCount(missing, singular, plural)} ${where}`, state: 'pending', count: missing }]
    : []
}

/** Returns what a suite adds to its listed check runs. Apps can have unused suites, which stay queued. */
function getSuiteChecks(suite: Suite): readonly Check[] {
  const { app, name, state, conclusion, needsPerson, count, listed } = suite
  const missing = count - listed.length
  const more = { name: `${formatCount(missing, 'more check')} of ${name}`, count: missing, app }
  if (state === 'success') return missing > 0 ? [{ ...more, state }] : []
  if (state === 'approval')
    return listed.some((run) => run.waitsForApproval) ? [] : [{ name, state: 'pending', waitsForApproval: true, app }]
  const isUsed = app === ACTIONS || needsPerson || count > 0 || listed.length > 0
  if (!isUsed) return []
  const isRunning = listed.some((run) => run.state === 'pending' && !run.waitsForApproval)
  if (state === 'pending' && isRunning && missing > 0) return [{ ...more, state }]
  if (listed.some((run) => run.state === state)) return []
  if (state === 'failure') return [{ name, state, app, needsPerson, conclusion }]
  return app === ACTIONS || missing > 0 ? [{ name: `${name}, which has not ended`, state, app }] : []
}

/** GitHub's combined state counts for the statuses past the first page, unless an ignored status can have caused it. */
function getStatusChecks(
  { items, missing, isFull, combinedState }: FirstPage<Check>,
  isIgnored: (check: Check) => boolean,
): readonly Check[] {
  const canTell = isFull && !items.some((check) => check.state !== 'success' && isIgnored(check))
  const state = canTell ? getStatusState(combinedState) : 'pending'
  const hasFailure = items.some((check) => check.state === 'failure')
  if (missing <= 0 || state === 'pending' || (state === 'failure' && hasFailure))
    return [...items, ...createUnlistedChecks(missing, isFull, 'commit status', 'commit statuses')]
  return [...items, { name: formatCount(missing, 'more commit status', 'more commit statuses'), state, count: missing }]
}

/** Whether all checks are check runs of GitHub Actions whose suites have ended, so that no other check is expected. */
function areAllComplete({ suites, checkRuns, statuses }: CommitLists): boolean {
  const used = suites.items.filter(({ count }) => count > 0)
  const isListed = [suites, checkRuns, statuses].every(({ missing }) => missing <= 0)
  const complete = used.filter(({ app, status }) => app === ACTIONS && status === 'completed')
  const ids = new Set(complete.map(({ id }) => id))
  const isCovered = checkRuns.items.every(({ suiteId }) => suiteId !== undefined && ids.has(suiteId))
  return isListed && statuses.items.length === 0 && complete.length === used.length && isCovered
}

/**
 * Lists the checks of a commit, except those of this run, and those that another run has replaced. Ignored checks are included:
 * they explain the state of their suite.
 */
export function classifyChecks(
  lists: CommitLists,
  { serverUrl, runId }: OwnRun,
  isIgnored: (check: Check) => boolean = () => false,
): readonly Check[] {
  const { suites, checkRuns, statuses, workflowRuns } = lists
  const all = joinSuites(suites.items, workflowRuns, checkRuns.items)
  const isOwn = ({ app, pageUrl = '' }: CheckRun): boolean => {
    const isOnServer = pageUrl.toLowerCase().startsWith(`${serverUrl}/`.toLowerCase())
    const page = /^[^/?#]+\/[^/?#]+\/actions\/runs\/(\d+)(?:[/?#]|$)/.exec(pageUrl.slice(serverUrl.length + 1))
    return app === ACTIONS && isOnServer && page?.[1] === String(runId)
  }
  const others = all.filter(({ run, listed }) => run?.id !== runId && !listed.some(isOwn))
  const unlistedInSuites = others.reduce((sum, { count, listed }) => sum + Math.max(0, count - listed.length), 0)
  return [
    ...checkRuns.items.filter((run) => {
      const suite = others.find(({ listed }) => listed.includes(run))
      return !isOwn(run) && (suite === undefined || !isReplaced(suite, all, run))
    }),
    ...others.filter((suite) => suite.state === 'pending' || !isReplaced(suite, all)).flatMap(getSuiteChecks),
    ...createUnlistedChecks(checkRuns.missing - unlistedInSuites, checkRuns.isFull, 'check run'),
    ...createUnlistedChecks(suites.missing, suites.isFull, 'check suite'),
    ...getStatusChecks(statuses, isIgnored),
  ]
}

const parseSuites = createFirstPageParser('check_suites', checkSuiteSchema)
const parseCheckRuns = createFirstPageParser('check_runs', checkRunSchema)
const parseStatuses = createFirstPageParser('statuses', commitStatusSchema)
const parseWorkflowRuns = createFirstPageParser('workflow_runs', workflowRunSchema)

/** GitHub returns 50 with a page of check runs; the rest of a long list is on further pages. */
const MAX_ANNOTATION_PAGES = 3

const annotationSchema = z.lazy(() =>
  z.pipe(
    z.object({
      path: z.catch(z.string(), 'a file'),
      start_line: z.catch(z.int(), 0),
      title: stringOrEmpty,
      message: stringOrEmpty,
      annotation_level: stringOrEmpty,
    }),
    z.transform(({ path, start_line: line, title, message, annotation_level: level }) => ({
      path,
      line,
      title,
      message,
      /** `failure`, `warning` or `notice`. */
      level,
    })),
  ),
)
const annotationsSchema = z.lazy(() => skipMalformed(annotationSchema))
/** A finding of a check run in a file. */
export type Annotation = Readonly<z.infer<typeof annotationSchema>>

const NONE = { items: [], missing: 0, isFull: false }

/** The checks of a commit. */
export interface CommitChecks {
  /** The checks that count. */
  readonly checks: readonly Check[]
  readonly ignored?: readonly Check[]
  /** Whether GitHub shows that no further check is to come. */
  readonly isComplete: boolean
}

interface ReadChecksOptions {
  /** By default, every check counts. */
  readonly isIgnored?: (check: Check) => boolean
  /**
   * Whether the check runs and commit statuses are enough; by default while one is pending and none has failed. The result then
   * includes replaced checks and omits what only a suite reports.
   */
  readonly suffices?: (listed: readonly Check[]) => boolean
}

export interface Checks {
  /**
   * Reads the checks of a commit that count, except those of this run. Sends two requests while a check run or a commit
   * status is pending and none has failed, and otherwise four for any number of checks, because the suites report on check
   * runs past the first page. Without `actions: read`, the checks of all runs count.
   */
  readonly readChecks: (
    repository: string,
    sha: string,
    own: OwnRun,
    options?: ReadChecksOptions,
  ) => Promise<CommitChecks>
  /** Reads the annotations of a check run, failures first. */
  readonly listAnnotations: (repository: string, checkRunId: number) => Promise<readonly Annotation[]>
}

/** Checks that GitHub counts but does not list (`count`) need their suites. */
const isUndecided = (listed: readonly Check[]): boolean =>
  listed.some(
    ({ state, waitsForApproval, count }) => state === 'pending' && waitsForApproval !== true && count === undefined,
  ) && !listed.some(({ state }) => state === 'failure')

const LEVELS = ['failure', 'warning', 'notice']

export const connectChecks = (call: Call): Checks => ({
  readChecks: async (repository, sha, own, { isIgnored = () => false, suffices = isUndecided } = {}) => {
    const classify = (lists: CommitLists): Pick<CommitChecks, 'checks' | 'ignored'> => {
      const all = classifyChecks(lists, own, isIgnored)
      return { checks: all.filter((check) => !isIgnored(check)), ignored: all.filter(isIgnored) }
    }
    const commitQuery = { ref: sha, per_page: PAGE_SIZE }
    const [checkRuns, statuses] = await Promise.all([
      call('checks: read', repository, async ({ request, repo }) => {
        const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs'
        return parseCheckRuns(await request(route, { ...repo, ...commitQuery, filter: 'latest' }))
      }),
      call('statuses: read', repository, async ({ request, repo }) => {
        const route = 'GET /repos/{owner}/{repo}/commits/{ref}/status'
        return parseStatuses(await request(route, { ...repo, ...commitQuery }))
      }),
    ]).catch((error: unknown) => {
      // For some seconds, GitHub does not know a commit that was just pushed to a fork (home-assistant/service-hub#394).
      const isUnknownCommit =
        error instanceof ActionError && error.code === 'rejected' && /\bno commit found\b/i.test(error.message)
      throw isUnknownCommit ? new ActionError('service-error', error.message, { cause: error }) : error
    })
    const listed = classify({ suites: NONE, checkRuns, statuses, workflowRuns: [] })
    if (suffices(listed.checks)) return { ...listed, isComplete: false }
    const [suites, workflowRuns = []] = await Promise.all([
      call('checks: read', repository, async ({ request, repo }) => {
        const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-suites'
        return parseSuites(await request(route, { ...repo, ...commitQuery }))
      }),
      orUndefined(
        call('actions: read', repository, async ({ request, repo }) => {
          const query = { per_page: PAGE_SIZE, head_sha: sha, exclude_pull_requests: true }
          const response = await request('GET /repos/{owner}/{repo}/actions/runs', { ...repo, ...query })
          return parseWorkflowRuns(response).items
        }),
        'forbidden',
        'not-found',
      ),
    ])
    const lists = { suites, checkRuns, statuses, workflowRuns }
    return { ...classify(lists), isComplete: areAllComplete(lists) }
  },
  listAnnotations: (repository, checkRunId) =>
    call('checks: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations'
      const query = { ...repo, check_run_id: checkRunId, per_page: PAGE_SIZE }
      const listed = await readAll((cursor) => request(route, { ...query, ...cursor }), {
        page: annotationsSchema,
        maxPages: MAX_ANNOTATION_PAGES,
        canBeCut: true,
      })
      return LEVELS.flatMap((level) => listed.filter((annotation) => annotation.level === level)).concat(
        listed.filter(({ level }) => !LEVELS.includes(level)),
      )
    }),
})
