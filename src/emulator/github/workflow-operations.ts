import { createHash } from 'node:crypto'
import type { ServiceRequest, ServiceResponse } from '../http/exchange.ts'
import { findCommit } from './history.ts'
import { CONTENTS, operation, type Operations } from './operation.ts'
import { nodeId } from './node-id.ts'
import { PAGE } from './parameters.ts'
import { type Call, NOT_FOUND, type Reply, apiUrl, listReply, noContent, ok, refusal, wireTime } from './reply.ts'
import { LONG_AGO, checkPage, minimalRepositoryBody, userBody } from './resource-body.ts'
import type { CheckRun, WorkflowRun } from './check-state.ts'
import { type GitHubState, takeId } from './state.ts'
import { latestRuns, getStatus, findSuites } from './checks-view.ts'

type ShownRun = WorkflowRun & { readonly updatedAtMs?: number }

/** Workflows are counted in the order in which they came. */
function getWorkflowId(repository: Call['repository'], file: string): number {
  return listWorkflows(repository).indexOf(file) + 1
}

function runBody(call: Call, run: ShownRun): object {
  const { baseUrl, name, state, repository } = call
  const { id, workflow, branch, headSha, event, suiteId, headRepository = name, actor = 'mona' } = run
  const { createdAtMs, updatedAtMs = createdAtMs } = run
  return {
    id,
    node_id: nodeId('WFR', repository.id, id),
    url: apiUrl(call, `/actions/runs/${id}`),
    name: workflow,
    path: `.github/workflows/${workflow}`,
    head_branch: branch,
    head_sha: headSha,
    event,
    status: run.status,
    conclusion: run.conclusion,
    ...(suiteId === undefined ? {} : { check_suite_id: suiteId }),
    workflow_id: getWorkflowId(repository, workflow),
    workflow_url: apiUrl(call, `/actions/workflows/${getWorkflowId(repository, workflow)}`),
    jobs_url: apiUrl(call, `/actions/runs/${id}/jobs`),
    artifacts_url: apiUrl(call, `/actions/runs/${id}/artifacts`),
    run_number: id,
    run_attempt: run.attempt ?? 1,
    display_title: workflow,
    head_commit: null,
    pull_requests: [],
    html_url: `${baseUrl}/${name}/actions/runs/${id}`,
    head_repository: minimalRepositoryBody(call, headRepository, {
      ...repository,
      ...repository.forks[headRepository],
    }),
    repository: minimalRepositoryBody(call, name, repository),
    actor: userBody(state, actor),
    created_at: wireTime(createdAtMs),
    run_started_at: wireTime(createdAtMs),
    updated_at: wireTime(updatedAtMs),
  }
}

/** As it is by now: it ends with its jobs. */
function asOf({ repository, nowMs }: Call, run: WorkflowRun): ShownRun {
  const jobs = repository.checkRuns.filter(({ runId }) => runId === run.id)
  const attempt = Math.max(1, ...jobs.filter(({ createdAtMs }) => createdAtMs <= nowMs).map((job) => job.attempt ?? 1))
  const suite = findSuites(repository, run.headSha, nowMs).find(({ id, runs }) => id === run.suiteId && runs > 0)
  return suite === undefined
    ? run
    : { ...run, ...suite, id: run.id, attempt, status: suite.status as WorkflowRun['status'] }
}

/** Newest first. The branch of a fork counts by its name, too. */
function listRuns(call: Call): Reply {
  const { query, params, repository, nowMs } = call
  const { workflow_id: named } = params
  const asked = named === undefined ? undefined : findWorkflow(repository, named)
  if (named !== undefined && asked === undefined) return NOT_FOUND
  const fits = (name: string, ...values: readonly (string | null)[]): boolean =>
    query.get(name) === null || values.includes(query.get(name))
  const found = repository.workflowRuns
    .map((run) => asOf(call, run))
    .filter(
      ({ workflow, branch, status, conclusion, headSha, createdAtMs, event, actor = 'mona', suiteId }) =>
        createdAtMs + call.state.lag.runsMs <= nowMs &&
        (asked ?? workflow) === workflow &&
        fits('branch', branch) &&
        fits('status', status, conclusion) &&
        fits('head_sha', headSha) &&
        fits('event', event) &&
        fits('actor', actor) &&
        fits('check_suite_id', String(suiteId)),
    )
    .sort((a, b) => b.id - a.id)
  return listReply(call, found, runBody, (workflow_runs) => ({ total_count: found.length, workflow_runs }))
}

const GOOD_FOR_MS = 60_000
const PATH = /^\/job-logs\/(\d+)$/

const toSignature = (id: number, untilMs: number): string =>
  createHash('sha256').update(`job log ${id} until ${untilMs}`).digest('hex')

/** Where the log of a job can be read for a minute, by whoever has the address. */
export function signedLogAddress(baseUrl: string, id: number, nowMs: number): string {
  const untilMs = nowMs + GOOD_FOR_MS
  return `${baseUrl}/job-logs/${id}?until=${untilMs}&sig=${toSignature(id, untilMs)}`
}

/** The job whose log a request may read. `elsewhere`: the request is for something else. */
export function readLogAddress(target: string, nowMs: number): number | 'forbidden' | 'elsewhere' {
  const [path = '', query] = target.split('?')
  const id = PATH.exec(path)?.[1]
  if (id === undefined) return 'elsewhere'
  const given = new URLSearchParams(query)
  const untilMs = Number(given.get('until'))
  return nowMs < untilMs && given.get('sig') === toSignature(Number(id), untilMs) ? Number(id) : 'forbidden'
}

/** The log store is not GitHub: it knows addresses, and no tokens. */
export function answerLog(
  job: number | 'forbidden',
  { headers }: ServiceRequest,
  { repositories }: GitHubState,
): ServiceResponse {
  const text = (status: number, body: string): ServiceResponse => ({
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body,
    delivery: 'whole',
  })
  if (headers['authorization'] !== undefined) return text(400, 'The authorization header is not accepted here.')
  if (job === 'forbidden') return text(403, 'The signature is not valid, or has expired.')
  const runs = Object.values(repositories).flatMap(({ checkRuns }) => checkRuns)
  return text(200, runs.find(({ id }) => id === job)?.log ?? '')
}

/** The log is elsewhere: whoever has the address may read it, for a minute, and must not show the token there. */
function redirectToLog({ repository, params, nowMs, baseUrl }: Call): Reply {
  const job = repository.checkRuns.find(({ id }) => String(id) === params['job_id'])
  if (job?.runId === undefined || nowMs < job.completedAtMs) return NOT_FOUND
  if (job.log === undefined) return refusal(410, 'Gone')
  return { status: 302, body: undefined, headers: { location: signedLogAddress(baseUrl, job.id, nowMs) } }
}

const STATUSES = ['completed', 'in_progress', 'queued', 'requested', 'waiting', 'pending'] as const
const CONCLUSIONS = [
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'skipped',
  'stale',
  'success',
  'timed_out',
] as const

/** No run here names a pull request, so that they are always left out. */
const RUNS = {
  query: {
    ...PAGE,
    actor: 'text',
    branch: 'text',
    event: 'text',
    head_sha: 'text',
    check_suite_id: 'integer',
    exclude_pull_requests: 'boolean',
    status: [...STATUSES, ...CONCLUSIONS],
  },
  unplayed: ['created'],
} as const

function withRun(answer: (call: Call, run: WorkflowRun) => Reply): (call: Call) => Reply {
  return (call) => {
    const run = call.repository.workflowRuns.find(({ id }) => String(id) === call.params['run_id'])
    if (run === undefined || run.createdAtMs + call.state.lag.runsMs > call.nowMs) return NOT_FOUND
    return answer(call, run)
  }
}

function jobBody(call: Call, { workflow, branch }: WorkflowRun, job: CheckRun): object {
  const { repository, nowMs } = call
  const { id, runId = 0, headSha, name, attempt = 1, createdAtMs, startedAtMs, completedAtMs, conclusion } = job
  const status = getStatus(job, nowMs)
  const isOver = status === 'completed'
  return {
    id,
    node_id: nodeId('CR', repository.id, id),
    run_id: runId,
    run_url: apiUrl(call, `/actions/runs/${runId}`),
    run_attempt: attempt,
    workflow_name: workflow,
    head_branch: branch,
    head_sha: headSha,
    name,
    url: apiUrl(call, `/actions/jobs/${id}`),
    html_url: checkPage(call, job),
    check_run_url: apiUrl(call, `/check-runs/${id}`),
    status,
    conclusion: isOver ? conclusion : null,
    created_at: wireTime(createdAtMs),
    started_at: wireTime(nowMs >= startedAtMs ? startedAtMs : createdAtMs),
    completed_at: isOver ? wireTime(completedAtMs) : null,
    steps: [],
    labels: ['ubuntu-latest'],
    runner_id: null,
    runner_name: null,
    runner_group_id: null,
    runner_group_name: null,
  }
}

function listJobs(call: Call, run: WorkflowRun): Reply {
  const { checkRuns } = call.repository
  const there = checkRuns.filter(({ runId, createdAtMs }) => runId === run.id && createdAtMs <= call.nowMs)
  const jobs = call.query.get('filter') === 'all' ? there : latestRuns(there)
  return listReply(
    call,
    jobs,
    (_call, job) => jobBody(call, run, job),
    (bodies) => ({ total_count: jobs.length, jobs: bodies }),
  )
}

/** Nothing here uploads any. */
function listArtifacts(call: Call): Reply {
  return listReply(
    call,
    [],
    () => ({}),
    (artifacts) => ({ total_count: 0, artifacts }),
  )
}

const listWorkflows = ({ workflows, workflowRuns }: Call['repository']): readonly string[] => [
  ...new Set([...workflows, ...workflowRuns.map(({ workflow }) => workflow)]),
]

function workflowBody(call: Call, file: string): object {
  const { repository, baseUrl, name } = call
  const id = getWorkflowId(repository, file)
  const path = `.github/workflows/${file}`
  return {
    id,
    node_id: nodeId('W', repository.id, id),
    name: file,
    path,
    state: 'active',
    url: apiUrl(call, `/actions/workflows/${id}`),
    html_url: `${baseUrl}/${name}/blob/${repository.defaultBranch}/${path}`,
    badge_url: `${baseUrl}/${name}/workflows/${file}/badge.svg`,
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
  }
}

function listAllWorkflows(call: Call): Reply {
  const files = listWorkflows(call.repository)
  return listReply(call, files, workflowBody, (workflows) => ({ total_count: files.length, workflows }))
}

function getWorkflow(call: Call): Reply {
  const file = findWorkflow(call.repository, call.params['workflow_id'] ?? '')
  return file === undefined ? NOT_FOUND : ok(workflowBody(call, file))
}

/** Somebody asks for a run. It stays queued: no runner is here. */
function dispatchWorkflow(call: Call): Reply {
  const { repository, params, body, state, nowMs } = call
  const { workflow_id: named = '' } = params
  const workflow = findWorkflow(repository, named)
  const ref = String(body['ref'])
  const commit = findCommit(repository, ref)
  if (workflow === undefined) return NOT_FOUND
  if (commit === undefined) return refusal(422, `No ref found for: ${ref}`)
  const { inputs = {} } = body
  const { identity: actor } = state
  const branch = ref.replace(/^refs\/(?:heads|tags)\//, '')
  const payload = { inputs, ref: `refs/heads/${branch}`, workflow: `.github/workflows/${workflow}` }
  repository.dispatches.push({ event: 'workflow_dispatch', actor, atMs: nowMs, payload })
  const run = { id: takeId(state), workflow, branch, headSha: commit.sha, event: 'workflow_dispatch', actor }
  repository.workflowRuns.push({ ...run, status: 'queued', conclusion: null, createdAtMs: nowMs })
  return noContent()
}

/** A workflow by its file or by its id. */
function findWorkflow(repository: Call['repository'], named: string): string | undefined {
  return listWorkflows(repository).find((file) => file === named || String(getWorkflowId(repository, file)) === named)
}

function dispatchRepository({ repository, body, state, nowMs }: Call): Reply {
  const { event_type: action, client_payload = {} } = body
  const { identity: actor } = state
  const payload = { action, client_payload, branch: repository.defaultBranch }
  repository.dispatches.push({ event: 'repository_dispatch', actor, atMs: nowMs, payload })
  return noContent()
}

const RUN = '/actions/runs/{run_id}'

/** Workflows, their runs and jobs, the logs of jobs, and requests for runs. */
export const WORKFLOW_OPERATIONS: Operations = {
  'actions/list-workflow-runs-for-repo': operation('GET', '/actions/runs', ['actions'], listRuns, RUNS),
  'actions/list-workflow-runs': operation('GET', '/actions/workflows/{workflow_id}/runs', ['actions'], listRuns, RUNS),
  'actions/get-workflow-run': operation(
    'GET',
    RUN,
    ['actions'],
    withRun((call, run) => ok(runBody(call, asOf(call, run)))),
    { query: { exclude_pull_requests: 'boolean' } },
  ),
  'actions/list-jobs-for-workflow-run': operation('GET', `${RUN}/jobs`, ['actions'], withRun(listJobs), {
    query: { ...PAGE, filter: ['latest', 'all'] },
  }),
  'actions/list-workflow-run-artifacts': operation('GET', `${RUN}/artifacts`, ['actions'], withRun(listArtifacts), {
    query: { ...PAGE, name: 'text', direction: ['asc', 'desc'] },
  }),
  'actions/list-repo-workflows': operation('GET', '/actions/workflows', ['actions'], listAllWorkflows, { query: PAGE }),
  'actions/get-workflow': operation('GET', '/actions/workflows/{workflow_id}', ['actions'], getWorkflow),
  'actions/create-workflow-dispatch': operation(
    'POST',
    '/actions/workflows/{workflow_id}/dispatches',
    ['actions'],
    dispatchWorkflow,
    { body: { ref: 'text', inputs: 'object' }, required: ['ref'], unplayed: ['return_run_details'] },
  ),
  'repos/create-dispatch-event': operation('POST', '/dispatches', CONTENTS, dispatchRepository, {
    body: { event_type: 'text', client_payload: 'object' },
    required: ['event_type'],
  }),
  'actions/download-job-logs-for-workflow-run': operation(
    'GET',
    '/actions/jobs/{job_id}/logs',
    ['actions'],
    redirectToLog,
  ),
}
