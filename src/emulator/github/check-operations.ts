import { findCommit } from './history.ts'
import { defineOperation, type Operations } from './operation.ts'
import { toNodeId } from './node-id.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import {
  type Call,
  NOT_FOUND,
  type Reply,
  getApiUrl,
  created,
  createListReply,
  ok,
  refuse,
  formatTime,
} from './reply.ts'
import { type Annotation, type CheckRun, type CommitStatus, selectStatuses } from './check-state.ts'
import {
  toAppBody,
  getAppId,
  getCheckPageUrl,
  toMinimalRepositoryBody,
  toSimpleCommitBody,
  toUserBody,
} from './resource-body.ts'
import { takeId } from './state.ts'
import { type ShownSuite, selectLatestRuns, getStatus, listCheckSuites } from './checks-view.ts'

export function toCheckRunBody(call: Call, run: CheckRun): object {
  const { nowMs } = call
  const { id, app, suiteId, startedAtMs, completedAtMs } = run
  const status = getStatus(run, nowMs)
  const isCompleted = status === 'completed'
  const page = getCheckPageUrl(call, run)
  const { title = null, summary = null, annotations = [] } = isCompleted ? run : {}
  return {
    id,
    name: run.name,
    node_id: toNodeId('CR', call.repository.id, id),
    url: getApiUrl(call, `/check-runs/${id}`),
    head_sha: run.headSha,
    status,
    conclusion: isCompleted ? run.conclusion : null,
    started_at: nowMs >= startedAtMs ? formatTime(startedAtMs) : null,
    completed_at: isCompleted ? formatTime(completedAtMs) : null,
    html_url: page,
    details_url: run.detailsUrl ?? page,
    app: toAppBody(call, app),
    check_suite: { id: suiteId },
    output: { title, summary, text: null, annotations_count: annotations.length },
    external_id: '',
    pull_requests: [],
  }
}

/** Resolves the `ref` of the path to a commit id. */
function getSha({ repository, params: { ref = '' } }: Call): string {
  return findCommit(repository, ref)?.sha ?? ref
}

/** Selects the items of the path's commit that exist at the time of the call. */
function selectForCommit<T extends { readonly headSha: string; readonly createdAtMs: number }>(
  call: Call,
  items: readonly T[],
): readonly T[] {
  const sha = getSha(call)
  return items.filter(({ headSha, createdAtMs }) => headSha === sha && createdAtMs <= call.nowMs)
}

/** Creates a filter for the query's name, app and status. */
function createCheckFilter({ query, nowMs }: Call): (run: CheckRun) => boolean {
  const [name, app, status] = ['check_name', 'app_id', 'status'].map((parameter) => query.get(parameter))
  return (run) =>
    (name === null || run.name === name) &&
    (app === null || Number(app) === getAppId(run.app)) &&
    (status === null || getStatus(run, nowMs) === status)
}

function listCheckRuns(call: Call): Reply {
  const { repository, query } = call
  const registered = selectForCommit(call, repository.checkRuns)
  const runs = (query.get('filter') === 'all' ? registered : selectLatestRuns(registered)).filter(
    createCheckFilter(call),
  )
  const total_count = runs.length + repository.unlistedChecks
  return createListReply(call, runs, toCheckRunBody, (check_runs) => ({ total_count, check_runs }))
}

export function toSuiteBody(call: Call, suite: ShownSuite): object {
  const { id, headSha, app, status, conclusion, runs, updatedAtMs } = suite
  const headCommit = findCommit(call.repository, headSha)
  return {
    id,
    status,
    conclusion,
    latest_check_runs_count: runs,
    updated_at: formatTime(updatedAtMs),
    created_at: null,
    head_sha: headSha,
    head_branch: null,
    head_commit:
      headCommit === undefined
        ? { id: headSha, tree_id: headSha, message: '', timestamp: formatTime(0), author: null, committer: null }
        : toSimpleCommitBody(call, headCommit),
    before: null,
    after: headSha,
    app: toAppBody(call, app),
    repository: toMinimalRepositoryBody(call, call.name, call.repository),
    pull_requests: [],
  }
}

function listSuites(call: Call): Reply {
  const { query, repository } = call
  const [app, name] = [query.get('app_id'), query.get('check_name')]
  const suites = listCheckSuites(repository, getSha(call), call.nowMs).filter(
    (suite) =>
      (app === null || Number(app) === getAppId(suite.app)) &&
      (name === null || repository.checkRuns.some((run) => run.suiteId === suite.id && run.name === name)),
  )
  return createListReply(call, suites, toSuiteBody, (check_suites) => ({ total_count: suites.length, check_suites }))
}

export function toStatusBody(call: Call, status: CommitStatus): Readonly<Record<string, unknown>> {
  const { context, state, headSha, createdAtMs, description = null, targetUrl = null } = status
  const { id, statuses } = call.repository
  const number = statuses.indexOf(status) + 1
  return {
    id: number,
    node_id: toNodeId('SC', id, number),
    url: getApiUrl(call, `/statuses/${headSha}`),
    context,
    state,
    description,
    target_url: targetUrl,
    created_at: formatTime(createdAtMs),
    updated_at: formatTime(createdAtMs),
  }
}

function combineStates(states: readonly CommitStatus['state'][]): 'failure' | 'pending' | 'success' {
  if (states.some((state) => state === 'failure' || state === 'error')) return 'failure'
  return states.length === 0 || states.includes('pending') ? 'pending' : 'success'
}

/** Only the newest status of each context counts. */
function getCombinedStatus(call: Call): Reply {
  const { repository } = call
  const reported = selectStatuses(repository.statuses, getSha(call), call.nowMs)
  const newest = new Map(reported.map((status) => [status.context, status]))
  const all = [...newest.values()]
  return createListReply(call, all, toStatusBody, (statuses) => ({
    sha: getSha(call),
    url: getApiUrl(call, `/commits/${getSha(call)}/status`),
    state: combineStates(all.map(({ state }) => state)),
    total_count: all.length + repository.unlistedChecks,
    repository: toMinimalRepositoryBody(call, call.name, repository),
    statuses,
  }))
}

interface CheckFields {
  readonly name?: string
  readonly head_sha?: string
  readonly status?: 'queued' | 'in_progress' | 'completed'
  readonly conclusion?: string
  readonly started_at?: string
  readonly completed_at?: string
  readonly details_url?: string
  readonly output?: { readonly title?: string; readonly summary?: string; readonly annotations?: readonly Annotation[] }
}

/** Applies the fields of a request to a check run. A conclusion completes it. */
function applyCheckFields(fields: CheckFields, before: CheckRun, nowMs: number): CheckRun {
  const { name = before.name, conclusion, output, details_url: detailsUrl = before.detailsUrl } = fields
  const { status = conclusion === undefined ? undefined : 'completed' } = fields
  const times = { startedAtMs: before.startedAtMs, completedAtMs: before.completedAtMs }
  if (status === 'queued') Object.assign(times, { startedAtMs: Infinity, completedAtMs: Infinity })
  if (status === 'in_progress')
    Object.assign(times, { startedAtMs: Math.min(nowMs, before.startedAtMs), completedAtMs: Infinity })
  if (status === 'completed')
    Object.assign(times, { startedAtMs: Math.min(nowMs, before.startedAtMs), completedAtMs: nowMs })
  if (fields.started_at !== undefined) times.startedAtMs = Date.parse(fields.started_at)
  if (fields.completed_at !== undefined) times.completedAtMs = Date.parse(fields.completed_at)
  return {
    ...before,
    name,
    ...times,
    ...(conclusion !== undefined && { conclusion }),
    ...(detailsUrl !== undefined && { detailsUrl }),
    ...(output?.title !== undefined && { title: output.title }),
    ...(output?.summary !== undefined && { summary: output.summary }),
    annotations: [...(before.annotations ?? []), ...(output?.annotations ?? [])],
  }
}

/**
 * Checks what GitHub requires: a conclusion for a completed check run, and the given fields in an `output`. In GitHub's API
 * description these are `title` and `summary` in `checks/create`, and only `summary` in `checks/update`.
 */
function findCheckProblem(
  { status, conclusion, output }: CheckFields,
  outputFields: readonly ('title' | 'summary')[],
): Reply | undefined {
  if (status === 'completed' && conclusion === undefined)
    return refuse(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.')
  const missing = output === undefined ? [] : outputFields.filter((field) => output[field] === undefined)
  if (missing.length === 0) return undefined
  const names = missing.map((field) => `"${field}"`).join(', ')
  return refuse(422, `Invalid request.\n\n${names} ${missing.length === 1 ? "wasn't" : "weren't"} supplied.`)
}

/** Returns the slug of the app that the token belongs to. */
const getApp = ({ state }: Call): string => state.identity.replace(/\[bot\]$/, '')

function createCheck(call: Call): Reply {
  const { repository, state, nowMs } = call
  const fields = call.body as CheckFields
  const problem = findCheckProblem(fields, ['title', 'summary'])
  if (problem !== undefined) return problem
  const { name = '', head_sha: headSha = '' } = fields
  if (!repository.commits.some(({ sha }) => sha === headSha)) return refuse(422, `No commit found for SHA: ${headSha}`)
  const app = getApp(call)
  const isInSuite = (run: CheckRun): boolean => run.headSha === headSha && run.app === app && run.runId === undefined
  const suiteId = repository.checkRuns.find(isInSuite)?.suiteId ?? takeId(state)
  const times = { createdAtMs: nowMs, startedAtMs: Infinity, completedAtMs: Infinity }
  const blank = { id: takeId(state), name, headSha, app, suiteId, ...times, conclusion: 'neutral' }
  const run = applyCheckFields({ status: 'queued', ...fields }, blank, nowMs)
  repository.checkRuns.push(run)
  return created(toCheckRunBody(call, run))
}

function withCheck(handle: (call: Call, run: CheckRun) => Reply): (call: Call) => Reply {
  return (call) => {
    const run = call.repository.checkRuns.find(({ id }) => String(id) === call.params['check_run_id'])
    return run === undefined || run.createdAtMs > call.nowMs ? NOT_FOUND : handle(call, run)
  }
}

function updateCheck(call: Call, run: CheckRun): Reply {
  const { repository, nowMs } = call
  const fields = call.body as CheckFields
  const problem = findCheckProblem(fields, ['summary'])
  if (problem !== undefined) return problem
  if (run.app !== getApp(call))
    return refuse(
      403,
      'Invalid app_id for check_run - check_run can only be modified by the GitHub App that created it.',
    )
  const changed = applyCheckFields(fields, run, nowMs)
  repository.checkRuns.splice(repository.checkRuns.indexOf(run), 1, changed)
  return ok(toCheckRunBody(call, changed))
}

interface StatusFields {
  readonly state: CommitStatus['state']
  readonly context?: string
  readonly description?: string | null
  readonly target_url?: string | null
}

function createStatus(call: Call): Reply {
  const { repository, params, nowMs, state } = call
  const {
    state: reported,
    context = 'default',
    description,
    target_url: targetUrl,
  } = call.body as unknown as StatusFields
  const commit = repository.commits.find(({ sha }) => sha === params['sha'])
  if (commit === undefined) return refuse(422, `No commit found for SHA: ${params['sha'] ?? ''}`)
  const status: CommitStatus = {
    headSha: commit.sha,
    context,
    state: reported,
    ...(typeof description === 'string' && { description }),
    ...(typeof targetUrl === 'string' && { targetUrl }),
    creator: state.identity,
    createdAtMs: nowMs,
  }
  repository.statuses.push(status)
  return created(toFullStatusBody(call, status))
}

/** Only some responses contain the creator. */
function toFullStatusBody(call: Call, status: CommitStatus): object {
  return { ...toStatusBody(call, status), creator: toUserBody(call.state, status.creator ?? 'mona') }
}

/** Lists all statuses, newest first, including statuses that a newer one of the same context replaced. */
function listStatuses(call: Call): Reply {
  const statuses = selectStatuses(call.repository.statuses, getSha(call), call.nowMs)
  return createListReply(call, statuses.toReversed(), toFullStatusBody)
}

const WITHOUT_COLUMNS = { start_column: null, end_column: null, raw_details: null }

function listAnnotations(call: Call): Reply {
  const run = call.repository.checkRuns.find(({ id }) => String(id) === call.params['check_run_id'])
  if (run === undefined) return NOT_FOUND
  const found = call.nowMs >= run.completedAtMs ? (run.annotations ?? []) : []
  return createListReply(call, found, (_call, annotation) => ({ ...WITHOUT_COLUMNS, ...annotation }))
}

const CHECK_RUN = '/check-runs/{check_run_id}'
const CONCLUSIONS = [
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'success',
  'skipped',
  'stale',
  'timed_out',
] as const
const CHECK = {
  name: 'text',
  details_url: 'text',
  status: ['queued', 'in_progress', 'completed', 'waiting', 'requested', 'pending'],
  started_at: 'time',
  completed_at: 'time',
  conclusion: CONCLUSIONS,
  output: 'object',
} as const
const UNSUPPORTED = ['external_id', 'actions'] as const

/** Check runs with their annotations, check suites, and commit statuses. */
export const CHECK_OPERATIONS: Operations = {
  'checks/list-for-ref': defineOperation('GET', '/commits/{ref}/check-runs', ['checks'], listCheckRuns, {
    query: {
      ...PAGE_PARAMETERS,
      check_name: 'text',
      app_id: 'integer',
      status: ['queued', 'in_progress', 'completed'],
      filter: ['latest', 'all'],
    },
  }),
  'checks/list-suites-for-ref': defineOperation('GET', '/commits/{ref}/check-suites', ['checks'], listSuites, {
    query: { ...PAGE_PARAMETERS, app_id: 'integer', check_name: 'text' },
  }),
  'checks/create': defineOperation('POST', '/check-runs', ['checks'], createCheck, {
    body: { ...CHECK, head_sha: 'text' },
    required: ['name', 'head_sha'],
    unsupported: UNSUPPORTED,
  }),
  'checks/get': defineOperation(
    'GET',
    CHECK_RUN,
    ['checks'],
    withCheck((call, run) => ok(toCheckRunBody(call, run))),
  ),
  'checks/update': defineOperation('PATCH', CHECK_RUN, ['checks'], withCheck(updateCheck), {
    body: CHECK,
    unsupported: UNSUPPORTED,
  }),
  'repos/create-commit-status': defineOperation('POST', '/statuses/{sha}', ['statuses'], createStatus, {
    body: {
      state: ['error', 'failure', 'pending', 'success'],
      context: 'text',
      description: 'text or null',
      target_url: 'text or null',
    },
    required: ['state'],
  }),
  'repos/list-commit-statuses-for-ref': defineOperation('GET', '/commits/{ref}/statuses', ['statuses'], listStatuses, {
    query: PAGE_PARAMETERS,
  }),
  'checks/list-annotations': defineOperation(
    'GET',
    '/check-runs/{check_run_id}/annotations',
    ['checks'],
    listAnnotations,
    {
      query: PAGE_PARAMETERS,
    },
  ),
  'repos/get-combined-status-for-ref': defineOperation(
    'GET',
    '/commits/{ref}/status',
    ['statuses'],
    getCombinedStatus,
    {
      query: PAGE_PARAMETERS,
    },
  ),
}
