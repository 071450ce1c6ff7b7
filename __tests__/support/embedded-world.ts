import type { AgentInputs } from '../../src/agent/inputs.ts'
import { createService, DEFAULT_START_MS, type Service } from '../../src/emulator/embedded-service.ts'
import { createDemoState, GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { API_PATH } from '../../src/emulator/github/reply.ts'
import { combineScenarios, type GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { findRoute } from '../../src/emulator/github/routes.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { jsonResponse, type ServiceRequest, type ServiceResponse } from '../../src/emulator/http/exchange.ts'
import type { TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { DEFAULT_TURN, type ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { virtualClock, type VirtualClock } from './virtual-clock.ts'
import { stepClockOf } from './fake-clock.ts'
import { RUN_FACTS, type GivenRun } from './fake-github.ts'
import { BASE_URL, connectInProcess } from './in-process-github.ts'
import { agentInputs } from './fake-step.ts'
import { observeGitHub, type ObservedGitHub } from './observe-github.ts'
import { cancelledAt, playAgent, type PlayedAgent, type Stage } from './play-feature.ts'
import { respondInProcess, type Respond } from './respond-in-process.ts'

/** What goes on when a step has ended. */
interface Around {
  readonly world: VirtualClock
  readonly observed: ObservedGitHub
  readonly service: Service
}

export interface World extends PlayedAgent, Around {
  /** The operations that the step asked GitHub for, in order, by the names of its description. */
  readonly asked: readonly string[]
  /** How many of them count against the token's limit. */
  readonly counted: number
  /** The repository in which the agent works, as the step left it. */
  readonly docs: RepositoryState
  /** The prompts that the service took of the step, oldest first, and what they were sent to: `create` or the job's id. */
  readonly taken: readonly (readonly [to: string, prompt: string])[]
  /** Those of its follow-ups. */
  readonly messages: readonly string[]
}

/** One of the two servers is asked something. */
export interface Asked extends Around {
  readonly docs: RepositoryState
  /** In milliseconds since 1970. */
  readonly nowMs: number
  /** What it would answer. */
  readonly answer: () => ServiceResponse
}

type Answer = (asked: Asked) => ServiceResponse

export interface WorldOptions {
  readonly inputs: AgentInputs
  readonly scenario?: ScenarioName
  /** How the agent works on a job's first prompt, on its second, ...; the last stays. What is not said is as usual. */
  readonly turns?: readonly Partial<TurnPlan>[]
  readonly github?: Partial<GitHubScenario>
  /** In place of the usual repository `acme/docs`. */
  readonly repository?: RepositoryState | undefined
  readonly facts?: Partial<GivenRun> | undefined
  /** Changes what is there when GitHub is asked for the first time. */
  readonly furnish?: (docs: RepositoryState) => void
  /** When the run is cancelled, in milliseconds from its beginning. */
  readonly cancelAfterMs?: number
  /** Called with each request before it is answered: `create`, `message job_1`, `read job_1`, or an operation of GitHub's. */
  readonly onAsked?: (what: string, asked: Asked) => unknown
  /** Answers some of these in a server's place. */
  readonly answers?: Readonly<Record<string, Answer>>
  /** In place of a new world that of the step before, which is then as `scenario`, `github` and the like made it. */
  readonly after?: World | undefined
}

function openWorld(options: WorldOptions): Around {
  const { inputs, scenario, turns, github, repository, furnish } = options
  const plays = { ...combineScenarios([]), ...github }
  const state = createDemoState(plays, DEFAULT_START_MS)
  if (repository !== undefined) state.repositories['acme/docs'] = repository
  let isFurnished = false
  const onBeforeResponse = (): void => {
    const { 'acme/docs': docs } = state.repositories
    if (!isFurnished && docs !== undefined) furnish?.(docs)
    isFurnished = true
  }
  const observed = observeGitHub({ scenario: plays, state, onBeforeResponse })
  const service = createService({
    baseUrl: BASE_URL,
    projectId: inputs.projectId,
    ...(scenario === undefined ? {} : { scenario }),
    ...(turns && { scenarioOverrides: { turns: turns.map((turn) => ({ ...DEFAULT_TURN, ...turn })) as [TurnPlan] } }),
    github: observed.options,
  })
  return { world: virtualClock(), observed, service }
}

export interface Dependencies {
  readonly world: VirtualClock
  readonly respond: Respond
  readonly facts?: Partial<GivenRun> | undefined
  readonly timeoutMs: number
  /** When the run is cancelled, in milliseconds from its beginning. */
  readonly cancelAfterMs?: number | undefined
  /** How long the way to a server takes, and the way back, in milliseconds. */
  readonly latencyMs?: () => number
}

/** What is around a step that begins now, where both servers are of this process. */
export function stageIn({ world, respond, facts, timeoutMs, cancelAfterMs, latencyMs }: Dependencies): Stage {
  const clock = stepClockOf(world)
  const signal = cancelledAt(world, world.now() + (cancelAfterMs ?? Infinity))
  const handle = (request: ServiceRequest): ServiceResponse => respond(request, clock.wallTime().getTime())
  const github = connectInProcess({ handle, clock, signal, ...(latencyMs && { latencyMs }) })
  return {
    apiKey: EMULATOR_KEY,
    transport: respondInProcess(respond, EMULATOR_KEY, clock, latencyMs),
    github: github.until(clock.now() + timeoutMs),
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
  return findRoute(method, path.replace(`${API_PATH}/repos/`, '').replace(/^[^/]+\/[^/]+/, ''))?.name ?? path
}

export const refusing =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (): ServiceResponse =>
    jsonResponse(status, {}, headers)

/** What would be answered, but for some fields. */
export const changing =
  (fieldsOf: (body: never) => object) =>
  ({ answer }: Asked): ServiceResponse => {
    const { status, body } = answer()
    const found = JSON.parse(body) as never
    const fields = fieldsOf(found)
    return jsonResponse(status, Array.isArray(fields) ? fields : { ...(found as object), ...fields })
  }

/** One answer after the other; the last one stays. */
export const inOrder = (...answers: readonly Answer[]): Answer => {
  let next = 0
  return (asked) => answers[Math.min(next++, answers.length - 1)]?.(asked) ?? asked.answer()
}

/**
 * Plays a step against the embedded service and its GitHub, without sockets, on a clock that moves only by sleeping. All that
 * is said to GitHub, and by it, is held against its published description.
 */
export async function playInWorld(options: WorldOptions): Promise<World> {
  const { inputs, facts, cancelAfterMs, onAsked, answers = {}, after } = options
  const around = after ?? openWorld(options)
  const { world, observed, service } = around
  const docs = service.github.state.repositories['acme/docs'] ?? createRepositoryState()
  const before = { requests: service.requests.length, asked: observed.requests.length }
  const respond: Respond = (request, nowMs) => {
    const what = getName(request)
    const asked = { world, observed, service, docs, nowMs, answer: () => service.handle(request, nowMs) }
    service.github.catchUp(nowMs)
    onAsked?.(what, asked)
    return answers[what]?.(asked) ?? asked.answer()
  }
  const stage = stageIn({ world, respond, facts, cancelAfterMs, timeoutMs: inputs.timeoutMs })
  const played = await playAgent({ ...stage, world }, () => inputs)
  if (observed.violations.length > 0) throw new Error(observed.violations.join('\n'))
  const taken = service.requests
    .slice(before.requests)
    .filter(({ prompt, status }) => prompt !== undefined && status < 300)
    .map(({ path, prompt = '' }) => [/job\/(.+)\/message$/.exec(path)?.[1] ?? 'create', prompt] as const)
  return {
    ...played,
    world,
    observed,
    service,
    docs,
    taken,
    asked: observed.requests.slice(before.asked),
    counted: observed.counted,
    messages: taken.filter(([to]) => to !== 'create').map(([, prompt]) => prompt),
  }
}

/** Plays a step that goes on with the pull request of its label, where an earlier run has left one. */
export function goOn(
  given: Readonly<Record<string, string>> = {},
  options: Partial<WorldOptions> = {},
): Promise<World> {
  const access = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'skip-own-changes': 'false' }
  const inputs = agentInputs({}, { ...access, 'on-open-pr': 'follow-up', ...given })
  return playInWorld({ inputs, github: combineScenarios(['open-pull-request']), ...options })
}
