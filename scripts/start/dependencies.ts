import type { GitHubExchange } from '../../src/emulator/github/github.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { type PullState, listRequestedReviewers } from '../../src/emulator/github/pull-state.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { fasterClock, fasterProcess } from '../small-runner/faster-time.ts'
import { preload } from '../small-runner/preload.ts'
import type { ChosenService, EmbeddedService } from './options.ts'
import { RUNNER_SCENARIOS } from './runner-scenarios.ts'
import { noteSuccess, listRuns, type WorkflowRun } from './workflow-runs.ts'

type Texts = Readonly<Record<string, string>>

interface Begun extends Pick<WorkflowRun, 'title' | 'inputs' | 'event'> {
  readonly eventName: string
  readonly env: Texts
  readonly succeed: () => void
}

/** The environment of the action: the inputs that name its servers, and the runs. */
export interface Dependencies {
  /** The first line that is shown. */
  readonly service: string
  readonly inputs: Texts
  /** In order. The event of a run happens when the run begins. */
  readonly runs: readonly (() => Begun)[]
  /** What the log of a pull request said on the embedded GitHub while the agent worked, as Markdown. */
  readonly workingLog: () => string
  /** The pull requests that the action has changed on the embedded GitHub, as Markdown. */
  readonly pullRequests: () => string
  readonly close: () => Promise<void>
}

/** A real service may require these. The embedded one is never reached through a proxy. */
const NETWORK_VARIABLES = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

const LOG_HEAD = ['| When (UTC) | Started by | Result |', '| --- | --- | --- |']

/** The rows that a comment shows for as long as the agent works. */
const listWorkingRows = (body: string): readonly string[] =>
  body.split('\n').filter((line) => line.includes('⏳ working since'))

/** The action changes a pull request by its label, review requests and comments. */
function describe([number, pull]: [string, PullState]): readonly string[] {
  const { title, state, merge, labels, comments } = pull
  const reviewers = listRequestedReviewers(pull)
  if (labels.length + reviewers.length + comments.length === 0) return []
  return [
    `### #${number} ${title} (${merge === undefined ? state : 'merged'})`,
    ...(labels.length === 0 ? [] : [`Labels: ${labels.join(', ')}`]),
    ...(reviewers.length === 0 ? [] : [`Reviewers: ${reviewers.join(', ')}`]),
    ...comments.map(({ user, body }) => `**${user}** commented:\n\n${body}`),
  ]
}

/** @param startMs the start time of service, GitHub and step, in milliseconds since 1970 */
async function openEmbedded(chosen: EmbeddedService, startMs: number): Promise<Dependencies> {
  const { scenario, gitHubScenarios, runnerScenarios, speed } = chosen
  // Speed up the clock instead of using the service's own speed, so that Retry-After is in seconds of the step's clock.
  const clock = fasterClock(speed, startMs)
  const plays = combineScenarios(gitHubScenarios)
  const workingRows = new Set<string>()
  const onExchange = ({ operation, request }: GitHubExchange): void => {
    if (operation !== 'issues/update-comment') return
    const { body = '' } = JSON.parse(request.body) as { readonly body?: string }
    for (const row of listWorkingRows(body)) workingRows.add(row)
  }
  const emulator = await startEmulator({ scenario, clock, startMs, github: { scenario: plays, onExchange } })
  const { url, projectId, apiKey, github } = emulator
  github.catchUp(startMs)
  const names = [scenario, ...gitHubScenarios, ...runnerScenarios]
  const scenarios = `${names.length > 1 ? 'scenarios' : 'scenario'} ${names.join(', ')}`
  const settings = await Promise.all(runnerScenarios.map(async (name) => RUNNER_SCENARIOS[name].set(url)))

  return {
    service: `Embedded service and GitHub, ${scenarios}, ${speed === 1 ? 'real time' : `${speed} times real time`}`,
    inputs: {
      'base-url': url,
      'project-id': projectId,
      'api-key': apiKey,
      'github-token': github.token,
      ...(Object.assign({}, ...settings.map(({ inputs }) => inputs)) as Texts),
    },
    runs: listRuns(chosen.isRolling).map((begin) => () => {
      const nowMs = clock.wallTime().getTime()
      github.catchUp(nowMs)
      const run = begin(github.state, url, nowMs)
      return {
        ...run,
        env: {
          GITHUB_API_URL: github.apiUrl,
          GITHUB_SERVER_URL: url,
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
    workingLog: () => (workingRows.size === 0 ? '' : [...LOG_HEAD, ...workingRows].join('\n')),
    pullRequests: () => {
      const { 'acme/docs': docs } = github.state.repositories
      const pulls = Object.entries(docs?.pulls ?? {})
      // The action does not change pull requests that were merged before it ran.
      return pulls
        .filter(([, { merge }]) => merge === undefined || merge.atMs >= startMs)
        .flatMap(describe)
        .join('\n\n')
    },
    close: async () => {
      for (const { close } of settings) close?.()
      await emulator.close()
    },
  }
}

/** Starts the embedded service in this process, or names the real one. */
export async function openDependencies(
  chosen: ChosenService,
  env: NodeJS.ProcessEnv,
  startMs = Date.now(),
): Promise<Dependencies> {
  if (chosen.kind === 'embedded') return openEmbedded(chosen, startMs)
  const { baseUrl, projectId, apiKey } = chosen
  const network = Object.entries(env).flatMap(([name, value]) =>
    NETWORK_VARIABLES.test(name) && value !== undefined ? [[name, value] as const] : [],
  )
  const run = { title: '', inputs: {}, eventName: 'workflow_dispatch', event: {}, env: Object.fromEntries(network) }
  return {
    service: `Service: ${baseUrl}`,
    inputs: { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey },
    runs: [() => ({ ...run, succeed: () => undefined })],
    workingLog: () => '',
    pullRequests: () => '',
    close: () => Promise.resolve(),
  }
}
