import { type RequestHead, type ServiceRequest, type ServiceResponse, jsonResponse } from '../http/exchange.ts'
import { type FaultPattern, faultAt } from '../http/faults.ts'
import { MAX_BODY_BYTES } from '../http/prompt-body.ts'
import { SOURCE } from '../service/job-body.ts'
import type { JobRecord, Turn } from '../service/job-machine.ts'
import { type AccountRoute, findAccountOperation } from './account-operations.ts'
import { createAgentWork } from './agent-work.ts'
import { mergeWhatIsReady } from './auto-merge.ts'
import { demoState } from './demo-state.ts'
import { type GitHubFault, applyGitHubFault } from './github-faults.ts'
import { type GitHubScenario, USUAL_GITHUB } from './github-scenarios.ts'
import { answerGraphQL } from './graphql.ts'
import { checkParameters } from './parameters.ts'
import { performOperation } from './perform-operation.ts'
import { RequestBudget } from './request-budget.ts'
import { API_PATH, type Reply, NOT_FOUND, notPlayed, refusal, spelledIn } from './reply.ts'
import { type GitHubRoute, findRoute, inOwnNames } from './routes.ts'
import type { GitHubState } from './state.ts'
import { type WebhookEvent, createEventSource } from './webhook-events.ts'
import { answerLog, readLogAddress } from './workflow-operations.ts'

/** Below the server's address, as the API of a GitHub Enterprise Server is. */
const GRAPHQL_PATH = '/api/graphql'

export interface GitHubOptions {
  /** Of the pages, with no slash at the end. */
  readonly baseUrl: string
  /** The service's time at its start, in milliseconds since 1970. */
  readonly startMs: number
  /** What is not said is as usual. */
  readonly scenario?: Partial<GitHubScenario>
  /**
   * The repository of a run that rehearses, `owner/name`: another name of the agent's one, where commits, branches and
   * workflows that nobody here knows stand for those that are known.
   */
  readonly repository?: string
  /** In place of what the scenario begins with. */
  readonly state?: Partial<GitHubState>
  /** By operation, in place of the scenario's. */
  readonly faults?: Readonly<Record<string, FaultPattern<GitHubFault>>>
  /** All jobs that the service knows, whose pull requests are opened here. */
  readonly jobs?: () => Iterable<JobRecord>
  /** Called before a request is answered, with how often its operation was asked before: the world may move on here. */
  readonly beforeAnswer?: (operation: string, before: number, github: GitHub, body: string) => void
  /** Called with each event that starts workflows. */
  readonly onEvent?: (event: WebhookEvent) => void
  /** Called with each request of the token's owner, and the answer. */
  readonly onExchange?: (exchange: GitHubExchange) => void
}

export interface GitHubExchange {
  /** As GitHub's description names it, or nothing if there is no such one here. */
  readonly operation: string | undefined
  readonly request: ServiceRequest
  readonly fault: GitHubFault
  readonly response: ServiceResponse
}

export interface GitHub {
  /** As it was when it was last brought up to date. It may be changed. */
  readonly state: GitHubState
  /** Whether a request is for GitHub's part. */
  takes(target: string): boolean
  /** Whether a request comes from the token's owner, so that its body may be read. */
  admits(head: RequestHead): boolean
  /** Brings the state up to a time, in milliseconds since 1970, that must not go backwards. */
  catchUp(nowMs: number): void
  /** Answers a request at a time, in milliseconds since 1970, that must not go backwards. */
  handle(request: ServiceRequest, nowMs: number): ServiceResponse
}

function toResponse({ status, body, headers = {}, isText = false }: Reply): ServiceResponse {
  if (isText) return { status, headers, body: String(body), delivery: 'whole' }
  if (body !== undefined) return jsonResponse(status, body as object, headers)
  return { status, headers, body: '', delivery: 'whole' }
}

/** The fields of a body, or GitHub's refusal of a body that is no JSON object. No body has no fields. */
function parseBody(text: string): { readonly fields: Readonly<Record<string, unknown>> } | { readonly refused: Reply } {
  if (text === '') return { fields: {} }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { fields: value as Record<string, unknown> }
    return { refused: refusal(400, 'Body should be a JSON object') }
  } catch {
    return { refused: refusal(400, 'Problems parsing JSON') }
  }
}

/** How a response is to be written, where that is not as JSON, and its `content-type` then. */
function readFormat(accept = ''): readonly [mediaType: string, format: string | undefined] {
  const pattern = /^application\/vnd\.github\.(?:[\w-]+\.)?(diff|patch|sha|raw|html|text|full|object)\b(?:\+json)?/
  const [mediaType = 'text/plain', format] = pattern.exec(accept) ?? []
  return [`${mediaType}; charset=utf-8`, format]
}

interface Token {
  readonly value: string
  /** Of an app's token: the only repositories that it was made for. */
  readonly repositories?: readonly string[]
}

/** An app's token for some repositories is this GitHub's token, a colon, and their names with commas between them. */
function readToken(headers: RequestHead['headers']): Token | undefined {
  const [, value, names] = /^(?:token|bearer) +([^\s:]+)(?::(\S+))?$/i.exec(headers['authorization'] ?? '') ?? []
  if (value === undefined) return undefined
  return { value, ...(names !== undefined && { repositories: names.split(',') }) }
}

/** A repository's name, and the rest of a path behind it. */
interface Located {
  readonly name: string
  readonly rest: string
}

const REPOSITORY = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/
const REPOSITORY_BY_ID = /^\/repositories\/(\d+)(\/.*)?$/

/** GitHub's part of the embedded service, without sockets or a clock of its own. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { baseUrl, startMs, jobs = () => [], beforeAnswer, onExchange } = options
  const scenario: GitHubScenario = { ...USUAL_GITHUB, ...options.scenario }
  const state: GitHubState = { ...demoState(scenario, startMs), ...options.state }
  const agents = state.repositories[SOURCE.repository]
  if (options.repository !== undefined && agents !== undefined) state.repositories[options.repository] = agents
  const playAgent = createAgentWork({ state, scenario, jobs })
  const timesAsked = new Map<string, number>()
  const budget = new RequestBudget()
  const takeEvents = createEventSource(state)

  /** @param sender of everything that has changed since the last call, if that is known */
  function publishEvents(nowMs: number, sender?: string): void {
    if (options.onEvent !== undefined) takeEvents({ nowMs, baseUrl }, sender).forEach(options.onEvent)
  }

  function catchUp(nowMs: number): void {
    playAgent(nowMs)
    mergeWhatIsReady(state, nowMs)
    publishEvents(nowMs)
  }

  function locate(path: string): Located | undefined {
    const [, named, rest = ''] = REPOSITORY.exec(path) ?? []
    if (named !== undefined) return { name: spelledIn(Object.keys(state.repositories), named) ?? named, rest }
    const [, id, below = ''] = REPOSITORY_BY_ID.exec(path) ?? []
    const found = Object.entries(state.repositories).find(
      ([, repository]) => String(repository.id) === id && repository.movedTo === undefined,
    )
    return id === undefined ? undefined : { name: found?.[0] ?? id, rest: below }
  }

  const addressById = (id: number, rest: string): string => `${baseUrl}${API_PATH}/repositories/${id}${rest}`

  /** GitHub sends every request for a repository that has moved on to its id. */
  function redirectMoved({ method, target }: ServiceRequest, { name, rest }: Located): Reply | undefined {
    const newName = state.repositories[name]?.movedTo
    if (newName === undefined) return undefined
    const query = target.includes('?') ? target.slice(target.indexOf('?')) : ''
    const location = addressById(state.repositories[newName]?.id ?? 0, rest) + query
    return refusal(method === 'GET' ? 301 : 307, 'Moved Permanently', { url: location, headers: { location } })
  }

  /** An app's token for some repositories shows no others, except that it can read public ones. */
  function refuseOutside({ method, headers }: RequestHead, name: string): Reply | undefined {
    const names = readToken(headers)?.repositories
    if (names === undefined || names.includes(name)) return undefined
    if (state.repositories[name]?.visibility !== 'public') return NOT_FOUND
    return method === 'GET' ? undefined : refusal(403, 'Resource not accessible by integration')
  }

  function perform(request: ServiceRequest, { name, rest }: Located, route: GitHubRoute, nowMs: number): Reply {
    const repository = state.repositories[name]
    if (repository === undefined) return NOT_FOUND
    const refused = refuseOutside(request, name)
    if (refused !== undefined) return refused
    const moved = redirectMoved(request, { name, rest })
    if (moved !== undefined) return moved
    const [path = '', ...query] = request.target.split('?')
    const parsed = parseBody(request.body)
    if ('refused' in parsed) return parsed.refused
    const asked = { params: route.params, query: new URLSearchParams(query.join('?')) }
    // A workflow's own repository has the agent's id, and what it asks depends on its name.
    const isOwn = name === options.repository
    const own = isOwn ? inOwnNames(repository, asked) : asked
    const [mediaType, format] = readFormat(request.headers['accept'])
    const body = parsed.fields
    const reply = performOperation(route.name, {
      ...own,
      state,
      name,
      repository,
      body,
      format,
      nowMs,
      baseUrl,
      url: isOwn ? `${baseUrl}${path}` : addressById(repository.id, rest),
    })
    return reply.isText === true ? { ...reply, headers: { 'content-type': mediaType, ...reply.headers } } : reply
  }

  function performForAccount(request: ServiceRequest, path: string, route: AccountRoute, nowMs: number): Reply {
    const { name, operation, params } = route
    const query = new URLSearchParams(request.target.split('?').slice(1).join('?'))
    const url = `${baseUrl}${API_PATH}${path}`
    const call = { state, params, query, nowMs, baseUrl, url, limit: budget.describe(nowMs) }
    return checkParameters(name, operation.plays, query, {}) ?? operation.answer(call)
  }

  function answerAs(
    operation: string,
    request: ServiceRequest,
    nowMs: number,
    answer: () => Reply,
    isFree = false,
  ): ServiceResponse {
    const before = timesAsked.get(operation) ?? 0
    timesAsked.set(operation, before + 1)
    beforeAnswer?.(operation, before, github, request.body)
    const fault = budget.isSpent(nowMs)
      ? 'primary-limit'
      : faultAt(options.faults?.[operation] ?? scenario.faults, before)
    const whole = applyGitHubFault(fault, () => toResponse(answer()))
    const response = isFree ? whole : budget.charge(request, whole, nowMs)
    onExchange?.({ operation, request, fault, response })
    return response
  }

  const admits = ({ headers }: RequestHead): boolean => readToken(headers)?.value === state.token

  /** What an app's token for some repositories shows in GraphQL. Public repositories are missing, unlike on GitHub. */
  function narrowState(names: readonly string[] | undefined): GitHubState {
    if (names === undefined) return state
    const repositories = Object.fromEntries(Object.entries(state.repositories).filter(([name]) => names.includes(name)))
    return new Proxy(state, {
      get: (target, key) => (key === 'repositories' ? repositories : (Reflect.get(target, key) as unknown)),
    })
  }

  /** Turns that began before the start are those of earlier runs. */
  function hasExpired(nowMs: number): boolean {
    const hasWorked = ({ startsAtMs, endsAtMs }: Turn): boolean => startsAtMs >= startMs && endsAtMs <= nowMs
    return scenario.isTokenShort && [...jobs()].some(({ turns }) => turns.some(hasWorked))
  }

  function performGraphQL({ headers, body }: ServiceRequest, nowMs: number): Reply {
    const parsed = parseBody(body)
    if ('refused' in parsed) return parsed.refused
    const shown = narrowState(readToken(headers)?.repositories)
    return answerGraphQL({ state: shown, nowMs, baseUrl, url: `${baseUrl}${GRAPHQL_PATH}` }, parsed.fields)
  }

  function handleApi(request: ServiceRequest, nowMs: number): ServiceResponse {
    const { headers, body, method } = request
    if (headers['authorization'] === undefined) return toResponse(refusal(401, 'Requires authentication'))
    if (hasExpired(nowMs) || !admits(request)) return toResponse(refusal(401, 'Bad credentials'))
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) return toResponse(refusal(413, 'Payload too large'))
    const path = request.target.slice(API_PATH.length).split('?')[0] ?? ''
    if (request.target === GRAPHQL_PATH)
      return answerAs('graphql', request, nowMs, () => performGraphQL(request, nowMs), true)
    const account = findAccountOperation(method, path)
    if (account !== undefined) {
      const { name, operation } = account
      return answerAs(name, request, nowMs, () => performForAccount(request, path, account, nowMs), operation.isFree)
    }
    const located = locate(path)
    const route = located === undefined ? undefined : findRoute(method, located.rest)
    if (located === undefined || route === undefined) {
      const moved = located === undefined ? undefined : redirectMoved(request, located)
      const response =
        moved === undefined
          ? toResponse(notPlayed(`${method} ${path}`))
          : budget.charge(request, toResponse(moved), nowMs)
      onExchange?.({ operation: undefined, request, fault: 'none', response })
      return response
    }
    return answerAs(route.name, request, nowMs, () => perform(request, located, route, nowMs))
  }

  const github: GitHub = {
    state,
    admits,
    takes: (target) =>
      target.startsWith(`${API_PATH}/`) || target === GRAPHQL_PATH || readLogAddress(target, 0) !== 'elsewhere',
    catchUp,
    handle(request, nowMs) {
      catchUp(nowMs)
      const job = readLogAddress(request.target, nowMs)
      const response = job === 'elsewhere' ? handleApi(request, nowMs) : answerLog(job, request, state)
      publishEvents(nowMs, state.identity)
      return response
    },
  }
  return github
}
