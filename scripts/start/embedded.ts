import type { GitHubExchange, EmbeddedGitHubOptions } from '../../src/emulator/github/github.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { type PullState, listRequestedReviewers } from '../../src/emulator/github/pull-state.ts'
import { type Emulator, startEmulator } from '../../src/emulator/server.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { fasterClock, fasterProcess } from '../small-runner/faster-time.ts'
import { preload } from '../small-runner/preload.ts'
import type { EmbeddedService } from './options.ts'
import { RUNNER_SCENARIOS } from './runner-scenarios.ts'

type Texts = Readonly<Record<string, string>>

/** The embedded service and GitHub, and the runner of its steps. */
export interface Embedded {
  /** The first line that is shown. */
  readonly title: string
  readonly url: string
  readonly github: Emulator['github']
  /** The inputs that name the service and GitHub. */
  readonly inputs: Texts
  /** In milliseconds since 1970. */
  readonly now: () => number
  /** Lets time pass for the service, GitHub and later steps. */
  readonly skip: (ms: number) => void
  /** The environment of a step that begins now. */
  readonly createStepEnv: () => Texts
  /** What the history of a pull request said on the embedded GitHub while the agent worked, as Markdown. */
  readonly workingHistory: () => string
  /** The pull requests that the action has changed on the embedded GitHub, as Markdown. */
  readonly pullRequests: () => string
  readonly close: () => Promise<void>
}

const HISTORY_HEAD = ['| When (UTC) | Started by | Result |', '| --- | --- | --- |']

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

/**
 * @param startMs the start time of service, GitHub and step, in milliseconds since 1970
 * @param gitHub changes of the chosen scenario
 */
export async function openEmbedded(
  { scenario, gitHubScenarios, runnerScenarios, speed }: EmbeddedService,
  startMs: number,
  gitHub: Pick<EmbeddedGitHubOptions, 'repository' | 'changedFiles' | 'defaultBranch' | 'scenario'> = {},
): Promise<Embedded> {
  // Speed up the clock instead of using the service's own speed, so that Retry-After is in seconds of the step's clock.
  const faster = fasterClock(speed, startMs)
  let skippedMs = 0
  const clock: Clock = {
    ...faster,
    now: () => faster.now() + skippedMs,
    wallTime: () => new Date(faster.wallTime().getTime() + skippedMs),
  }
  const combined = { ...combineScenarios(gitHubScenarios), ...gitHub.scenario }
  const workingRows = new Set<string>()
  const onExchange = ({ operation, request }: GitHubExchange): void => {
    if (operation !== 'issues/update-comment') return
    const { body = '' } = JSON.parse(request.body) as { readonly body?: string }
    for (const row of listWorkingRows(body)) workingRows.add(row)
  }
  const emulator = await startEmulator({
    scenario,
    clock,
    startMs,
    github: { ...gitHub, scenario: combined, onExchange },
  })
  const { url, projectId, apiKey, github } = emulator
  const now = (): number => clock.wallTime().getTime()
  github.catchUp(startMs)
  const names = [scenario, ...gitHubScenarios, ...runnerScenarios]
  const scenarios = `${names.length > 1 ? 'scenarios' : 'scenario'} ${names.join(', ')}`
  const settings = await Promise.all(runnerScenarios.map(async (name) => RUNNER_SCENARIOS[name].set(url)))

  return {
    title: `Embedded service and GitHub, ${scenarios}, ${speed === 1 ? 'real time' : `${speed} times real time`}`,
    url,
    github,
    inputs: {
      'base-url': url,
      'project-id': projectId,
      'api-key': apiKey,
      'github-token': github.token,
      ...(Object.assign({}, ...settings.map(({ inputs }) => inputs)) as Texts),
    },
    now,
    skip: (ms) => {
      skippedMs += ms
      github.catchUp(now())
    },
    createStepEnv: () => ({
      GITHUB_API_URL: github.apiUrl,
      GITHUB_SERVER_URL: url,
      ...preload(fasterProcess(speed, now()), ...settings.flatMap(({ preload = [] }) => preload)),
      ...(Object.assign({}, ...settings.map(({ env }) => env)) as Texts),
    }),
    workingHistory: () => (workingRows.size === 0 ? '' : [...HISTORY_HEAD, ...workingRows].join('\n')),
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
      for (const { close } of settings) await close?.()
      await emulator.close()
    },
  }
}
