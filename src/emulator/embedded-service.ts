import { type GitHub, type GitHubOptions, createGitHub } from './github/github.ts'
import { repositoryState } from './github/repository-state.ts'
import { refuseAccess } from './http/access.ts'
import {
  type Answer,
  type Refusal,
  type RequestHead,
  refuse,
  type ServiceRequest,
  type ServiceResponse,
} from './http/exchange.ts'
import { applyFault, faultAt } from './http/faults.ts'
import { parsePromptBody } from './http/prompt-body.ts'
import { createRateLimiter } from './http/rate-limiter.ts'
import { pullRequestResponse } from './pull-request-page.ts'
import type { RequestRecord } from './request-log.ts'
import type { JobRecord } from './service/job-machine.ts'
import { JobStore, type Repositories } from './service/job-store.ts'
import { type Call, findRoute, renderAnswer, type Route } from './service/operations.ts'
import { SCENARIOS, type Scenario, type ScenarioName, chooseScenario } from './service/scenarios.ts'
import { createAnalytics } from './service/visitor-counts.ts'

/** The service's time at its start unless told otherwise, so that two runs give the same answers. Its program says: now. */
export const DEFAULT_START_MS = Date.UTC(2026, 0, 1)
export const DEFAULT_SCENARIO: ScenarioName = 'pull-request'
export const DEFAULT_PAGES = 30
export const DEFAULT_VISITS = 32_000

export interface ServiceOptions {
  /** What the links to pull requests begin with, with no slash at the end. */
  readonly baseUrl: string
  /** Played by every project whose id names no other. */
  readonly scenario?: ScenarioName
  /** In place of what the scenario says. */
  readonly plays?: Partial<Scenario>
  /** The service's time at its start, in milliseconds since 1970. The visits lie in the two years before it. */
  readonly startMs?: number
  readonly pages?: number
  readonly visits?: number
  /** The allowance of section 8's open rate limits. Default: 100. */
  readonly requestsPerHour?: number
  /** Called after each request, GitHub's included. */
  readonly onRequest?: (request: RequestRecord) => void
  /** The project whose job left a pull request on GitHub, where the scenario there begins with one. */
  readonly projectId?: string
  readonly repositories?: Repositories
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
  jobs(): Iterable<JobRecord>
  readonly github: GitHub
}

const PULL_PAGE = /^\/([^/]+\/[^/]+)\/pull\/([1-9]\d{0,8})$/

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
  requestsPerHour = 100,
  onRequest,
  projectId,
  repositories,
  github: gitHubOptions = {},
}: ServiceOptions): Service {
  const jobs = new JobStore(startMs, repositories)
  const github = createGitHub({ ...gitHubOptions, baseUrl, startMs, jobs: () => jobs.all() })
  // Nobody has asked for a job yet, and its pull request must be there.
  if ((gitHubOptions.scenario?.earlierPull ?? 'plain') !== 'plain' && projectId !== undefined)
    jobs.enter(projectId, { ...SCENARIOS[chooseScenario(projectId, otherwise)], ...plays }.turns[0])
  const analytics = createAnalytics({ pages, visits, endMs: startMs })
  const take = createRateLimiter(requestsPerHour)
  const timesAsked = new Map<string, number>()
  const requests: RequestRecord[] = []

  function ordinal(key: string): number {
    const before = timesAsked.get(key) ?? 0
    timesAsked.set(key, before + 1)
    return before
  }

  /** The time of the copy that a request is answered from. */
  function asOf(route: Route | Refusal, path: string, nowMs: number, { lagsMs }: Scenario): number {
    if (!('operation' in route) || route.operation.name !== 'get-job') return nowMs
    return nowMs - (lagsMs[ordinal(`copy of ${path}`) % lagsMs.length] ?? 0)
  }

  function answerLimited(call: Call): Answer {
    const { bucketOf, answer } = call.operation
    // The end of an endless list is reached after more requests than an hour allows.
    const bucket = call.scenario.pages === 'endless' ? undefined : bucketOf(call.projectId)
    const waitMs = bucket === undefined ? 0 : take(bucket, call.nowMs)
    if (waitMs === 0) return answer(call)
    return refuse(429, ['Too many requests in one hour.'], { 'retry-after': String(Math.ceil(waitMs / 1_000)) })
  }

  function answerCall(path: string, call: Call): ServiceResponse {
    const { scenario, request } = call
    const { need } = call.operation
    const refused = refuseAccess(request.headers['authorization'], need)
    if (refused !== undefined) return renderAnswer(refused, call, scenario)
    const pattern = need === 'write' ? scenario.prompts : scenario.reads
    const fault = faultAt(pattern, ordinal(`${need} ${path}`))
    return applyFault(fault, () => renderAnswer(answerLimited(call), call, scenario))
  }

  function showPullRequest(method: string, path: string, nowMs: number): ServiceResponse | undefined {
    const [, name = '', pullNumber] = (/^(?:GET|HEAD)$/.test(method) ? PULL_PAGE.exec(path) : undefined) ?? []
    if (pullNumber === undefined) return undefined
    const job = jobs.findByPullNumber(Number(pullNumber))
    const repository = github.state.repositories[name] ?? repositoryState()
    return pullRequestResponse(job?.repository === name ? job : undefined, repository, nowMs)
  }

  function handleGitHub(request: ServiceRequest, path: string, query: string, nowMs: number): ServiceResponse {
    const response = github.handle(request, nowMs)
    const { status, delivery } = response
    const unread = { prompt: undefined, scenario: undefined }
    const notPlayed = status === 501 ? { notPlayed: (JSON.parse(response.body) as { message: string }).message } : {}
    onRequest?.({ method: request.method, path, query, ...unread, asOfMs: nowMs, status, delivery, ...notPlayed })
    return response
  }

  function admits(head: RequestHead): boolean {
    const { method, target, headers } = head
    const { path } = pathAndQuery(target)
    if (github.takes(path)) return github.admits(head)
    const route = findRoute(method, path)
    return 'operation' in route && refuseAccess(headers['authorization'], route.operation.need) === undefined
  }

  return {
    requests,
    jobs: () => jobs.all(),
    github,
    admits,
    handle(request, nowMs) {
      const { method, target } = request
      const { path, query } = pathAndQuery(target)
      github.catchUp(nowMs)
      if (github.takes(path)) return handleGitHub(request, path, query, nowMs)
      const route = findRoute(method, path)
      const name = 'operation' in route ? chooseScenario(route.projectId, otherwise) : undefined
      const scenario = { ...SCENARIOS[name ?? otherwise], ...plays }
      const asOfMs = asOf(route, path, nowMs, scenario)
      const world = { request, query, scenario, nowMs: asOfMs, baseUrl, jobs, analytics }
      const { status, delivery, ...answered } =
        'operation' in route
          ? answerCall(path, { ...world, ...route })
          : (showPullRequest(method, path, nowMs) ?? renderAnswer(route, route, scenario))
      const body = admits(request) ? parsePromptBody(request) : undefined
      const prompt = typeof body === 'string' ? body : undefined
      const record = { method, path, query, prompt, asOfMs, status, delivery, scenario: name }
      requests.push(record)
      onRequest?.(record)
      return { status, delivery, ...answered }
    },
  }
}
