import { findCommit } from './history.ts'
import { defineOperation, type Operations } from './operation.ts'
import { toNodeId } from './node-id.ts'
import { PAGE_PARAMETERS } from './parameters.ts'
import { type GitHubCall, NOT_FOUND, type Reply, getApiUrl, createListReply, formatTime } from './reply.ts'
import { type CheckRun, type CommitStatus, selectStatuses } from './check-state.ts'
import { toAppBody, getCheckPageUrl, toMinimalRepositoryBody, toSimpleCommitBody } from './resource-body.ts'
import { type ShownSuite, selectLatestRuns, getStatus, listCheckSuites } from './checks-view.ts'

export function toCheckRunBody(call: GitHubCall, run: CheckRun): object {
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
function getSha({ repository, params: { ref = '' } }: GitHubCall): string {
  return findCommit(repository, ref)?.sha ?? ref
}

/** Selects the items of the path's commit that exist at the time of the call. */
function selectForCommit<T extends { readonly headSha: string; readonly createdAtMs: number }>(
  call: GitHubCall,
  items: readonly T[],
): readonly T[] {
  const sha = getSha(call)
  return items.filter(({ headSha, createdAtMs }) => headSha === sha && createdAtMs <= call.nowMs)
}

function listCheckRuns(call: GitHubCall): Reply {
  const { repository } = call
  const runs = selectLatestRuns(selectForCommit(call, repository.checkRuns))
  const total_count = runs.length + repository.unlistedChecks
  return createListReply(call, runs, toCheckRunBody, (check_runs) => ({ total_count, check_runs }))
}

export function toSuiteBody(call: GitHubCall, suite: ShownSuite): object {
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

function listSuites(call: GitHubCall): Reply {
  const suites = listCheckSuites(call.repository, getSha(call), call.nowMs)
  return createListReply(call, suites, toSuiteBody, (check_suites) => ({ total_count: suites.length, check_suites }))
}

export function toStatusBody(call: GitHubCall, status: CommitStatus): Readonly<Record<string, unknown>> {
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
function getCombinedStatus(call: GitHubCall): Reply {
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

const WITHOUT_COLUMNS = { start_column: null, end_column: null, raw_details: null }

function listAnnotations(call: GitHubCall): Reply {
  const run = call.repository.checkRuns.find(({ id }) => String(id) === call.params['check_run_id'])
  if (run === undefined) return NOT_FOUND
  const found = call.nowMs >= run.completedAtMs ? (run.annotations ?? []) : []
  return createListReply(call, found, (_call, annotation) => ({ ...WITHOUT_COLUMNS, ...annotation }))
}

/** Check runs with their annotations, check suites, and commit statuses. */
export const CHECK_OPERATIONS: Operations = {
  'checks/list-for-ref': defineOperation('GET', '/commits/{ref}/check-runs', ['checks'], listCheckRuns, {
    query: { ...PAGE_PARAMETERS, filter: ['latest'] },
    unsupported: ['filter=all', 'check_name', 'app_id', 'status'],
  }),
  'checks/list-suites-for-ref': defineOperation('GET', '/commits/{ref}/check-suites', ['checks'], listSuites, {
    query: PAGE_PARAMETERS,
    unsupported: ['app_id', 'check_name'],
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
