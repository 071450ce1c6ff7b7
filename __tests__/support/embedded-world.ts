import { getOctokit } from '@actions/github'
import { EMULATOR_KEY } from '../../src/emulator/access.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/exchange.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { API_PATH } from '../../src/emulator/github/github.ts'
import type { GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import type { ScenarioName } from '../../src/emulator/scenarios.ts'
import { createService, DEFAULT_START_MS, type Service } from '../../src/emulator/service.ts'
import type { AgentInputs } from '../../src/agent/inputs/agent-inputs.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { runAgentStep } from '../../src/agent/step.ts'
import type { AskGitHub } from '../../src/github/ask-github.ts'
import { methods, type GitHub } from '../../src/github/connect-github.ts'
import type { Download } from '../../src/github/download.ts'
import { toActionError } from '../../src/github/github-error.ts'
import { createClient } from '../../src/service/client.ts'
import type { Transport } from '../../src/service/transport.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { fakeClock } from './fake-clock.ts'
import { RUN_FACTS } from './fake-github.ts'
import { fakeHost } from './fake-host.ts'
import { fakeStep } from './fake-step.ts'

const BASE_URL = 'http://127.0.0.1:4010'

export interface World {
  readonly service: Service
  readonly report: Report
  readonly log: readonly string[]
  /** The prompts of the follow-ups that the service took, oldest first. */
  readonly messages: readonly string[]
}

export interface WorldOptions {
  readonly inputs: AgentInputs
  readonly scenario?: ScenarioName
  readonly github?: Partial<GitHubScenario>
}

/** The wire to the service, and no more: nothing on it breaks, and time passes by sleeping only. */
function transportTo(handle: (request: ServiceRequest) => ServiceResponse): Transport {
  const headers = { authorization: `Bearer ${EMULATOR_KEY}`, 'content-type': 'application/json' }
  return {
    send: ({ method, path, body = '' }) => {
      const response = handle({ method, target: path, headers, body })
      return Promise.resolve({ kind: 'answer', status: response.status, body: response.body, retryAfterMs: undefined })
    },
  }
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

/** Plays a step against the embedded service and its GitHub, without sockets, on a clock that moves only by sleeping. */
export async function playInWorld({ inputs, scenario, github = {} }: WorldOptions): Promise<World> {
  const clock = fakeClock()
  const service = createService({
    baseUrl: BASE_URL,
    projectId: inputs.projectId,
    ...(scenario === undefined ? {} : { scenario }),
    github: { scenario: github },
  })
  const handle = (request: ServiceRequest): ServiceResponse =>
    service.handle(request, DEFAULT_START_MS + clock.passed())
  const host = fakeHost()
  const bare = fakeStep({ clock, host, timeoutMs: inputs.timeoutMs })
  const { signal, random, deadlineAt } = bare
  const client = createClient({
    ...{ transport: transportTo(handle), projectId: inputs.projectId, redact: (text) => text },
    ...{ clock, signal, random, deadlineAt, log: host.log },
  })
  const ours = gitHubOver(handle)
  const report = await runAgentStep(inputs, {
    ...bare,
    client,
    facts: { ...RUN_FACTS, serverUrl: BASE_URL },
    github: () => Promise.resolve(ours),
  })
  return {
    service,
    report,
    log: host.said.filter((line) => line.startsWith('log: ')).map((line) => line.slice('log: '.length)),
    messages: service.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/message'))
      .map(({ prompt }) => prompt ?? ''),
  }
}
