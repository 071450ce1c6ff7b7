import type { Need } from '../http/access.ts'
import { type Answer, type Refusal, type ServiceRequest, done, refuse } from '../http/exchange.ts'
import { parsePromptBody } from '../http/prompt-body.ts'
import type { Analytics } from './analytics.ts'
import { hostilePath } from './hostile-text.ts'
import { toJobBody } from './job-body.ts'
import { type JobRecord, sendMessage } from './job-machine.ts'
import type { JobStore } from './job-store.ts'
import { changePaths, listPages } from './page-listing.ts'
import type { Route } from './routes.ts'
import type { Scenario } from './scenarios.ts'
import { parseVisitorsQuery } from './visitors-query.ts'

/** All that an operation may look at and change. */
export interface OperationCall {
  readonly request: ServiceRequest
  readonly query: string
  readonly scenario: Scenario
  readonly nowMs: number
  readonly baseUrl: string
  readonly jobs: JobStore
  readonly analytics: Analytics
}

export type ApiRoute = Exclude<Route, { operation: 'view-pull-request' }>
export type Operation = ApiRoute['operation']

interface OperationRules {
  readonly need: Need
  /** Who shares one hourly allowance, or nobody if there is no limit. */
  readonly rateBucket: (route: ApiRoute) => string | undefined
}

export const OPERATION_RULES: Readonly<Record<Operation, OperationRules>> = {
  'create-job': { need: 'write', rateBucket: ({ projectId }) => `create ${projectId}` },
  'send-message': { need: 'write', rateBucket: ({ projectId }) => `message ${projectId}` },
  'get-job': { need: 'read', rateBucket: () => undefined },
  'get-visitors': { need: 'read', rateBucket: () => 'analytics' },
}

const NO_SUCH_JOB = refuse(404, ['There is no such job in this project.'])

function jobAnswer(status: 200 | 201, job: JobRecord, { nowMs, baseUrl, scenario }: OperationCall): Answer {
  return done(status, toJobBody(job, nowMs, baseUrl, scenario.texts))
}

function withPrompt(call: OperationCall, act: (prompt: string) => Answer): Answer {
  const body = parsePromptBody(call.request)
  return body.kind === 'prompt' ? act(body.prompt) : body
}

function withJob(
  { projectId, jobId }: { readonly projectId: string; readonly jobId: string },
  { jobs, scenario }: OperationCall,
  act: (job: JobRecord) => Answer,
): Answer {
  const job = jobs.find(projectId, jobId, scenario.turns[0])
  return job === undefined ? NO_SUCH_JOB : act(job)
}

type RouteOf<Name extends Operation> = Extract<ApiRoute, { operation: Name }>

/** Section 4.1. */
function createJob({ projectId }: RouteOf<'create-job'>, call: OperationCall): Answer {
  return withPrompt(call, (prompt) =>
    jobAnswer(201, call.jobs.create(projectId, prompt, call.scenario.turns[0], call.nowMs), call),
  )
}

/** Section 4.2. */
function messageJob(route: RouteOf<'send-message'>, call: OperationCall): Answer {
  return withPrompt(call, (prompt) =>
    withJob(route, call, (job) => {
      const { turns } = call.scenario
      const plan = turns[Math.min(job.turns.length, turns.length - 1)] ?? turns[0]
      const next = sendMessage(job, prompt, plan, call.nowMs)
      if (next === 'archived') return refuse(409, ['The job is archived and takes no messages.'])
      call.jobs.replace(next)
      return jobAnswer(200, next, call)
    }),
  )
}

/** Section 4.3. */
function getJob(route: RouteOf<'get-job'>, call: OperationCall): Answer {
  // An old copy knows nothing of a new job.
  return withJob(route, call, (job) => (call.nowMs < job.createdAtMs ? NO_SUCH_JOB : jobAnswer(200, job, call)))
}

/** Section 4.4. */
function getVisitors({ query: queryString, analytics, scenario }: OperationCall): Answer {
  const parsed = parseVisitorsQuery(queryString)
  if (parsed.kind === 'invalid') return refuse(400, parsed.problems)
  const { query } = parsed
  const page = listPages(scenario.pages, query, (asked) => analytics.page(asked))
  if (scenario.texts !== 'hostile') return done(200, page)
  return done(
    200,
    changePaths(page, (path, index) => hostilePath(path, query.offset + index)),
  )
}

/** Does what is asked for, once it is known that the caller may. */
export function perform(route: ApiRoute, call: OperationCall): Answer {
  switch (route.operation) {
    case 'create-job':
      return createJob(route, call)
    case 'send-message':
      return messageJob(route, call)
    case 'get-job':
      return getJob(route, call)
    case 'get-visitors':
      return getVisitors(call)
  }
}

/** The answer to one request too many (status 429), with the wait in whole seconds of the service's time. */
export function refuseTooMany(retryAfterMs: number): Refusal {
  return refuse(429, ['Too many requests in one hour.'], { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) })
}
