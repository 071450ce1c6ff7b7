import { type GitHub, type GitHubOptions, createGitHub } from './github/github.ts'
import { repositoryState } from './github/repository-state.ts'
import { authorize } from './http/access.ts'
import { type Answer, type RequestHead, type ServiceRequest, type ServiceResponse } from './http/exchange.ts'
import { applyFault, faultAt } from './http/faults.ts'
import { parsePromptBody } from './http/prompt-body.ts'
import { createRateLimiter } from './http/rate-limiter.ts'
import { pullRequestResponse } from './pull-request-page.ts'
import type { RequestRecord } from './request-log.ts'
import { createAnalytics } from './service/analytics.ts'
import { SOURCE } from './service/job-body.ts'
import type { JobRecord } from './service/job-machine.ts'
import { createJobStore } from './service/job-store.ts'
import { type ApiRoute, OPERATION_RULES, type OperationCall, perform, refuseTooMany } from './service/operations.ts'
import { renderAnswer } from './service/render-answer.ts'
import { type Route, type RouteMatch, matchRoute } from './service/routes.ts'
import { SCENARIOS, type Scenario, type ScenarioName, scenarioOf } from './service/scenarios.ts'

/** The service's time at its start unless told otherwise, so that two runs give the same answers. Its program says: now. */
export const DEFAULT_START_MS = Date.UTC(2026, 0, 1)
export const DEFAULT_SCENARIO: ScenarioName = 'pull-request'
export const DEFAULT_PAGES = 30
export const DEFAULT_VISITS = 4_000

export interface ServiceOptions {
  /** What the links to pull requests begin with, with no slash at the end. */
  readonly baseUrl: string
  /** Played by every project whose id names no other. */
  readonly scenario?: ScenarioName
  /** In place of what the scenario says. */
  readonly plays?: Partial<Scenario>
  /** The service's time at its start, in milliseconds since 1970. The visits lie in the 90 days before it. */
  readonly startMs?: number
  /** How many pages the site has. */
  readonly pages?: number
  /** How many visits these had. */
  readonly visits?: number
  /** Another seed gives other visits. Default: 1. */
  readonly seed?: number
  /** The allowance of section 8's open rate limits. Default: 100. */
  readonly requestsPerHour?: number
  /** Called after each request, GitHub's included. */
  readonly onRequest?: (request: RequestRecord) => void
  /** The project whose job left a pull request on GitHub, where the scenario there begins with one. */
  readonly projectId?: string
  /** Of GitHub's part. */
  readonly github?: Omit<GitHubOptions, 'baseUrl' | 'startMs' | 'jobs'>
}

export interface Service {
  /** Whether a request may do what it asks for, which is known before its body is read. */
  admits(head: RequestHead): boolean
  /**
   * Answers a request at a time, in milliseconds since 1970, that must not go backwards. The answer follows from the
   * options and from the requests and times so far, and from nothing else.
   */
  handle(request: ServiceRequest, nowMs: number): ServiceResponse
  /** Every request to the documentation service so far, oldest first. */
  readonly requests: readonly RequestRecord[]
  /** All jobs so far, of all projects. */
  jobs(): Iterable<JobRecord>
  readonly github: GitHub
}

function pathAndQuery(target: string): { path: string; query: string } {
  const [path = '', ...rest] = target.split('?')
  return { path, query: rest.join('?') }
}

/** The whole service of the interface's sections 1 to 9, and GitHub beside it, without sockets or a clock of its own. */
export function createService({
  baseUrl,
  scenario: otherwise = DEFAULT_SCENARIO,
  plays = {},
  startMs = DEFAULT_START_MS,
  pages = DEFAULT_PAGES,
  visits = DEFAULT_VISITS,
  seed = 1,
  requestsPerHour = 100,
  onRequest,
  projectId,
  github: gitHubOptions = {},
}: ServiceOptions): Service {
  const jobs = createJobStore(startMs)
  const github = createGitHub({ ...gitHubOptions, baseUrl, startMs, jobs: () => jobs.all() })
  // Nobody has asked for a job yet, and its pull request must be there.
  if ((gitHubOptions.scenario?.earlierPull ?? 'plain') !== 'plain' && projectId !== undefined)
    jobs.enter(projectId, { ...SCENARIOS[scenarioOf(projectId, otherwise)], ...plays }.turns[0])
  const analytics = createAnalytics({ pages, visits, seed, endMs: startMs })
  const limiter = createRateLimiter(requestsPerHour)
  const timesAsked = new Map<string, number>()
  const requests: RequestRecord[] = []

  function ordinal(key: string): number {
    const before = timesAsked.get(key) ?? 0
    timesAsked.set(key, before + 1)
    return before
  }

  /** The time of the copy that a request is answered from. */
  function asOf(match: RouteMatch, path: string, nowMs: number, { lagsMs }: Scenario): number {
    if (match.kind !== 'found' || match.route.operation !== 'get-job') return nowMs
    return nowMs - (lagsMs[ordinal(`copy of ${path}`) % lagsMs.length] ?? 0)
  }

  function performLimited(route: ApiRoute, call: OperationCall): Answer {
    // The end of an endless list is reached after more requests than an hour allows.
    const isLimited = call.scenario.pages !== 'endless'
    const bucket = isLimited ? OPERATION_RULES[route.operation].rateBucket(route) : undefined
    const slot = bucket === undefined ? undefined : limiter.take(bucket, call.nowMs)
    return slot?.kind === 'full' ? refuseTooMany(slot.retryAfterMs) : perform(route, call)
  }

  function answerApi(route: ApiRoute, path: string, call: OperationCall): ServiceResponse {
    const { operation } = route
    const { need } = OPERATION_RULES[operation]
    const { scenario, request } = call
    const render = (answer: Answer): ServiceResponse => renderAnswer(answer, operation, scenario.texts)
    const access = authorize(request.headers['authorization'], need)
    if (access !== 'granted') return render(access)
    const pattern = need === 'write' ? scenario.prompts : scenario.reads
    return applyFault(faultAt(pattern, ordinal(`${need} ${path}`)), () => render(performLimited(route, call)))
  }

  function answerRoute(route: Route, path: string, call: OperationCall): ServiceResponse {
    return route.operation === 'view-pull-request'
      ? pullRequestResponse(
          jobs.findByPullNumber(route.pullNumber),
          github.state.repositories[SOURCE.repository] ?? repositoryState(),
          call.nowMs,
        )
      : answerApi(route, path, call)
  }

  function handleGitHub(request: ServiceRequest, path: string, query: string, nowMs: number): ServiceResponse {
    const response = github.handle(request, nowMs)
    const { status, delivery } = response
    const unread = { prompt: undefined, scenario: undefined }
    onRequest?.({ method: request.method, path, query, ...unread, asOfMs: nowMs, status, delivery })
    return response
  }

  function admits(head: RequestHead): boolean {
    const { method, target, headers } = head
    const { path } = pathAndQuery(target)
    if (github.takes(path)) return github.admits(head)
    const match = matchRoute(method, path)
    if (match.kind !== 'found' || match.route.operation === 'view-pull-request') return false
    return authorize(headers['authorization'], OPERATION_RULES[match.route.operation].need) === 'granted'
  }

  return {
    requests,
    jobs: () => jobs.all(),
    github,
    admits,
    handle(request, nowMs) {
      const { path, query } = pathAndQuery(request.target)
      github.catchUp(nowMs)
      if (github.takes(path)) return handleGitHub(request, path, query, nowMs)
      const match = matchRoute(request.method, path)
      const asked = match.kind === 'found' && 'projectId' in match.route ? match.route.projectId : undefined
      const name = asked === undefined ? undefined : scenarioOf(asked, otherwise)
      const scenario = { ...SCENARIOS[name ?? otherwise], ...plays }
      const asOfMs = asOf(match, path, nowMs, scenario)
      const call = { request, query, scenario, nowMs: asOfMs, baseUrl, jobs, analytics }
      const response =
        match.kind === 'found'
          ? answerRoute(match.route, path, call)
          : renderAnswer(match.refusal, undefined, scenario.texts)
      const body = admits(request) ? parsePromptBody(request) : undefined
      const record = {
        method: request.method,
        path,
        query,
        prompt: body?.kind === 'prompt' ? body.prompt : undefined,
        asOfMs,
        status: response.status,
        delivery: response.delivery,
        scenario: name,
      }
      requests.push(record)
      onRequest?.(record)
      return response
    },
  }
}
