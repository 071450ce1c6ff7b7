import { type RequestHead, type ServiceRequest, type ServiceResponse, jsonResponse } from '../http/exchange.ts'
import { type FaultPattern, getFault } from '../http/faults.ts'
import { MAX_BODY_BYTES } from '../http/prompt-body.ts'
import { SOURCE } from '../service/job-body.ts'
import type { JobRecord, ScheduledTurn } from '../service/job-machine.ts'
import { createAgentWork } from './agent-work.ts'
import { createDemoState, openFakePull } from './demo-state.ts'
import { type GitHubFault, applyGitHubFault } from './github-faults.ts'
import { type GitHubScenario, DEFAULT_GITHUB } from './github-scenarios.ts'
import { performOperation } from './perform-operation.ts'
import { RequestBudget } from './rate-limit.ts'
import { API_PATH, type Reply, NOT_FOUND, notImplemented, ok, replyWithError, findIgnoringCase } from './reply.ts'
import type { RepositoryState } from './repository-state.ts'
import { type GitHubRoute, findGitHubRoute, replaceUnknownNames } from './routes.ts'
import type { GitHubState } from './state.ts'
import { type WebhookEvent, createEventSource } from './webhook-events.ts'
import { handleLogRequest, parseLogUrl } from './workflow-operations.ts'

/** The GraphQL path of a GitHub Enterprise Server. */
const GRAPHQL_PATH = '/api/graphql'
const VIEWER_QUERY = 'query { viewer { databaseId } }'

export interface EmbeddedGitHubOptions {
  /** The URL of the web pages, without a trailing slash. */
  readonly baseUrl: string
  /** The service's time at its start, in milliseconds since 1970. */
  readonly startMs: number
  /** Missing fields have their defaults. */
  readonly scenario?: Partial<GitHubScenario>
  /**
   * The real repository of a rehearsal, as `owner/name`. It is an alias of the agent's repository, in which known commits,
   * branches and workflows replace unknown ones. So is every other unknown repository, from its first request on.
   */
  readonly repository?: string
  /** The branch of the real run of a rehearsal. By default the default branch of the agent's repository. */
  readonly branch?: string
  /** The files of the change that started the run. By default one file. */
  readonly changedFiles?: readonly string[]
  /** The default branch of the agent's repository. By default `main`. */
  readonly defaultBranch?: string
  /** Overrides fields of the scenario's initial state. */
  readonly state?: Partial<GitHubState>
  /** Overrides the scenario's faults, by operation id. */
  readonly faults?: Readonly<Record<string, FaultPattern<GitHubFault>>>
  /** Lists all jobs of the service, whose pull requests are opened here. */
  readonly listJobs?: () => Iterable<JobRecord>
  /** Called before each response with the number of earlier requests for the operation. May change the state. */
  readonly onBeforeResponse?: (operation: string, earlierRequests: number, github: EmbeddedGitHub) => void
  /** Called with each `push` and `pull_request` event that starts workflows. */
  readonly onEvent?: (event: WebhookEvent) => void
  /** Called with each authorised request and its response. */
  readonly onExchange?: (exchange: GitHubExchange) => void
}

export interface GitHubExchange {
  /** The id in GitHub's API description, or `graphql`. Undefined for an unsupported operation. */
  readonly operation: string | undefined
  readonly request: ServiceRequest
  readonly fault: GitHubFault
  readonly response: ServiceResponse
}

export interface EmbeddedGitHub {
  /** The state at the last request or `catchUp`. Callers may change it. */
  readonly state: GitHubState
  /** The `owner/name` under which the agent opens its next pull request. */
  getAgentRepository(): string
  /** Whether a request target belongs to GitHub. */
  isGitHubTarget(target: string): boolean
  /** Whether a request is authorised. Does not need the body. */
  isAuthorized(head: RequestHead): boolean
  /**
   * Updates the state to a time.
   * @param nowMs in milliseconds since 1970; must not decrease
   */
  catchUp(nowMs: number): void
  /** @param nowMs in milliseconds since 1970; must not decrease */
  handle(request: ServiceRequest, nowMs: number): ServiceResponse
}

function toResponse({ status, body, headers = {} }: Reply): ServiceResponse {
  if (body !== undefined) return jsonResponse(status, body as object, headers)
  return { status, headers, body: '', delivery: 'complete' }
}

/** Returns the fields of a JSON body, or GitHub's error response to an invalid one. An empty body has no fields. */
function parseBody(text: string): { readonly fields: Readonly<Record<string, unknown>> } | { readonly refused: Reply } {
  if (text === '') return { fields: {} }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { fields: value as Record<string, unknown> }
    return { refused: replyWithError(400, 'Body should be a JSON object') }
  } catch {
    return { refused: replyWithError(400, 'Problems parsing JSON') }
  }
}

/** Every response is JSON, and JSON contains the Markdown source of bodies, as `raw` does. */
const OTHER_MEDIA_TYPE = /^application\/vnd\.github\.(?:[\w-]+\.)?(?:diff|patch|sha|html|text|full|object)\b(?:\+json)?/

interface Token {
  readonly value: string
  /** The only repositories that an app's token gives access to. `undefined` for a token without such a limit. */
  readonly repositories?: readonly string[]
}

/**
 * Reads the token of a request. An app's token for some repositories is the embedded GitHub's token, a colon, and the
 * repositories' names, separated by commas.
 */
function readToken(headers: RequestHead['headers']): Token | undefined {
  const [, value, names] = /^(?:token|bearer) +([^\s:]+)(?::(\S+))?$/i.exec(headers['authorization'] ?? '') ?? []
  if (value === undefined) return undefined
  return { value, ...(names !== undefined && { repositories: names.split(',') }) }
}

/** A path, split into the name of its repository and the rest. */
interface RepositoryPath {
  readonly name: string
  readonly rest: string
}

const REPOSITORY = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/
const REPOSITORY_BY_ID = /^\/repositories\/(\d+)(\/.*)?$/

/** Creates the embedded GitHub, without sockets or a clock. */
export function createGitHub(options: EmbeddedGitHubOptions): EmbeddedGitHub {
  const { baseUrl, startMs, onExchange } = options
  const scenario: GitHubScenario = { ...DEFAULT_GITHUB, ...options.scenario }
  const { changedFiles, defaultBranch } = options
  const state: GitHubState = { ...createDemoState(scenario, startMs, changedFiles, defaultBranch), ...options.state }
  let agentRepositoryName: string = SOURCE.repository
  if (options.repository !== undefined) {
    addAlias(options.repository)
    agentRepositoryName = options.repository
  }
  const { [SOURCE.repository]: agentRepository } = state.repositories
  if (agentRepository !== undefined && options.branch !== undefined) agentRepository.runBranch = options.branch
  const listJobs = options.listJobs ?? (() => [])
  const playAgent = createAgentWork({ state, scenario, listJobs })
  const requestCounts = new Map<string, number>()
  const budget = new RequestBudget()
  const takeEvents = createEventSource(state)

  /** Adds a name of the agent's repository. */
  function addAlias(name: string): void {
    const { [SOURCE.repository]: repository } = state.repositories
    if (repository !== undefined) state.repositories[name] = repository
  }

  const isAlias = (name: string): boolean =>
    options.repository !== undefined && state.repositories[name] === state.repositories[SOURCE.repository]

  /**
   * In a rehearsal, every repository that a step names exists. A step looks for open pull requests where the agent opens
   * them: with `pr-repository`, that is not the repository of the run.
   */
  function rehearseRepository(name: string, operation: string): void {
    if (options.repository === undefined) return
    if (state.repositories[name] === undefined) addAlias(name)
    if (isAlias(name) && operation === 'pulls/list') agentRepositoryName = name
  }

  /** The event of a run and `change-range` can name a pull request of the real repository. */
  function rehearsePull(repository: RepositoryState, { pull_number: given }: GitHubRoute['params']): void {
    const number = Number(given ?? NaN)
    if (Number.isNaN(number) || repository.pulls[number] !== undefined) return
    openFakePull(repository, number, startMs, options.changedFiles)
  }

  /** @param sender the login behind all changes since the last call, if known */
  function publishEvents(nowMs: number, sender?: string): void {
    if (options.onEvent !== undefined) takeEvents({ nowMs, baseUrl }, sender).forEach(options.onEvent)
  }

  function catchUp(nowMs: number): void {
    playAgent(nowMs)
    publishEvents(nowMs)
  }

  function splitPath(path: string): RepositoryPath | undefined {
    const [, named, rest = ''] = REPOSITORY.exec(path) ?? []
    if (named !== undefined) return { name: findIgnoringCase(Object.keys(state.repositories), named) ?? named, rest }
    const [, id, below = ''] = REPOSITORY_BY_ID.exec(path) ?? []
    const found = Object.entries(state.repositories).find(
      ([, repository]) => String(repository.id) === id && repository.movedTo === undefined,
    )
    return id === undefined ? undefined : { name: found?.[0] ?? id, rest: below }
  }

  const getUrlById = (id: number, rest: string): string => `${baseUrl}${API_PATH}/repositories/${id}${rest}`

  /** GitHub redirects requests for a moved repository to the URL with its id. */
  function redirectMoved({ method, target }: ServiceRequest, { name, rest }: RepositoryPath): Reply | undefined {
    const newName = state.repositories[name]?.movedTo
    if (newName === undefined) return undefined
    const query = target.includes('?') ? target.slice(target.indexOf('?')) : ''
    const location = getUrlById(state.repositories[newName]?.id ?? 0, rest) + query
    return replyWithError(method === 'GET' ? 301 : 307, 'Moved Permanently', { url: location, headers: { location } })
  }

  /** Refuses repositories that an app's token was not made for, except reads of public ones. */
  function refuseOtherRepository({ method, headers }: RequestHead, name: string): Reply | undefined {
    const names = readToken(headers)?.repositories
    if (names === undefined || names.includes(name)) return undefined
    if (state.repositories[name]?.visibility !== 'public') return NOT_FOUND
    return method === 'GET' ? undefined : replyWithError(403, 'Resource not accessible by integration')
  }

  function performInRepository(
    request: ServiceRequest,
    { name, rest }: RepositoryPath,
    route: GitHubRoute,
    nowMs: number,
  ): Reply {
    rehearseRepository(name, route.name)
    const repository = state.repositories[name]
    if (repository === undefined) return NOT_FOUND
    const refused = refuseOtherRepository(request, name)
    if (refused !== undefined) return refused
    const moved = redirectMoved(request, { name, rest })
    if (moved !== undefined) return moved
    const [path = '', ...query] = request.target.split('?')
    const parsed = parseBody(request.body)
    if ('refused' in parsed) return parsed.refused
    const requested = { params: route.params, query: new URLSearchParams(query.join('?')) }
    if (isAlias(name)) rehearsePull(repository, route.params)
    const known = isAlias(name) ? replaceUnknownNames(repository, requested) : requested
    const mediaType = OTHER_MEDIA_TYPE.exec(request.headers['accept'] ?? '')?.[0]
    if (mediaType !== undefined) return notImplemented(`the media type ${mediaType}`)
    return performOperation(route.name, {
      ...known,
      state,
      name,
      repository,
      body: parsed.fields,
      nowMs,
      isOfApp: readToken(request.headers)?.repositories !== undefined,
      baseUrl,
      // Aliases share the id of the agent's repository, so only URLs with their name lead back to them.
      url: isAlias(name) ? `${baseUrl}${path}` : getUrlById(repository.id, rest),
    })
  }

  function respond(operation: string, request: ServiceRequest, nowMs: number, perform: () => Reply): ServiceResponse {
    const earlierRequests = requestCounts.get(operation) ?? 0
    requestCounts.set(operation, earlierRequests + 1)
    options.onBeforeResponse?.(operation, earlierRequests, github)
    const fault = budget.isSpent(nowMs)
      ? 'primary-limit'
      : getFault(options.faults?.[operation] ?? scenario.faults, earlierRequests)
    const response = budget.charge(
      applyGitHubFault(fault, () => toResponse(perform())),
      nowMs,
    )
    onExchange?.({ operation, request, fault, response })
    return response
  }

  const hasValidToken = ({ headers }: RequestHead): boolean => readToken(headers)?.value === state.token

  function hasTokenExpired(nowMs: number): boolean {
    // Turns from before the start belong to earlier runs.
    const hasEnded = ({ startsAtMs, endsAtMs }: ScheduledTurn): boolean => startsAtMs >= startMs && endsAtMs <= nowMs
    return scenario.isTokenShort && [...listJobs()].some(({ turns }) => turns.some(hasEnded))
  }

  /** Answers the only query that the action sends. An app's token has no `GET /user`. */
  function performGraphQL({ body }: ServiceRequest): Reply {
    const parsed = parseBody(body)
    if ('refused' in parsed) return parsed.refused
    if (parsed.fields['query'] !== VIEWER_QUERY) return notImplemented(`GraphQL, except for \`${VIEWER_QUERY}\``)
    return ok({ data: { viewer: { databaseId: state.users[state.identity]?.id } } })
  }

  function handleApi(request: ServiceRequest, nowMs: number): ServiceResponse {
    const { headers, body, method } = request
    if (headers['authorization'] === undefined) return toResponse(replyWithError(401, 'Requires authentication'))
    if (hasTokenExpired(nowMs) || !hasValidToken(request)) return toResponse(replyWithError(401, 'Bad credentials'))
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) return toResponse(replyWithError(413, 'Payload too large'))
    const path = request.target.slice(API_PATH.length).split('?')[0] ?? ''
    if (request.target === GRAPHQL_PATH) return respond('graphql', request, nowMs, () => performGraphQL(request))
    const located = splitPath(path)
    const route = located === undefined ? undefined : findGitHubRoute(method, located.rest)
    if (located === undefined || route === undefined) {
      const moved = located === undefined ? undefined : redirectMoved(request, located)
      const response =
        moved === undefined ? toResponse(notImplemented(`${method} ${path}`)) : budget.charge(toResponse(moved), nowMs)
      onExchange?.({ operation: undefined, request, fault: 'none', response })
      return response
    }
    return respond(route.name, request, nowMs, () => performInRepository(request, located, route, nowMs))
  }

  const github: EmbeddedGitHub = {
    state,
    getAgentRepository: () => agentRepositoryName,
    isAuthorized: hasValidToken,
    isGitHubTarget: (target) =>
      target.startsWith(`${API_PATH}/`) || target === GRAPHQL_PATH || parseLogUrl(target, 0) !== 'elsewhere',
    catchUp,
    handle(request, nowMs) {
      catchUp(nowMs)
      const job = parseLogUrl(request.target, nowMs)
      const response = job === 'elsewhere' ? handleApi(request, nowMs) : handleLogRequest(job, request, state)
      publishEvents(nowMs, state.identity)
      return response
    },
  }
  return github
}
