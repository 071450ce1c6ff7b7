import { getOctokit } from '@actions/github'
import { agentAction } from '../../src/agent/agent-action.ts'
import type { AgentInputs } from '../../src/agent/inputs/agent-inputs.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { createService, DEFAULT_START_MS, type Service } from '../../src/emulator/embedded-service.ts'
import { demoState, GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import { API_PATH } from '../../src/emulator/github/github.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import type { AskGitHub } from '../../src/github/ask-github.ts'
import { methods, type GitHub } from '../../src/github/connect-github.ts'
import type { Download } from '../../src/github/download.ts'
import { toActionError } from '../../src/github/github-error.ts'
import type { RunFacts } from '../../src/github/run-facts.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { fakeClock } from './fake-clock.ts'
import { RUN_FACTS } from './fake-github.ts'
import { observeGitHub } from './observe-github.ts'
import { playOn, type Played } from './play-feature.ts'
import { respondInProcess, type Respond } from './respond-in-process.ts'

const BASE_URL = 'https://git.example.com'

export interface World extends Played<Report> {
  readonly service: Service
  /** The operations that GitHub was asked, in order, by the names of its description. */
  readonly asked: readonly string[]
  /** The repository in which the agent works, as the step left it. */
  readonly docs: RepositoryState
  /** The prompts of the follow-ups that the service took, oldest first. */
  readonly messages: readonly string[]
}

export interface WorldOptions {
  readonly inputs: AgentInputs
  readonly scenario?: ScenarioName
  readonly github?: Partial<GitHubScenario>
  /** In place of the usual repository `acme/docs`. */
  readonly repository?: RepositoryState | undefined
  readonly facts?: Partial<RunFacts> | undefined
  /** Cancels the run when it goes to sleep after so much time, in milliseconds. */
  readonly cancelAfterMs?: number
}

/** GitHub's real client, with the embedded GitHub in the place of `fetch`. */
function gitHubOver(handle: (request: ServiceRequest) => ServiceResponse): GitHub {
  const respond = (url: string, init: RequestInit = {}): Response => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const [target, body] = [url.slice(BASE_URL.length), typeof init.body === 'string' ? init.body : '']
    const answer = handle({ method: init.method ?? 'GET', target, headers, body })
    return new Response(answer.body === '' ? null : answer.body, { status: answer.status, headers: answer.headers })
  }
  const fetch = (url: string, init?: RequestInit): Promise<Response> => Promise.resolve(respond(url, init))
  const octokit = getOctokit(GITHUB_TOKEN, { baseUrl: `${BASE_URL}${API_PATH}`, request: { fetch } })
  const ask: AskGitHub = async (need, call) => {
    try {
      return await call(octokit)
    } catch (error) {
      throw toActionError(error, need, (text) => text)
    }
  }
  const download: Download = async (url, take) => {
    const response = respond(url.href)
    if (response.status !== 200) throw new ActionError('rejected', `The log answered ${response.status}.`)
    take(await response.text())
  }
  const github: GitHub = { ...methods(ask, download, (text) => text), until: () => github }
  return github
}

/**
 * Plays a step against the embedded service and its GitHub, without sockets, on a clock that moves only by sleeping. All that
 * is said to GitHub, and by it, is held against its published description.
 */
export async function playInWorld(options: WorldOptions): Promise<World> {
  const { inputs, scenario, github, repository, facts, cancelAfterMs = Infinity } = options
  const controller = new AbortController()
  const clock = fakeClock({
    onSleep: () => {
      if (clock.passed() >= cancelAfterMs) controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })
  const plays = { ...combineScenarios([]), ...github }
  const state = demoState(plays, DEFAULT_START_MS)
  if (repository !== undefined) state.repositories['acme/docs'] = repository
  const observed = observeGitHub({ scenario: plays, state })
  const service = createService({
    baseUrl: BASE_URL,
    projectId: inputs.projectId,
    ...(scenario === undefined ? {} : { scenario }),
    github: observed.options,
  })
  const respond: Respond = (request, nowMs) => service.handle(request, nowMs)
  const ours = gitHubOver((request) => respond(request, clock.wallTime().getTime()))
  const stage = {
    ...{ apiKey: EMULATOR_KEY, transport: respondInProcess(respond, EMULATOR_KEY, clock), clock },
    ...{ github: ours, facts: { ...RUN_FACTS, serverUrl: BASE_URL, ...facts } },
    signal: controller.signal,
  }
  const played = await playOn(stage, agentAction, () => inputs)
  if (observed.violations.length > 0) throw new Error(observed.violations.join('\n'))
  return {
    ...{ ...played, service, asked: observed.requests, docs: state.repositories['acme/docs'] ?? repositoryState() },
    messages: service.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/message'))
      .map(({ prompt }) => prompt ?? ''),
  }
}
