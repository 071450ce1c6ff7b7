import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import type { PullState } from '../../src/emulator/github/state.ts'
import { type Emulator, startEmulator } from '../../src/emulator/server.ts'
import { fasterClock, fasterProcess } from '../small-runner/faster-time.ts'
import type { ChosenService, EmbeddedService } from './options.ts'

type Texts = Readonly<Record<string, string>>

/** What the action finds around it: the inputs and variables that name its servers, and the event of its run. */
export interface Surroundings {
  /** For people. */
  readonly service: string
  readonly inputs: Texts & { readonly 'base-url': string; readonly 'project-id': string; readonly 'api-key': string }
  readonly eventName: string
  readonly event: unknown
  readonly env: Texts
  /** The pull requests with work of this run, as the embedded GitHub has them: rows of a table. */
  readonly pullRequests: () => readonly (readonly [name: string, value: string])[]
  readonly close: () => Promise<void>
}

/** A real service may only be reached with these; the embedded one never is. */
const NETWORK_VARIABLES = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

/** The push of the embedded repository's newest change, as GitHub tells it to a workflow that runs on it. */
function pushOf({ state }: Emulator['github']): { readonly after: string } {
  const { tags, branches, releases, defaultBranch = '' } = state.repositories['acme/docs'] ?? {}
  const after = branches?.[defaultBranch] ?? ''
  const push = {
    ref: `refs/heads/${defaultBranch}`,
    before: tags?.[releases?.[0]?.tag ?? ''],
    after,
    repository: { default_branch: defaultBranch },
    commits: [{ id: after }],
  }
  return push
}

/** What the action leaves on a pull request is its label and its comment. */
function describe([number, { title, state, merge, labels, comments }]: [string, PullState]): [string, string][] {
  if (labels.length === 0 && comments.length === 0) return []
  return [
    [`#${number}`, `${title} (${merge === undefined ? state : 'merged'})`],
    ['labels', labels.join(', ')],
    ...comments.map(({ user, body }): [string, string] => [`comment by ${user}`, body]),
  ]
}

/** @param startMs the date at the start, for service, GitHub and step alike, in milliseconds since 1970 */
async function openEmbedded(chosen: EmbeddedService, startMs: number): Promise<Surroundings> {
  const { scenario, gitHubScenarios, speed } = chosen
  // Not the service's own speed: the pauses that it asks for are to be those of the step's clock.
  const clock = fasterClock(speed, startMs)
  const emulator = await startEmulator({
    scenario,
    clock,
    startMs,
    github: { scenario: combineScenarios(gitHubScenarios) },
  })
  const { url, projectId, apiKey, github } = emulator
  const event = pushOf(github)
  const names = [scenario, ...gitHubScenarios].join(', ')
  return {
    service: `embedded, with a GitHub beside it: ${names}; time runs ${speed} times as fast, for the step too`,
    inputs: {
      'base-url': url,
      'project-id': projectId,
      'api-key': apiKey,
      'github-api-url': github.apiUrl,
      'github-token': github.token,
    },
    eventName: 'push',
    event,
    pullRequests: () => Object.entries(github.state.repositories['acme/docs']?.pulls ?? {}).flatMap(describe),
    env: { GITHUB_SHA: event.after, GITHUB_RUN_ID: '42', ...fasterProcess(speed, startMs) },
    close: () => emulator.close(),
  }
}

/** Starts the embedded service in this process, or names the real one. */
export async function openSurroundings(
  chosen: ChosenService,
  env: Readonly<Record<string, string | undefined>>,
  startMs = Date.now(),
): Promise<Surroundings> {
  if (chosen.kind === 'embedded') return openEmbedded(chosen, startMs)
  const { baseUrl, projectId, apiKey } = chosen
  const network = Object.entries(env).flatMap(([name, value]) =>
    NETWORK_VARIABLES.test(name) && value !== undefined ? [[name, value] as const] : [],
  )
  return {
    service: baseUrl,
    inputs: { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey },
    eventName: 'workflow_dispatch',
    event: {},
    env: Object.fromEntries(network),
    pullRequests: () => [],
    close: () => Promise.resolve(),
  }
}
