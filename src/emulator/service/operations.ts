import { ID_PATTERN } from '../../runtime/url.ts'
import type { Access } from '../http/access.ts'
import {
  type OperationResult,
  type RequestRefusal,
  type ServiceRequest,
  type ServiceResponse,
  jsonResponse,
  refuseRequest,
} from '../http/exchange.ts'
import { parsePromptBody } from '../http/prompt-body.ts'
import { HOSTILE_TEXT, addHostilePrefix } from './hostile-text.ts'
import { toJobBody } from './job-body.ts'
import { type JobRecord, sendMessage } from './job-machine.ts'
import type { JobStore } from './job-store.ts'
import type { Scenario } from './scenarios.ts'
import type { Analytics } from './visitor-counts.ts'
import { mapPaths, LIST_BEHAVIORS, parseVisitorsQuery, refuseOldDays } from './visitors-query.ts'

export interface Route {
  readonly operation: Operation
  readonly projectId: string
  /** Empty if the path names no job. */
  readonly jobId: string
}

export interface ServiceCall extends Route {
  readonly request: ServiceRequest
  readonly query: string
  readonly scenario: Scenario
  readonly nowMs: number
  readonly baseUrl: string
  readonly jobs: JobStore
  readonly analytics: Analytics
}

interface Operation {
  readonly name: 'create-job' | 'send-message' | 'get-job' | 'get-visitors'
  /** The value of the `Allow` header. */
  readonly allow: 'POST' | 'GET, HEAD'
  readonly path: RegExp
  readonly access: Access
  /** The key of the hourly rate limit; undefined for no limit. */
  readonly getBucket: (projectId: string) => string | undefined
  readonly handle: (call: ServiceCall) => OperationResult
}

const NO_SUCH_JOB = refuseRequest(404, ['There is no such job in this project.'])

function respondWithJob(status: 200 | 201, job: JobRecord, { nowMs, baseUrl, scenario }: ServiceCall): OperationResult {
  return { status, body: toJobBody(job, nowMs, baseUrl, scenario.texts) }
}

function withPrompt(call: ServiceCall, handle: (prompt: string) => OperationResult): OperationResult {
  const prompt = parsePromptBody(call.request)
  return typeof prompt === 'string' ? handle(prompt) : prompt
}

function withJob(
  { jobs, projectId, jobId, scenario }: ServiceCall,
  handle: (job: JobRecord) => OperationResult,
): OperationResult {
  const job = jobs.find(projectId, jobId, scenario.turns[0])
  return job === undefined ? NO_SUCH_JOB : handle(job)
}

/** Section 4.1. */
function createJob(call: ServiceCall): OperationResult {
  const { jobs, projectId, scenario, nowMs } = call
  return withPrompt(call, (prompt) =>
    respondWithJob(201, jobs.create(projectId, prompt, scenario.turns[0], nowMs), call),
  )
}

/** Section 4.2. */
function messageJob(call: ServiceCall): OperationResult {
  const { turns } = call.scenario
  return withPrompt(call, (prompt) =>
    withJob(call, (job) => {
      const plan = turns[Math.min(job.turns.length, turns.length - 1)] ?? turns[0]
      const next = sendMessage(job, prompt, plan, call.nowMs)
      if (next === 'archived') return refuseRequest(409, ['The job is archived and takes no messages.'])
      call.jobs.save(next)
      return respondWithJob(200, next, call)
    }),
  )
}

/** Section 4.3. */
function getJob(call: ServiceCall): OperationResult {
  // A replica that lags does not have a new job yet.
  return withJob(call, (job) => (call.nowMs < job.createdAtMs ? NO_SUCH_JOB : respondWithJob(200, job, call)))
}

/** Section 4.4. */
function getVisitors({ query: queryString, analytics, scenario, nowMs }: ServiceCall): OperationResult {
  const query = parseVisitorsQuery(queryString)
  if ('problems' in query) return query
  const refused = refuseOldDays(query, scenario.pages, nowMs)
  if (refused !== undefined) return refused
  const page = LIST_BEHAVIORS[scenario.pages](query, analytics)
  const isHostile = scenario.texts === 'hostile'
  const body = isHostile ? mapPaths(page, (path, index) => addHostilePrefix(path, query.offset + index)) : page
  return { status: 200, body }
}

/** Section 4 of the service's interface. */
const OPERATIONS: readonly Operation[] = [
  {
    name: 'create-job',
    allow: 'POST',
    path: /^\/v2\/agent\/(?<projectId>[^/]+)\/job$/,
    access: 'write',
    getBucket: (projectId) => `create ${projectId}`,
    handle: createJob,
  },
  {
    name: 'send-message',
    allow: 'POST',
    path: /^\/v2\/agent\/(?<projectId>[^/]+)\/job\/(?<jobId>[^/]+)\/message$/,
    access: 'write',
    getBucket: (projectId) => `message ${projectId}`,
    handle: messageJob,
  },
  {
    name: 'get-job',
    allow: 'GET, HEAD',
    path: /^\/v2\/agent\/(?<projectId>[^/]+)\/job\/(?<jobId>[^/]+)$/,
    access: 'read',
    getBucket: () => undefined,
    handle: getJob,
  },
  {
    name: 'get-visitors',
    allow: 'GET, HEAD',
    path: /^\/v1\/analytics\/(?<projectId>[^/]+)\/visitors$/,
    access: 'read',
    getBucket: () => 'analytics',
    handle: getVisitors,
  },
]

/**
 * Finds the operation of a request, or the 404 or 405 for it. Only valid ids match, so `..` and its encoded forms match
 * nothing. HEAD is handled as GET.
 */
export function findServiceRoute(method: string, path: string): Route | RequestRefusal {
  for (const operation of OPERATIONS) {
    const ids = operation.path.exec(path)?.groups
    if (ids === undefined || !Object.values(ids).every((id) => ID_PATTERN.test(id))) continue
    const { allow } = operation
    if (!allow.split(', ').includes(method))
      return refuseRequest(405, ['This path does not take this method.'], { allow })
    const { projectId = '', jobId = '' } = ids
    return { operation, projectId, jobId }
  }
  return refuseRequest(404, ['There is nothing at this path.'])
}

/**
 * Section 7 leaves the shape of errors open. Here it is `{"error": string}`, and the analytics operation adds `details`, with
 * one `{message}` for each problem.
 */
export function toServiceResponse(
  result: OperationResult,
  route: Route | RequestRefusal,
  { texts }: Scenario,
): ServiceResponse {
  if ('body' in result) return jsonResponse(result.status, result.body)
  const problems = result.problems.map((problem) => (texts === 'hostile' ? `${problem}${HOSTILE_TEXT}` : problem))
  const error = problems.join(' ')
  const hasDetails = 'operation' in route && route.operation.name === 'get-visitors'
  const body = hasDetails ? { error, details: problems.map((message) => ({ message })) } : { error }
  return jsonResponse(result.status, body, result.headers)
}
