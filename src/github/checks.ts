import * as z from 'zod/mini'
import { type ActionError, rethrowFatal } from '../runtime/errors.ts'
import { formatCount } from '../text/format.ts'
import { type Call, type FirstPage, PAGE_SIZE, createFirstPageParser } from './pages.ts'
import { integer, parseResponse, part, skipMalformed, text, textOrEmpty } from './schemas.ts'

/** The name of the app that runs workflows. */
export const ACTIONS = 'github-actions'

interface Progress {
  readonly status?: string | undefined
  readonly conclusion?: string | undefined
}

const PROGRESS = { status: text, conclusion: text }

type State = 'success' | 'failure' | 'pending'

/** Conclusions that branch protection takes for passed. All others, such as `cancelled` and `stale`, are failures. */
const PASSED = ['success', 'neutral', 'skipped']

/** What does not say how it ended has not ended. */
function getState({ status, conclusion }: Progress): State {
  if (status !== 'completed' || conclusion === undefined) return 'pending'
  return PASSED.includes(conclusion) ? 'success' : 'failure'
}

/** Whether it is a job that is to use an environment which somebody guards, or all of whose run is. */
const isWaiting = ({ status }: Progress): boolean => status === 'waiting'

/** `approval`: it waits for somebody to allow it. */
const WORST_FIRST = ['failure', 'approval', 'pending', 'success'] as const

/** For Actions, that a run waits for approval. For another app, that a person has to do something, such as to sign a CLA. */
const ACTION_REQUIRED = 'action_required'

function formatProgress(suite: Progress, app = ACTIONS) {
  const { conclusion } = suite
  const isGuarded = app === ACTIONS && isWaiting(suite)
  const waits = isGuarded || (app === ACTIONS && conclusion === ACTION_REQUIRED)
  return { conclusion, isGuarded, state: waits ? ('approval' as const) : getState(suite) }
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

type CheckRun = Readonly<ReturnType<typeof toCheckRun>>

function toCheckRun(run: z.infer<typeof wireCheckRun>) {
  const { name, id, app, output, details_url: detailsUrl } = run
  const tookMs = Date.parse(run.completed_at) - Date.parse(run.started_at)
  return {
    name,
    state: getState(run),
    /** That it is pending until somebody lets it run. */
    waitsForApproval: isWaiting(run),
    /** Whether it waits for the protection rules of an environment, and not for the approval of its run. */
    isGuarded: isWaiting(run),
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

type CheckSuite = Readonly<ReturnType<typeof toCheckSuite>>

const toCheckSuite = (suite: z.infer<typeof wireCheckSuite>) => ({
  ...formatProgress(suite, suite.app.slug),
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

type WorkflowRun = Readonly<ReturnType<typeof toWorkflowRun>>

function toWorkflowRun(run: z.infer<typeof wireWorkflowRun>) {
  const { id, path, event } = run
  const suite = /\/check-suites\/(\d+)$/.exec(run.check_suite_url)?.[1]
  return {
    ...formatProgress(run),
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
type Suite = ReturnType<typeof joinSuites>[number]

/** All suites of a commit, those included that only the list of workflow runs knows of. */
function joinSuites(suites: readonly CheckSuite[], runs: readonly WorkflowRun[], checkRuns: readonly CheckRun[]) {
  const parseRun = ({ id, app }: CheckSuite): WorkflowRun | undefined =>
    app === ACTIONS && id !== undefined ? runs.find(({ suiteId }) => suiteId === id) : undefined
  const known = suites.map((suite) => ({ suite, run: parseRun(suite) }))
  const others = runs.filter((run) => !known.some((one) => one.run === run))
  return [...known, ...others.map((run) => ({ suite: undefined, run }))].map(({ suite, run }) => {
    const { id = run?.suiteId, app = ACTIONS, count = 0 } = suite ?? {}
    const told = [suite, run].filter((one) => one !== undefined)
    return {
      app,
      run,
      count,
      /** The workflow's file, or what is known instead. */
      name: run?.path?.split('@')[0]?.split('/').pop() ?? (app === '' ? 'an app' : app),
      /** One of the two lists may be older than the other, so that the worse of the two counts. */
      state: WORST_FIRST.find((worst) => told.some(({ state }) => state === worst)) ?? 'pending',
      /** What it ended with, if that is nothing good. */
      conclusion: told.find(({ state }) => state === 'failure')?.conclusion,
      isGuarded: told.some((one) => one.isGuarded),
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
function supersedes(later: WorkflowRun | undefined, older: WorkflowRun | undefined): boolean {
  if (later === undefined || older === undefined || later.event === undefined) return false
  const { workflow, event, startedAt } = later
  const isSame = workflow !== undefined && workflow === older.workflow && event === older.event
  const isLater = later.id > older.id && (startedAt === '' || startedAt >= older.startedAt)
  return isSame && isLater && later.conclusion !== 'skipped'
}

/** A check run, a commit status, or what GitHub knows of without showing it: all count alike. */
export type Check = Pick<CheckRun, 'name' | 'state'> &
  Partial<CheckRun> & {
    /** How many check runs it stands for, if that is not one. */
    readonly count?: number
    /** Why it is not known whether a later run of its workflow took its place. */
    readonly doubt?: ActionError
  }

/** How many check runs and commit statuses there are in all. */
export const countChecks = (checks: readonly Check[]): number => checks.reduce((sum, { count = 1 }) => sum + count, 0)

/** Whether it stands for a suite and not for a check run or a commit status. */
export const isOfSuite = ({ id, app }: Check): boolean => id === undefined && app !== undefined

function stateOfStatus(state: string | undefined): State {
  if (state === 'success' || state === 'pending') return state
  return state === undefined ? 'pending' : 'failure'
}

export const commitStatusSchema = z.pipe(
  z.object({
    context: z.catch(z.string(), 'a commit status without a name'),
    state: text,
    description: text,
    target_url: text,
  }),
  z.transform(({ context: name, state, description: summary, target_url: detailsUrl }): Check => ({
    name,
    state: stateOfStatus(state),
    summary,
    detailsUrl,
  })),
)

/** The run that asks: it would wait for itself. Its id is the only one of the server, whatever its repository is called by now. */
interface OwnRun {
  readonly serverUrl: string
  readonly runId: number
}

/** What GitHub says of one commit. */
interface CommitAnswers {
  readonly suites: FirstPage<CheckSuite>
  readonly checkRuns: FirstPage<CheckRun>
  readonly statuses: FirstPage<Check>
  /** Or why they are not known. */
  readonly workflowRuns: readonly WorkflowRun[] | ActionError
}

/** Whether a page belongs to the run that asks. */
function isOwnPage(url = '', { serverUrl, runId }: OwnRun): boolean {
  const isOfServer = url.toLowerCase().startsWith(`${serverUrl}/`.toLowerCase())
  const page = /^[^/?#]+\/[^/?#]+\/actions\/runs\/(\d+)(?:[/?#]|$)/.exec(url.slice(serverUrl.length + 1))
  return isOfServer && page?.[1] === String(runId)
}

/** What GitHub counts and does not show may be anything: it is never taken for passed. */
function unlisted(missing: number, isFull: boolean, what: string, more?: string): readonly Check[] {
  const where = isFull ? `past the first ${PAGE_SIZE}` : 'that GitHub does not list'
  return missing > 0 ? [{ name: `${formatCount(missing, what, more)} ${where}`, state: 'pending', count: missing }] : []
}

/** What a suite says that its check runs on the list do not. Other apps have suites for nothing, and leave them as they are. */
function checkOfSuite(suite: Suite): readonly Check[] {
  const { app, name, state, conclusion, isGuarded, needsPerson, count, listed } = suite
  const missing = count - listed.length
  const more = { name: `${formatCount(missing, 'more check')} of ${name}`, count: missing, app }
  if (state === 'success') return missing > 0 ? [{ ...more, state }] : []
  if (state === 'approval')
    return listed.some((run) => run.waitsForApproval)
      ? []
      : [{ name, state: 'pending', waitsForApproval: true, isGuarded, app }]
  const isUsed = app === ACTIONS || needsPerson || count > 0 || listed.length > 0
  if (!isUsed) return []
  const isRunning = listed.some((run) => run.state === 'pending' && !run.waitsForApproval)
  if (state === 'pending' && isRunning && missing > 0) return [{ ...more, state }]
  if (listed.some((run) => run.state === state)) return []
  if (state === 'failure')
    return [{ name: `${name}, which ended with ${conclusion ?? state}`, state, app, needsPerson }]
  return app === ACTIONS || missing > 0 ? [{ name: `${name}, which has not ended`, state, app }] : []
}

/** GitHub's sum counts for the statuses that are on no page that was read. */
function checksOfStatuses({ items, missing, isFull, sum }: FirstPage<Check>): readonly Check[] {
  const state = isFull ? stateOfStatus(sum) : 'pending'
  const isTold = items.some((check) => check.state === 'failure')
  if (missing <= 0 || state === 'pending' || (state === 'failure' && isTold))
    return [...items, ...unlisted(missing, isFull, 'commit status', 'commit statuses')]
  return [...items, { name: formatCount(missing, 'more commit status', 'more commit statuses'), state, count: missing }]
}

/** A later run that skips a job does not take the place of one that did it. */
function isReplaced({ name }: CheckRun, { listed }: Suite): boolean {
  const ofName = listed.filter((run) => run.name === name)
  return ofName.length === 0 || ofName.some(({ isSkipped }) => !isSkipped)
}

/**
 * What counts of all that a commit's checks are. A check is of one app, one workflow and event, and one suite: only a later
 * run of the same workflow and event takes its place.
 */
export function judgeChecks(answers: CommitAnswers, own: OwnRun): readonly Check[] {
  const { suites, checkRuns, statuses, workflowRuns } = answers
  const [runs, unread] = workflowRuns instanceof Error ? [[], workflowRuns] : [workflowRuns]
  const all = joinSuites(suites.items, runs, checkRuns.items)

  const isOwn = ({ app, pageUrl }: CheckRun): boolean => app === ACTIONS && isOwnPage(pageUrl, own)
  const others = all.filter(({ run, listed }) => run?.id !== own.runId && !listed.some(isOwn))
  const laterThan = (older: Suite | undefined) => all.filter(({ run }) => supersedes(run, older?.run))

  const judged: readonly Check[] = [
    ...checkRuns.items.filter((run) => {
      const suite = others.find(({ listed }) => listed.includes(run))
      return !isOwn(run) && !laterThan(suite).some((later) => isReplaced(run, later))
    }),
    ...others.filter((suite) => laterThan(suite).length === 0).flatMap(checkOfSuite),
  ]
  // With one suite, nothing can have taken its place.
  const doubt = others.filter(({ app }) => app === ACTIONS).length > 1 ? unread : undefined
  const isDoubtful = ({ app, state }: Check): boolean => app === ACTIONS && state !== 'success'
  const known = others.reduce((sum, { count, listed }) => sum + Math.max(0, count - listed.length), 0)
  return [
    ...judged.map((check) => (doubt !== undefined && isDoubtful(check) ? { ...check, doubt } : check)),
    ...unlisted(checkRuns.missing - known, checkRuns.isFull, 'check run'),
    ...unlisted(suites.missing, suites.isFull, 'check suite'),
    ...checksOfStatuses(statuses),
  ]
}

const parseSuites = createFirstPageParser('check_suites', checkSuiteSchema)
const parseCheckRuns = createFirstPageParser('check_runs', checkRunSchema)
const parseStatuses = createFirstPageParser('statuses', commitStatusSchema)
const parseWorkflowRuns = createFirstPageParser('workflow_runs', workflowRunSchema)

const MAX_ANNOTATIONS = 50

const annotationSchema = z.pipe(
  z.object({
    path: z.catch(z.string(), 'a file'),
    start_line: z.catch(z.int(), 0),
    title: textOrEmpty,
    message: textOrEmpty,
  }),
  z.transform(({ path, start_line: line, title, message }) => ({ path, line, title, message })),
)
/** Something that a check run found in a file. */
export type Annotation = Readonly<z.infer<typeof annotationSchema>>

const NONE = { items: [], missing: 0, isFull: false }

export interface Checks {
  /**
   * All that counts of a commit's checks, but for those of the run that asks: four requests however much there is, as the
   * suites tell of runs past the first page. Without `actions: read` it is not known what took the place of what, so that all
   * of it counts.
   * @param suffices whether check runs and commit statuses tell enough by themselves. Two fewer requests are made then; what
   * was replaced counts as well, and what only a suite tells is missing.
   */
  readonly readChecks: (
    repository: string,
    sha: string,
    own: OwnRun,
    suffices?: (listed: readonly Check[]) => boolean,
  ) => Promise<readonly Check[]>
  /** The first annotations of a check run. */
  readonly listAnnotations: (repository: string, checkRunId: number) => Promise<readonly Annotation[]>
}

export const connectChecks = (call: Call): Checks => ({
  readChecks: async (repository, sha, own, suffices) => {
    const ofCommit = { ref: sha, per_page: PAGE_SIZE }
    const readSuites = () =>
      call('checks: read', repository, async ({ request, repo }) => {
        const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-suites'
        return parseSuites(await request(route, { ...repo, ...ofCommit }))
      })
    const early = suffices === undefined ? await readSuites() : undefined
    const checkRuns = await call('checks: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs'
      return parseCheckRuns(await request(route, { ...repo, ...ofCommit, filter: 'latest' }))
    })
    const statuses = await call('statuses: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/commits/{ref}/status'
      return parseStatuses(await request(route, { ...repo, ...ofCommit }))
    })
    if (suffices !== undefined) {
      const listed = judgeChecks({ suites: NONE, checkRuns, statuses, workflowRuns: [] }, own)
      if (suffices(listed)) return listed
    }
    const suites = early ?? (await readSuites())
    const runs = call('actions: read', repository, async ({ request, repo }) => {
      const query = { per_page: PAGE_SIZE, head_sha: sha, exclude_pull_requests: true }
      const response = await request('GET /repos/{owner}/{repo}/actions/runs', { ...repo, ...query })
      return parseWorkflowRuns(response)
    })
    const mayNotKnow = (error: unknown): ActionError => rethrowFatal(error, 'forbidden', 'not-found')
    const workflowRuns = await runs.then(({ items }) => items, mayNotKnow)
    return judgeChecks({ suites, checkRuns, statuses, workflowRuns }, own)
  },
  listAnnotations: (repository, checkRunId) =>
    call('checks: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations'
      const response = await request(route, { ...repo, check_run_id: checkRunId, per_page: MAX_ANNOTATIONS })
      return parseResponse(skipMalformed(annotationSchema), response)
    }),
})
