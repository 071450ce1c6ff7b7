import { createHash } from 'node:crypto'
import type { ServiceRequest, ServiceResponse } from '../http/exchange.ts'
import { findCommit } from './history.ts'
import { defineOperation, type Operations } from './operation.ts'
import { toNodeId } from './node-id.ts'
import { PAGE_PARAMETERS, type SupportedParameters } from './parameters.ts'
import {
  type GitHubCall,
  NOT_FOUND,
  type Reply,
  getApiUrl,
  createListReply,
  replyWithError,
  formatTime,
} from './reply.ts'
import { toMinimalRepositoryBody, toSimpleCommitBody, toUserBody } from './resource-body.ts'
import type { WorkflowRun } from './check-state.ts'
import type { GitHubState } from './state.ts'
import { listCheckSuites } from './checks-view.ts'

type ShownRun = WorkflowRun & { readonly updatedAtMs?: number }

/** The id of a workflow is its position in the list. */
function getWorkflowId(repository: GitHubCall['repository'], file: string): number {
  return listWorkflows(repository).indexOf(file) + 1
}

export function toRunBody(call: GitHubCall, run: ShownRun): object {
  const { baseUrl, name, state, repository } = call
  const { id, workflow, branch, headSha, event, suiteId, headRepository = name, actor = 'mona' } = run
  const { createdAtMs, updatedAtMs = createdAtMs } = run
  const { runBranch, defaultBranch } = repository
  const headCommit = findCommit(repository, headSha)
  return {
    id,
    node_id: toNodeId('WFR', repository.id, id),
    url: getApiUrl(call, `/actions/runs/${id}`),
    name: workflow,
    path: `.github/workflows/${workflow}`,
    head_branch: branch === defaultBranch ? (runBranch ?? branch) : branch,
    head_sha: headSha,
    event,
    status: run.status,
    conclusion: run.conclusion,
    ...(suiteId === undefined ? {} : { check_suite_id: suiteId }),
    workflow_id: getWorkflowId(repository, workflow),
    workflow_url: getApiUrl(call, `/actions/workflows/${getWorkflowId(repository, workflow)}`),
    jobs_url: getApiUrl(call, `/actions/runs/${id}/jobs`),
    artifacts_url: getApiUrl(call, `/actions/runs/${id}/artifacts`),
    run_number: id,
    run_attempt: run.attempt ?? 1,
    display_title: workflow,
    head_commit: headCommit === undefined ? null : toSimpleCommitBody(call, headCommit),
    pull_requests: [],
    html_url: `${baseUrl}/${name}/actions/runs/${id}`,
    head_repository: toMinimalRepositoryBody(call, headRepository, {
      ...repository,
      ...repository.forks[headRepository],
    }),
    repository: toMinimalRepositoryBody(call, name, repository),
    actor: toUserBody(state, actor),
    created_at: formatTime(createdAtMs),
    updated_at: formatTime(updatedAtMs),
  }
}

/** Derives the state of a run from its jobs. */
export function getCurrentRun({ repository, nowMs }: GitHubCall, run: WorkflowRun): ShownRun {
  const jobs = repository.checkRuns.filter(({ runId, createdAtMs }) => runId === run.id && createdAtMs <= nowMs)
  const attempt = Math.max(1, ...jobs.map((job) => job.attempt ?? 1))
  const suite = listCheckSuites(repository, run.headSha, nowMs).find(({ id }) => id === run.suiteId)
  return suite === undefined
    ? run
    : { ...run, ...suite, id: run.id, attempt, status: suite.status as WorkflowRun['status'] }
}

/**
 * Newest first. As on GitHub, `branch` also matches a fork's branch of the same name, and lists with `branch` or `status` can be
 * older than the complete list.
 */
function listRuns(call: GitHubCall): Reply {
  const { query, params, repository, nowMs } = call
  const { workflow_id: named } = params
  const requested = named === undefined ? undefined : findWorkflow(repository, named)
  if (named !== undefined && requested === undefined) return NOT_FOUND
  const matches = (name: string, ...values: readonly (string | null)[]): boolean =>
    query.get(name) === null || values.includes(query.get(name))
  const { runsMs, filteredRunsMs } = call.state.lag
  const isFiltered = query.get('branch') !== null || query.get('status') !== null
  const lagMs = isFiltered ? Math.max(runsMs, filteredRunsMs) : runsMs
  const found = repository.workflowRuns
    .map((run) => getCurrentRun(call, run))
    .filter(
      ({ workflow, branch, status, conclusion, headSha, createdAtMs }) =>
        createdAtMs + lagMs <= nowMs &&
        (requested ?? workflow) === workflow &&
        matches('branch', branch) &&
        matches('status', status, conclusion) &&
        matches('head_sha', headSha),
    )
    .sort((a, b) => b.id - a.id)
  return createListReply(call, found, toRunBody, (workflow_runs) => ({ total_count: found.length, workflow_runs }))
}

const LOG_URL_LIFETIME_MS = 60_000
const LOG_PATH = /^\/job-logs\/(\d+)$/

const toSignature = (id: number, untilMs: number): string =>
  createHash('sha256').update(`job log ${id} until ${untilMs}`).digest('hex')

/** Returns a URL that gives access to the log of a job for one minute, without a token. */
export function createLogUrl(baseUrl: string, id: number, nowMs: number): string {
  const untilMs = nowMs + LOG_URL_LIFETIME_MS
  return `${baseUrl}/job-logs/${id}?until=${untilMs}&sig=${toSignature(id, untilMs)}`
}

/** Returns the job id of a log URL. `forbidden`: the signature is invalid or expired. `elsewhere`: not a log URL. */
export function parseLogUrl(target: string, nowMs: number): number | 'forbidden' | 'elsewhere' {
  const [path = '', query] = target.split('?')
  const id = LOG_PATH.exec(path)?.[1]
  if (id === undefined) return 'elsewhere'
  const parameters = new URLSearchParams(query)
  const untilMs = Number(parameters.get('until'))
  return nowMs < untilMs && parameters.get('sig') === toSignature(Number(id), untilMs) ? Number(id) : 'forbidden'
}

/** Responds as the log storage, which is separate from GitHub: it accepts signed URLs and rejects tokens. */
export function handleLogRequest(
  job: number | 'forbidden',
  { headers }: ServiceRequest,
  { repositories }: GitHubState,
): ServiceResponse {
  const createTextResponse = (status: number, body: string): ServiceResponse => ({
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body,
    delivery: 'complete',
  })
  if (headers['authorization'] !== undefined)
    return createTextResponse(400, 'The authorization header is not accepted here.')
  if (job === 'forbidden') return createTextResponse(403, 'The signature is not valid, or has expired.')
  const runs = Object.values(repositories).flatMap(({ checkRuns }) => checkRuns)
  return createTextResponse(200, runs.find(({ id }) => id === job)?.log ?? '')
}

/** Redirects to the log storage, where the signed URL is sufficient and a token must not be sent. */
function redirectToLog({ repository, params, nowMs, baseUrl }: GitHubCall): Reply {
  const job = repository.checkRuns.find(({ id }) => String(id) === params['job_id'])
  if (job?.runId === undefined || nowMs < job.completedAtMs) return NOT_FOUND
  if (job.log === undefined) return replyWithError(410, 'Gone')
  return { status: 302, body: undefined, headers: { location: createLogUrl(baseUrl, job.id, nowMs) } }
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

/** `exclude_pull_requests` has no effect, because runs here never list pull requests. */
const RUNS = {
  query: {
    ...PAGE_PARAMETERS,
    branch: 'text',
    head_sha: 'text',
    exclude_pull_requests: 'boolean',
    status: [...STATUSES, ...CONCLUSIONS],
  },
  unsupported: ['actor', 'event', 'check_suite_id', 'created'],
} as const satisfies SupportedParameters

const listWorkflows = ({ workflows, workflowRuns }: GitHubCall['repository']): readonly string[] => [
  ...new Set([...workflows, ...workflowRuns.map(({ workflow }) => workflow)]),
]

/** Finds a workflow by file name or id. */
function findWorkflow(repository: GitHubCall['repository'], named: string): string | undefined {
  return listWorkflows(repository).find((file) => file === named || String(getWorkflowId(repository, file)) === named)
}

/** The runs of workflows, and the logs of jobs. */
export const WORKFLOW_OPERATIONS: Operations = {
  'actions/list-workflow-runs-for-repo': defineOperation('GET', '/actions/runs', ['actions'], listRuns, RUNS),
  'actions/list-workflow-runs': defineOperation(
    'GET',
    '/actions/workflows/{workflow_id}/runs',
    ['actions'],
    listRuns,
    RUNS,
  ),
  'actions/download-job-logs-for-workflow-run': defineOperation(
    'GET',
    '/actions/jobs/{job_id}/logs',
    ['actions'],
    redirectToLog,
  ),
}
