import { agentAction } from '../../src/agent/agent-action.ts'
import type { AgentInputs } from '../../src/agent/inputs/agent-inputs.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { createService, DEFAULT_START_MS, type Service } from '../../src/emulator/embedded-service.ts'
import { demoState } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'
import { USUAL_TURN, type ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { virtualClock, type VirtualClock } from './virtual-clock.ts'
import { stepClockOf } from './fake-clock.ts'
import { RUN_FACTS, type GivenRun } from './fake-github.ts'
import { BASE_URL, connectInProcess } from './in-process-github.ts'
import { observeGitHub, type ObservedGitHub } from './observe-github.ts'
import { cancelledAt, playOn, type Played, type Stage } from './play-feature.ts'
import { respondInProcess, type Respond } from './respond-in-process.ts'

/** What goes on when a step has ended. */
interface Around {
  readonly world: VirtualClock
  readonly observed: ObservedGitHub
  readonly service: Service
}

export interface World extends Played<Report>, Around {
  /** The operations that GitHub was asked, in order, by the names of its description. */
  readonly asked: readonly string[]
  /** How many of them count against the token's limit. */
  readonly counted: number
  /** The repository in which the agent works, as the step left it. */
  readonly docs: RepositoryState
  /** The prompts of the follow-ups that the service took, oldest first. */
  readonly messages: readonly string[]
}

export interface WorldOptions {
  readonly inputs: AgentInputs
  readonly scenario?: ScenarioName
  /** How long the agent works, in milliseconds, in place of what the scenario says. */
  readonly jobMs?: number
  readonly github?: Partial<GitHubScenario>
  /** In place of the usual repository `acme/docs`. */
  readonly repository?: RepositoryState | undefined
  readonly facts?: Partial<GivenRun> | undefined
  /** Changes what is there when GitHub is asked for the first time. */
  readonly furnish?: (docs: RepositoryState) => void
  /** An older name of `acme/docs`. */
  readonly olderName?: string | undefined
  /** When the run is cancelled, in milliseconds from its beginning. */
  readonly cancelAfterMs?: number
  /** In place of a new world that of the step before, which is then as `scenario`, `github` and the like made it. */
  readonly after?: World | undefined
}

function openWorld(options: WorldOptions): Around {
  const { inputs, scenario, jobMs, github, repository, olderName, furnish } = options
  const plays = { ...combineScenarios([]), ...github }
  const state = demoState(plays, DEFAULT_START_MS)
  if (repository !== undefined) state.repositories['acme/docs'] = repository
  if (olderName !== undefined) state.repositories[olderName] = repositoryState({ movedTo: 'acme/docs' })
  let isFurnished = false
  const beforeAnswer = (): void => {
    const { 'acme/docs': docs } = state.repositories
    if (!isFurnished && docs !== undefined) furnish?.(docs)
    isFurnished = true
  }
  const observed = observeGitHub({ scenario: plays, state, beforeAnswer })
  const service = createService({
    baseUrl: BASE_URL,
    projectId: inputs.projectId,
    ...(scenario === undefined ? {} : { scenario }),
    ...(jobMs === undefined ? {} : { plays: { turns: [{ ...USUAL_TURN, durationMs: jobMs }] as const } }),
    github: observed.options,
  })
  return { world: virtualClock(), observed, service }
}

export interface Surroundings {
  readonly world: VirtualClock
  /** Both servers. */
  readonly respond: Respond
  readonly facts?: Partial<GivenRun> | undefined
  readonly timeoutMs: number
  /** When the run is cancelled, in milliseconds from its beginning. */
  readonly cancelAfterMs?: number | undefined
  /** How long the way to a server takes, and the way back, in milliseconds. */
  readonly latencyMs?: () => number
}

/** What is around a step that begins now, where both servers are of this process. */
export function stageIn({ world, respond, facts, timeoutMs, cancelAfterMs, latencyMs }: Surroundings): Stage {
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

/**
 * Plays a step against the embedded service and its GitHub, without sockets, on a clock that moves only by sleeping. All that
 * is said to GitHub, and by it, is held against its published description.
 */
export async function playInWorld(options: WorldOptions): Promise<World> {
  const { inputs, facts, cancelAfterMs, after } = options
  const { world, observed, service } = after ?? openWorld(options)
  const respond: Respond = (request, nowMs) => service.handle(request, nowMs)
  const stage = stageIn({ world, respond, facts, cancelAfterMs, timeoutMs: inputs.timeoutMs })
  const played = await playOn({ ...stage, world }, agentAction, () => inputs)
  if (observed.violations.length > 0) throw new Error(observed.violations.join('\n'))
  return {
    ...played,
    world,
    observed,
    service,
    asked: observed.requests,
    counted: observed.counted,
    docs: service.github.state.repositories['acme/docs'] ?? repositoryState(),
    messages: service.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/message'))
      .map(({ prompt }) => prompt ?? ''),
  }
}
