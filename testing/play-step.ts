import type { OnStop } from '../src/action/run-action.ts'
import type { AgentInputs } from '../src/agent/facts.ts'
import type { Run } from '../src/agent/record.ts'
import { createService, DEFAULT_START_MS, type Service } from '../src/emulator/embedded-service.ts'
import { createDemoState, GITHUB_TOKEN } from '../src/emulator/github/demo-state.ts'
import { API_PATH } from '../src/emulator/github/reply.ts'
import { combineScenarios, type GitHubScenario } from '../src/emulator/github/github-scenarios.ts'
import { createRepositoryState, type RepositoryState } from '../src/emulator/github/repository-state.ts'
import { findGitHubRoute } from '../src/emulator/github/routes.ts'
import type { GitHubState } from '../src/emulator/github/state.ts'
import { EMULATOR_KEY } from '../src/emulator/http/access.ts'
import { jsonResponse, type ServiceRequest, type ServiceResponse } from '../src/emulator/http/exchange.ts'
import type { TurnPlan } from '../src/emulator/service/job-machine.ts'
import { DEFAULT_TURN, type ScenarioName } from '../src/emulator/service/scenarios.ts'
import { virtualClock, type VirtualClock } from './virtual-clock.ts'
import { createStepClock } from './fake-clock.ts'
import { RUN_FACTS, type GivenRun } from './given-run.ts'
import { BASE_URL, connectInProcess } from './in-process-github.ts'
import { agentInputs } from './agent-inputs.ts'
import { observeGitHub, type ObservedGitHub } from './observe-github.ts'
import { cancelledAt, playAgent, type PlayedAgent, type Stage } from './play-feature.ts'
import { respondInProcess, type Respond } from './respond-in-process.ts'

/** The servers and their clock, which exist before and after a step. */
interface Servers {
  readonly baseClock: VirtualClock
  readonly observed: ObservedGitHub
  readonly service: Service
}

export interface StepRequest {
  /** `create`, `message job_1`, `read job_1`, or an operation of GitHub. */
  readonly what: string
  /** In milliseconds since the start of the step. */
  readonly atMs: number
  /** Path and query. */
  readonly target: string
}

export interface PlayedStep extends PlayedAgent, Servers {
  /** The step's requests to both servers, in order, including those whose responses are replaced. */
  readonly allRequests: readonly StepRequest[]
  /** The operations of the step's requests to GitHub, in order, by their ids in GitHub's API description. */
  readonly operations: readonly string[]
  /** The agent's repository after the step. */
  readonly docs: RepositoryState
  /** Oldest first, with `create` or the id of the job. */
  readonly acceptedPrompts: readonly (readonly [to: string, prompt: string])[]
  /** The prompts of follow-ups only. */
  readonly messages: readonly string[]
}

/** A request to the service or to GitHub. */
export interface ObservedRequest extends Servers {
  readonly docs: RepositoryState
  readonly request: ServiceRequest
  /** In milliseconds since 1970. */
  readonly nowMs: number
  /** Returns the server's own response. */
  readonly respond: () => ServiceResponse
}

export type Responder = (request: ObservedRequest) => ServiceResponse

export interface PlayStepOptions {
  readonly inputs: AgentInputs
  readonly scenario?: ScenarioName
  /**
   * The turns of a job, in order. The last entry also applies to all later turns. Omitted fields have their defaults.
   */
  readonly turns?: readonly Partial<TurnPlan>[]
  /** The replica lag of consecutive reads of a job, in milliseconds; repeated after the last one. */
  readonly lagsMs?: readonly number[]
  readonly github?: Partial<GitHubScenario>
  /** Replaces the default repository `acme/docs`. */
  readonly repository?: RepositoryState | undefined
  readonly facts?: Partial<GivenRun> | undefined
  /** How long after the start of the servers' history the step starts, in milliseconds. */
  readonly startMs?: number
  /** Changes the repository, or the rest of GitHub, before the first response of GitHub. */
  readonly prepare?: (docs: RepositoryState, state: GitHubState) => void
  /** When the run is cancelled, in milliseconds from its start. */
  readonly cancelAfterMs?: number
  /** The latency in each direction, in milliseconds. */
  readonly latencyMs?: number
  /** Receives what reports the step if it is stopped. */
  readonly onStop?: OnStop<Run>
  /** Called before the response to each request. */
  readonly onRequest?: (what: string, request: ObservedRequest) => unknown
  /** Replaces the responses to some of these requests. */
  readonly responses?: Readonly<Record<string, Responder>>
  /** Continues with the servers of an earlier step. Options such as `scenario` and `github` are then ignored. */
  readonly after?: PlayedStep | undefined
}

function openServers(options: PlayStepOptions): Servers {
  const { inputs, scenario, turns, lagsMs, github, repository, startMs = 0, prepare } = options
  const plays = { ...combineScenarios([]), ...github }
  const state = createDemoState(plays, DEFAULT_START_MS)
  if (repository !== undefined) state.repositories['acme/docs'] = repository
  let isPrepared = false
  const onBeforeResponse = (): void => {
    const { 'acme/docs': docs } = state.repositories
    if (!isPrepared && docs !== undefined) prepare?.(docs, state)
    isPrepared = true
  }
  const observed = observeGitHub({ scenario: plays, state, onBeforeResponse })
  const service = createService({
    baseUrl: BASE_URL,
    projectId: inputs.projectId,
    ...(scenario === undefined ? {} : { scenario }),
    scenarioOverrides: {
      ...(turns && { turns: turns.map((turn) => ({ ...DEFAULT_TURN, ...turn })) as [TurnPlan] }),
      ...(lagsMs && { lagsMs }),
    },
    github: observed.options,
  })
  return { baseClock: virtualClock({ startMs }), observed, service }
}

export interface Dependencies {
  readonly baseClock: VirtualClock
  readonly respond: Respond
  readonly facts?: Partial<GivenRun> | undefined
  readonly timeoutMs: number
  /** When the run is cancelled, in milliseconds from its start. */
  readonly cancelAfterMs?: number | undefined
  /** The latency in each direction, in milliseconds. */
  readonly latencyMs?: () => number
}

/** Creates the dependencies of a step that starts now, with both servers in this process. */
export function createStage({ baseClock, respond, facts, timeoutMs, cancelAfterMs, latencyMs }: Dependencies): Stage {
  const clock = createStepClock(baseClock)
  const signal = cancelledAt(baseClock, baseClock.now() + (cancelAfterMs ?? Infinity))
  const handle = (request: ServiceRequest): ServiceResponse => respond(request, clock.wallTime().getTime())
  const deadlineAt = clock.now() + timeoutMs
  const github = connectInProcess({ handle, clock, signal, deadlineAt, ...(latencyMs && { latencyMs }) })
  return {
    apiKey: EMULATOR_KEY,
    transport: respondInProcess(respond, EMULATOR_KEY, clock, latencyMs),
    github,
    context: { ...RUN_FACTS, serverUrl: BASE_URL, ...facts },
    clock,
    signal,
  }
}

const JOB = /^\/v2\/agent\/[^/]+\/job(?:\/([^/]+)(?:\/message)?)?$/

function getName({ method, target }: ServiceRequest): string {
  const [path = ''] = target.split('?')
  const [isJob, id] = JOB.exec(path) ?? []
  if (isJob !== undefined) return id === undefined ? 'create' : `${method === 'GET' ? 'read' : 'message'} ${id}`
  return findGitHubRoute(method, path.replace(`${API_PATH}/repos/`, '').replace(/^[^/]+\/[^/]+/, ''))?.name ?? path
}

export const respondAsUsual: Responder = ({ respond }) => respond()

/** What GitHub responds to a token that lacks a permission. */
export const respondForbidden: Responder = () =>
  jsonResponse(403, { message: 'Resource not accessible by integration' })

/** Acts at one request of a kind, by default at the first. */
export function atRequest(
  kind: string,
  act: (request: ObservedRequest) => unknown,
  nth = 1,
): NonNullable<PlayStepOptions['onRequest']> {
  let count = 0
  return (what, request) => {
    if (what === kind && ++count === nth) act(request)
  }
}

export const respondWith =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (): ServiceResponse =>
    jsonResponse(status, {}, headers)

/** Returns a response that changes some fields of the original body. */
export const changeResponse =
  (getFields: (body: never) => object) =>
  ({ respond }: ObservedRequest): ServiceResponse => {
    const { status, body } = respond()
    const found = JSON.parse(body) as never
    const fields = getFields(found)
    return jsonResponse(status, Array.isArray(fields) ? fields : { ...(found as object), ...fields })
  }

/** Responds in order. The last response also applies to all later requests. */
export const respondInOrder = (...responses: readonly Responder[]): Responder => {
  let next = 0
  return (request) => responses[Math.min(next++, responses.length - 1)]?.(request) ?? request.respond()
}

/**
 * Runs a step against the embedded service and GitHub, without sockets, on a clock that moves only when the step
 * sleeps. Checks all requests and responses of GitHub against its API description.
 */
export async function playStep(options: PlayStepOptions): Promise<PlayedStep> {
  const { inputs, facts, cancelAfterMs, latencyMs = 0, onStop, onRequest, responses = {}, after } = options
  const servers: Servers = after ?? openServers(options)
  const { baseClock, observed, service } = servers
  const docs = service.github.state.repositories['acme/docs'] ?? createRepositoryState()
  const before = { requests: service.requests.length, operations: observed.requests.length }
  const allRequests: StepRequest[] = []
  const startedAtMs = baseClock.wallTime().getTime()
  const respond: Respond = (request, nowMs) => {
    const what = getName(request)
    allRequests.push({ what, atMs: nowMs - startedAtMs, target: request.target })
    const observedRequest = { ...servers, request, docs, nowMs, respond: () => service.handle(request, nowMs) }
    service.github.catchUp(nowMs)
    onRequest?.(what, observedRequest)
    return responses[what]?.(observedRequest) ?? observedRequest.respond()
  }
  const { timeoutMs } = inputs
  const stage = createStage({ baseClock, respond, facts, cancelAfterMs, timeoutMs, latencyMs: () => latencyMs })
  const github = inputs.githubToken === '' ? undefined : stage.github
  const played = await playAgent({ ...stage, github, baseClock }, () => inputs, onStop)
  if (observed.violations.length > 0) throw new Error(observed.violations.join('\n'))
  const acceptedPrompts = service.requests
    .slice(before.requests)
    .filter(({ prompt, status }) => prompt !== undefined && status < 300)
    .map(({ path, prompt = '' }) => [/job\/(.+)\/message$/.exec(path)?.[1] ?? 'create', prompt] as const)
  return {
    ...played,
    baseClock,
    observed,
    service,
    docs,
    allRequests,
    acceptedPrompts,
    operations: observed.requests.slice(before.operations),
    messages: acceptedPrompts.filter(([to]) => to !== 'create').map(([, prompt]) => prompt),
  }
}

/** Runs a step that continues the open pull request of its label, which an earlier run has left. */
export function playFollowUp(
  given: Readonly<Record<string, string>> = {},
  options: Partial<PlayStepOptions> = {},
): Promise<PlayedStep> {
  const access = { 'github-token': GITHUB_TOKEN, label: 'docs-agent' }
  const inputs = agentInputs({}, { ...access, 'on-open-pr': 'follow-up', ...given })
  return playStep({ inputs, github: combineScenarios(['open-pull-request']), ...options })
}

/** Sends another prompt to a job, as a user of the dashboard does. */
export function sendElse({ service, nowMs }: Pick<ObservedRequest, 'service' | 'nowMs'>, jobId = 'job_finished'): void {
  service.handle(
    {
      method: 'POST',
      target: `/v2/agent/docs-demo/job/${jobId}/message`,
      headers: { authorization: `Bearer ${EMULATOR_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Else.' }),
    },
    nowMs,
  )
}
