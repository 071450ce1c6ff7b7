import { findCommit } from './history.ts'
import { operation, type Operations } from './operation.ts'
import { type Call, NOT_FOUND, type Reply, listReply, wireTime } from './reply.ts'
import type { CheckRun, CommitStatus } from './check-state.ts'
import { appBody, repositoryBody } from './resource-body.ts'
import { type ShownSuite, latestRuns, statusOf, suitesOf } from './checks-view.ts'

function checkRunBody(call: Call, run: CheckRun): object {
  const { nowMs, baseUrl, name } = call
  const { id, runId, app, suiteId, startedAtMs, completedAtMs } = run
  const status = statusOf(run, nowMs)
  const isOver = status === 'completed'
  const page =
    runId === undefined ? `${baseUrl}/${name}/runs/${id}` : `${baseUrl}/${name}/actions/runs/${runId}/job/${id}`
  const { title = null, summary = null, annotations = [] } = isOver ? run : {}
  return {
    id,
    name: run.name,
    head_sha: run.headSha,
    status,
    conclusion: isOver ? run.conclusion : null,
    started_at: nowMs >= startedAtMs ? wireTime(startedAtMs) : null,
    completed_at: isOver ? wireTime(completedAtMs) : null,
    html_url: page,
    details_url: run.detailsUrl ?? page,
    app: appBody(call, app),
    check_suite: { id: suiteId },
    output: { title, summary, text: null, annotations_count: annotations.length },
    external_id: '',
    pull_requests: [],
  }
}

/** The commit that a path names. */
function shaOf({ repository, params: { ref = '' } }: Call): string {
  return findCommit(repository, ref)?.sha ?? ref
}

/** Those of the commit that the path names, by now. */
function ofCommit<T extends { readonly headSha: string; readonly createdAtMs: number }>(
  call: Call,
  items: readonly T[],
): readonly T[] {
  const sha = shaOf(call)
  return items.filter(({ headSha, createdAtMs }) => headSha === sha && createdAtMs <= call.nowMs)
}

function listCheckRuns(call: Call): Reply {
  const { repository } = call
  const runs = latestRuns(ofCommit(call, repository.checkRuns))
  const total_count = runs.length + repository.unlistedChecks
  return listReply(call, runs, checkRunBody, (check_runs) => ({ total_count, check_runs }))
}

function suiteBody(call: Call, suite: ShownSuite): object {
  const { id, headSha, app, status, conclusion, runs, updatedAtMs } = suite
  const { message = '', atMs = 0 } = findCommit(call.repository, headSha) ?? {}
  return {
    id,
    status,
    conclusion,
    latest_check_runs_count: runs,
    updated_at: wireTime(updatedAtMs),
    created_at: null,
    head_sha: headSha,
    head_branch: null,
    head_commit: { id: headSha, tree_id: headSha, message, timestamp: wireTime(atMs), author: null, committer: null },
    before: null,
    after: headSha,
    app: appBody(call, app),
    repository: repositoryBody(call, call.name, call.repository),
    pull_requests: [],
  }
}

function listSuites(call: Call): Reply {
  const suites = suitesOf(call.repository, shaOf(call), call.nowMs)
  return listReply(call, suites, suiteBody, (check_suites) => ({ total_count: suites.length, check_suites }))
}

function statusBody({ repository }: Call, status: CommitStatus): object {
  const { context, state, createdAtMs, description = null } = status
  return {
    id: repository.statuses.indexOf(status) + 1,
    context,
    state,
    description,
    target_url: null,
    created_at: wireTime(createdAtMs),
    updated_at: wireTime(createdAtMs),
  }
}

function combine(states: readonly CommitStatus['state'][]): 'failure' | 'pending' | 'success' {
  if (states.some((state) => state === 'failure' || state === 'error')) return 'failure'
  return states.length === 0 || states.includes('pending') ? 'pending' : 'success'
}

/** The newest status of each context counts. */
function combinedStatus(call: Call): Reply {
  const { repository } = call
  const newest = new Map(ofCommit(call, repository.statuses).map((status) => [status.context, status]))
  const all = [...newest.values()]
  return listReply(call, all, statusBody, (statuses) => ({
    sha: shaOf(call),
    state: combine(all.map(({ state }) => state)),
    total_count: all.length + repository.unlistedChecks,
    repository: repositoryBody(call, call.name, repository),
    statuses,
  }))
}

const WITHOUT_COLUMNS = { start_column: null, end_column: null, raw_details: null }

function listAnnotations(call: Call): Reply {
  const run = call.repository.checkRuns.find(({ id }) => String(id) === call.params['check_run_id'])
  if (run === undefined) return NOT_FOUND
  const found = call.nowMs >= run.completedAtMs ? (run.annotations ?? []) : []
  return listReply(call, found, (_call, annotation) => ({ ...WITHOUT_COLUMNS, ...annotation }))
}

/** Check runs with their annotations, check suites, and commit statuses. */
export const CHECK_OPERATIONS: Operations = {
  'checks/list-for-ref': operation('GET', '/commits/{ref}/check-runs', ['checks'], listCheckRuns),
  'checks/list-suites-for-ref': operation('GET', '/commits/{ref}/check-suites', ['checks'], listSuites),
  'checks/list-annotations': operation('GET', '/check-runs/{check_run_id}/annotations', ['checks'], listAnnotations),
  'repos/get-combined-status-for-ref': operation('GET', '/commits/{ref}/status', ['statuses'], combinedStatus),
}
