import { type EmbeddedGitHub, type EmbeddedGitHubOptions, createGitHub } from './github/github.ts'
import { createRepositoryState } from './github/repository-state.ts'
import { checkAccess } from './http/access.ts'
import {
  type OperationResult,
  type RequestRefusal,
  type RequestHead,
  refuseRequest,
  type ServiceRequest,
  type ServiceResponse,
} from './http/exchange.ts'
import { applyFault, getFault } from './http/faults.ts'
import { parsePromptBody } from './http/prompt-body.ts'
import { createRateLimiter } from './http/rate-limiter.ts'
import { createPullRequestResponse } from './pull-request-page.ts'
import type { RequestRecord } from './request-log.ts'
import type { JobRecord } from './service/job-machine.ts'
import { ANY_PROJECT, JobStore, type Repositories } from './service/job-store.ts'
import { type ServiceCall, findServiceRoute, toServiceResponse, type Route } from './service/operations.ts'
import { SCENARIOS, type Scenario, type ScenarioName, chooseScenario } from './service/scenarios.ts'
import { createAnalytics } from './service/visitor-counts.ts'

/** A fixed default makes responses reproducible. The command line uses the current time instead. */
export const DEFAULT_START_MS = Date.UTC(2026, 0, 1)
export const DEFAULT_SCENARIO: ScenarioName = 'pull-request'
const DEFAULT_PAGES = 30
const DEFAULT_VISITS = 32_000

export interface ServiceOptions {
  /** The prefix of links to pull requests, without a trailing slash. */
  readonly baseUrl: string
  /** The scenario of every project whose id does not name one. */
  readonly scenario?: ScenarioName
  /** Overrides fields of the scenario. */
  readonly scenarioOverrides?: Partial<Scenario>
  /** The service's time at its start, in milliseconds since 1970. Visits are generated for the two years before it. */
  readonly startMs?: number
  readonly pages?: number
  readonly visits?: number
  /** The number for section 8's unspecified rate limits. Default: 100. */
  readonly requestsPerHour?: number
  /** Called after each request, including requests to GitHub. */
  readonly onRequest?: (request: RequestRecord) => void
  /** The project whose finished job has a pull request from the start, if the GitHub scenario begins with one. */
  readonly projectId?: string
  readonly repositories?: Repositories
  readonly github?: Omit<EmbeddedGitHubOptions, 'baseUrl' | 'startMs' | 'jobs'>
}

export interface Service {
  /** Whether a request is authorised. Does not need the body. */
  isAuthorized(head: RequestHead): boolean
  /**
   * Handles a request. The response depends only on the options and on the requests and times so far.
   * @param nowMs in milliseconds since 1970; must not decrease
   */
  handle(request: ServiceRequest, nowMs: number): ServiceResponse
  /** Every request to the documentation service so far, oldest first. */
  readonly requests: readonly RequestRecord[]
  listJobs(): Iterable<JobRecord>
  readonly github: EmbeddedGitHub
}

const PULL_PAGE = /^\/([^/]+\/[^/]+)\/pull\/([1-9]\d{0,8})$/

function splitTarget(target: string): { path: string; query: string } {
  const [path = '', ...rest] = target.split('?')
  return { path, query: rest.join('?') }
}

/** Creates the documentation service (sections 1 to 9 of its interface) and GitHub, without sockets or a clock. */
export function createService({
  baseUrl,
  scenario: defaultScenario = DEFAULT_SCENARIO,
  scenarioOverrides = {},
  startMs = DEFAULT_START_MS,
  pages = DEFAULT_PAGES,
  visits = DEFAULT_VISITS,
  requestsPerHour = 100,
  onRequest,
  projectId,
  repositories = {},
  github: gitHubOptions = {},
}: ServiceOptions): Service {
  const store = new JobStore(startMs, (project) => repositories[project] ?? github.getAgentRepository())
  const github: EmbeddedGitHub = createGitHub({ ...gitHubOptions, baseUrl, startMs, listJobs: () => store.list() })
  // A project's first request creates its jobs, but this pull request must exist before that. A rehearsal's project is unknown.
  if ((gitHubOptions.scenario?.earlierPull ?? 'plain') !== 'plain' && projectId !== undefined)
    store.seedProject(
      gitHubOptions.repository === undefined ? projectId : ANY_PROJECT,
      { ...SCENARIOS[chooseScenario(projectId, defaultScenario)], ...scenarioOverrides }.turns[0],
    )
  const analytics = createAnalytics({ pages, visits, endMs: startMs })
  const take = createRateLimiter(requestsPerHour)
  const requestCounts = new Map<string, number>()
  const requests: RequestRecord[] = []

  /** Returns the number of earlier calls with this key. */
  function countCall(key: string): number {
    const before = requestCounts.get(key) ?? 0
    requestCounts.set(key, before + 1)
    return before
  }

  /** Returns the time of the replica that handles a request. */
  function getReplicaTimeMs(route: Route | RequestRefusal, path: string, nowMs: number, { lagsMs }: Scenario): number {
    if (!('operation' in route) || route.operation.name !== 'get-job') return nowMs
    return nowMs - (lagsMs[countCall(`copy of ${path}`) % lagsMs.length] ?? 0)
  }

  function performWithinLimit(call: ServiceCall): OperationResult {
    const { operation, scenario, projectId, nowMs } = call
    // The client gives up on an endless list only after more requests than the rate limit allows.
    const bucket = scenario.pages === 'endless' ? undefined : operation.getBucket(projectId)
    const waitMs = bucket === undefined ? 0 : take(bucket, nowMs)
    if (waitMs === 0) return operation.handle(call)
    return refuseRequest(429, ['Too many requests in one hour.'], { 'retry-after': String(Math.ceil(waitMs / 1_000)) })
  }

  function handleCall(path: string, call: ServiceCall): ServiceResponse {
    const { scenario, request, operation } = call
    const refused = checkAccess(request.headers['authorization'], operation.access)
    if (refused !== undefined) return toServiceResponse(refused, call, scenario)
    const pattern = operation.access === 'write' ? scenario.prompts : scenario.reads
    const fault = getFault(pattern, countCall(`${operation.access} ${path}`))
    return applyFault(fault, () => toServiceResponse(performWithinLimit(call), call, scenario))
  }

  function showPullRequest(method: string, path: string, nowMs: number): ServiceResponse | undefined {
    const [, name = '', pullNumber] = (/^(?:GET|HEAD)$/.test(method) ? PULL_PAGE.exec(path) : undefined) ?? []
    if (pullNumber === undefined) return undefined
    const job = store.findByPullNumber(Number(pullNumber))
    const repository = github.state.repositories[name] ?? createRepositoryState()
    return createPullRequestResponse(job?.repository === name ? job : undefined, repository, nowMs)
  }

  function handleGitHub(request: ServiceRequest, path: string, query: string, nowMs: number): ServiceResponse {
    const response = github.handle(request, nowMs)
    const { status, delivery } = response
    const reason: Partial<RequestRecord> =
      status === 501 ? { notImplemented: (JSON.parse(response.body) as { message: string }).message } : {}
    const { method } = request
    const record = { method, path, query, prompt: undefined, asOfMs: nowMs, status, delivery, scenario: undefined }
    onRequest?.({ ...record, ...reason })
    return response
  }

  function checkAuthorization(head: RequestHead): boolean {
    const { method, target, headers } = head
    const { path } = splitTarget(target)
    if (github.isGitHubTarget(path)) return github.isAuthorized(head)
    const route = findServiceRoute(method, path)
    return 'operation' in route && checkAccess(headers['authorization'], route.operation.access) === undefined
  }

  return {
    requests,
    listJobs: () => store.list(),
    github,
    isAuthorized: checkAuthorization,
    handle(request, nowMs) {
      const { method, target } = request
      const { path, query } = splitTarget(target)
      github.catchUp(nowMs)
      if (github.isGitHubTarget(path)) return handleGitHub(request, path, query, nowMs)
      const route = findServiceRoute(method, path)
      const name = 'operation' in route ? chooseScenario(route.projectId, defaultScenario) : undefined
      const scenario = { ...SCENARIOS[name ?? defaultScenario], ...scenarioOverrides }
      const asOfMs = getReplicaTimeMs(route, path, nowMs, scenario)
      const context = { request, query, scenario, nowMs: asOfMs, baseUrl, jobs: store, analytics }
      const { status, delivery, ...rest } =
        'operation' in route
          ? handleCall(path, { ...context, ...route })
          : (showPullRequest(method, path, nowMs) ?? toServiceResponse(route, route, scenario))
      const body = checkAuthorization(request) ? parsePromptBody(request) : undefined
      const prompt = typeof body === 'string' ? body : undefined
      const record = { method, path, query, prompt, asOfMs, status, delivery, scenario: name }
      requests.push(record)
      onRequest?.(record)
      return { status, delivery, ...rest }
    },
  }
}
