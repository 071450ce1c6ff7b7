import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { type PullState, requestedReviewers } from '../../src/emulator/github/pull-state.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { fasterClock, fasterProcess } from '../small-runner/faster-time.ts'
import { preload } from '../small-runner/preload.ts'
import type { ChosenService, EmbeddedService } from './options.ts'
import { RUNNER_SCENARIOS } from './runner-scenarios.ts'
import { noteSuccess, runsOf, type WorkflowRun } from './workflow-runs.ts'

type Texts = Readonly<Record<string, string>>

interface Begun extends Pick<WorkflowRun, 'title' | 'inputs' | 'event'> {
  readonly eventName: string
  readonly env: Texts
  readonly succeed: () => void
}

/** What the action finds around it: the inputs that name its servers, and the runs. */
export interface Surroundings {
  readonly service: string
  readonly inputs: Texts
  /** One after the other; what leads to a run happens when it begins. */
  readonly runs: readonly (() => Begun)[]
  /** The pull requests on which the action has left something, as the embedded GitHub has them, in Markdown. */
  readonly pullRequests: () => string
  readonly close: () => Promise<void>
}

/** A real service may only be reached with these; the embedded one never is. */
const NETWORK_VARIABLES = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

/** What the action leaves on a pull request is its label, the requests for reviews and its comment. */
function describe([number, pull]: [string, PullState]): readonly string[] {
  const { title, state, merge, labels, comments } = pull
  const reviewers = requestedReviewers(pull)
  if (labels.length + reviewers.length + comments.length === 0) return []
  return [
    `### #${number} ${title} (${merge === undefined ? state : 'merged'})`,
    ...(labels.length === 0 ? [] : [`Labels: ${labels.join(', ')}`]),
    ...(reviewers.length === 0 ? [] : [`Reviewers: ${reviewers.join(', ')}`]),
    ...comments.map(({ user, body }) => `**${user}** commented:\n\n${body}`),
  ]
}

/** @param startMs the date at the start, for service, GitHub and step alike, in milliseconds since 1970 */
async function openEmbedded(chosen: EmbeddedService, startMs: number): Promise<Surroundings> {
  const { scenario, gitHubScenarios, runnerScenarios, speed } = chosen
  // Not the service's own speed: the pauses that it asks for are to be those of the step's clock.
  const clock = fasterClock(speed, startMs)
  const plays = combineScenarios(gitHubScenarios)
  const emulator = await startEmulator({ scenario, clock, startMs, github: { scenario: plays } })
  const { url, projectId, apiKey, github } = emulator
  github.catchUp(startMs)
  const names = [scenario, ...gitHubScenarios, ...runnerScenarios].join(', ')
  const settings = await Promise.all(runnerScenarios.map(async (name) => RUNNER_SCENARIOS[name].set(url)))

  return {
    service: `embedded, with a GitHub beside it: ${names}; time runs ${speed} times as fast, for the step too`,
    inputs: {
      'base-url': url,
      'project-id': projectId,
      'api-key': apiKey,
      'github-api-url': github.apiUrl,
      'github-token': github.token,
      ...(Object.assign({}, ...settings.map(({ inputs }) => inputs)) as Texts),
    },
    runs: runsOf(chosen.isRolling).map((begin) => () => {
      const nowMs = clock.wallTime().getTime()
      github.catchUp(nowMs)
      const run = begin(github.state, url, nowMs)
      return {
        ...run,
        env: {
          GITHUB_SHA: run.headSha,
          GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
          GITHUB_RUN_ID: String(run.id),
          ...preload(fasterProcess(speed, nowMs), ...settings.flatMap(({ preload = [] }) => preload)),
          ...(Object.assign({}, ...settings.map(({ env }) => env)) as Texts),
        },
        succeed() {
          noteSuccess(github.state, run, nowMs)
        },
      }
    }),
    pullRequests: () =>
      Object.entries(github.state.repositories['acme/docs']?.pulls ?? {})
        .flatMap(describe)
        .join('\n\n'),
    close: async () => {
      for (const { close } of settings) close?.()
      await emulator.close()
    },
  }
}

/** Starts the embedded service in this process, or names the real one. */
export async function openSurroundings(
  chosen: ChosenService,
  env: NodeJS.ProcessEnv,
  startMs = Date.now(),
): Promise<Surroundings> {
  if (chosen.kind === 'embedded') return openEmbedded(chosen, startMs)
  const { baseUrl, projectId, apiKey } = chosen
  const network = Object.entries(env).flatMap(([name, value]) =>
    NETWORK_VARIABLES.test(name) && value !== undefined ? [[name, value] as const] : [],
  )
  const run = { title: '', inputs: {}, eventName: 'workflow_dispatch', event: {}, env: Object.fromEntries(network) }
  return {
    service: baseUrl,
    inputs: { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey },
    runs: [() => ({ ...run, succeed: () => undefined })],
    pullRequests: () => '',
    close: () => Promise.resolve(),
  }
}
