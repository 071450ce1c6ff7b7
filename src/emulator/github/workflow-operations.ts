import { createHash } from 'node:crypto'
import type { ServiceRequest, ServiceResponse } from '../http/exchange.ts'
import { operation, type Operations } from './operation.ts'
import { type Call, NOT_FOUND, type Reply, listReply, refusal, wireTime } from './reply.ts'
import { repositoryBody, userBody } from './resource-body.ts'
import type { WorkflowRun } from './check-state.ts'
import type { GitHubState } from './state.ts'
import { suitesOf } from './checks-view.ts'

type ShownRun = WorkflowRun & { readonly updatedAtMs?: number }

/** Workflows are counted in the order in which they came. */
function workflowIdOf({ workflows, workflowRuns }: Call['repository'], file: string): number {
  return [...new Set([...workflows, ...workflowRuns.map(({ workflow }) => workflow)])].indexOf(file) + 1
}

function runBody(call: Call, run: ShownRun): object {
  const { baseUrl, name, state, repository } = call
  const { id, workflow, branch, headSha, event, suiteId, headRepository = name, actor = 'mona' } = run
  const { createdAtMs, updatedAtMs = createdAtMs } = run
  return {
    id,
    name: workflow,
    path: `.github/workflows/${workflow}`,
    head_branch: branch,
    head_sha: headSha,
    event,
    status: run.status,
    conclusion: run.conclusion,
    ...(suiteId === undefined ? {} : { check_suite_id: suiteId }),
    workflow_id: workflowIdOf(repository, workflow),
    run_number: id,
    run_attempt: run.attempt ?? 1,
    display_title: workflow,
    head_commit: null,
    pull_requests: [],
    html_url: `${baseUrl}/${name}/actions/runs/${id}`,
    head_repository: repositoryBody(call, headRepository, repository),
    repository: repositoryBody(call, name, repository),
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
  const suite = suitesOf(repository, run.headSha, nowMs).find(({ id, runs }) => id === run.suiteId && runs > 0)
  return suite === undefined
    ? run
    : { ...run, ...suite, id: run.id, attempt, status: suite.status as WorkflowRun['status'] }
}

/** One that has run, or that is there without a run. */
function isThere({ workflows, workflowRuns }: Call['repository'], name: string): boolean {
  return workflows.includes(name) || workflowRuns.some(({ workflow }) => workflow === name)
}

/** Newest first. The branch of a fork counts by its name, too. */
function listRuns(call: Call): Reply {
  const { query, params, repository, nowMs } = call
  const { workflow_id: asked } = params
  if (asked !== undefined && !isThere(repository, asked)) return NOT_FOUND
  const fits = (name: string, ...values: readonly (string | null)[]): boolean =>
    query.get(name) === null || values.includes(query.get(name))
  const found = repository.workflowRuns
    .map((run) => asOf(call, run))
    .filter(
      ({ workflow, branch, status, conclusion, headSha, createdAtMs }) =>
        createdAtMs + call.state.lag.runsMs <= nowMs &&
        (asked ?? workflow) === workflow &&
        fits('branch', branch) &&
        fits('status', status, conclusion) &&
        fits('head_sha', headSha),
    )
    .sort((a, b) => b.id - a.id)
  return listReply(call, found, runBody, (workflow_runs) => ({ total_count: found.length, workflow_runs }))
}

const GOOD_FOR_MS = 60_000
const PATH = /^\/job-logs\/(\d+)$/

const signatureOf = (id: number, untilMs: number): string =>
  createHash('sha256').update(`job log ${id} until ${untilMs}`).digest('hex')

/** Where the log of a job can be read for a minute, by whoever has the address. */
export function signedLogAddress(baseUrl: string, id: number, nowMs: number): string {
  const untilMs = nowMs + GOOD_FOR_MS
  return `${baseUrl}/job-logs/${id}?until=${untilMs}&sig=${signatureOf(id, untilMs)}`
}

/** The job whose log a request may read. `elsewhere`: the request is for something else. */
export function readLogAddress(target: string, nowMs: number): number | 'forbidden' | 'elsewhere' {
  const [path = '', query] = target.split('?')
  const id = PATH.exec(path)?.[1]
  if (id === undefined) return 'elsewhere'
  const given = new URLSearchParams(query)
  const untilMs = Number(given.get('until'))
  return nowMs < untilMs && given.get('sig') === signatureOf(Number(id), untilMs) ? Number(id) : 'forbidden'
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

/** Runs of workflows, and the logs of their jobs. */
export const WORKFLOW_OPERATIONS: Operations = {
  'actions/list-workflow-runs-for-repo': operation('GET', '/actions/runs', ['actions'], listRuns),
  'actions/list-workflow-runs': operation('GET', '/actions/workflows/{workflow_id}/runs', ['actions'], listRuns),
  'actions/download-job-logs-for-workflow-run': operation(
    'GET',
    '/actions/jobs/{job_id}/logs',
    ['actions'],
    redirectToLog,
  ),
}
