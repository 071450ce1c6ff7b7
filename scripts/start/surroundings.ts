import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { type PullState, requestedReviewers } from '../../src/emulator/github/pull-state.ts'
import { wireTime } from '../../src/emulator/github/reply.ts'
import { userBody } from '../../src/emulator/github/resource-body.ts'
import { type Emulator, startEmulator } from '../../src/emulator/server.ts'
import type { Environment } from '../../src/runtime/environment.ts'
import { fasterClock, fasterProcess } from '../small-runner/faster-time.ts'
import type { ActionMetadata } from '../small-runner/metadata.ts'
import { preload } from '../small-runner/preload.ts'
import type { ChosenService, EmbeddedService, Run } from './options.ts'
import { happeningsOf, noteSuccess } from './rolling.ts'
import { RUNNER_SCENARIOS } from './runner-scenarios.ts'

type Texts = Readonly<Record<string, string>>

/** One run of the workflow. */
export interface WorkflowRun {
  /** Empty if there is but one. */
  readonly title: string
  readonly inputs: Texts
  readonly eventName: string
  readonly event: unknown
  readonly env: Texts
  /** Called if the run was green. */
  readonly succeed: () => void
}

/** What the action finds around it: the inputs that name its servers, and the runs. */
export interface Surroundings {
  /** For people. */
  readonly service: string
  readonly inputs: Texts & { readonly 'base-url': string; readonly 'project-id': string; readonly 'api-key': string }
  /** One after the other; what leads to a run happens when it begins. */
  readonly runs: readonly (() => WorkflowRun)[]
  /** The pull requests on which the action has left something, as the embedded GitHub has them, in Markdown. */
  readonly pullRequests: () => string
  readonly close: () => Promise<void>
}

/** The world has runs with smaller numbers. */
export const FIRST_RUN = 42

/** A real service may only be reached with these; the embedded one never is. */
const NETWORK_VARIABLES = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

interface Seen extends Pick<Emulator['github'], 'state'> {
  /** What the addresses of pages begin with. */
  readonly url: string
}

/** The push of the embedded repository's newest change, as GitHub tells it to a workflow that runs on it. */
function pushOf({ state, url }: Seen): { readonly after: string } {
  const { tags = {}, branches, defaultBranch = '' } = state.repositories['acme/docs'] ?? {}
  const after = branches?.[defaultBranch] ?? ''
  const before = Object.values(tags).at(-1)
  const push = {
    ...{ ref: `refs/heads/${defaultBranch}`, before, after },
    compare: `${url}/acme/docs/compare/${before}...${after}`,
    repository: { default_branch: defaultBranch },
    commits: [{ id: after, author: { username: 'mona' }, committer: { username: 'mona' } }],
    sender: { login: 'mona', type: 'User' },
  }
  return push
}

/** What somebody asks for in a comment on a pull request, as GitHub tells it to a workflow; undefined if nobody does. */
function askingCommentOf({ state, url }: Seen): object | undefined {
  const { pulls = {}, defaultBranch } = state.repositories['acme/docs'] ?? {}
  for (const [number, { title, body, state: is, comments }] of Object.entries(pulls)) {
    const asking = comments.find((comment) => comment.body.startsWith('/docs '))
    if (asking === undefined) continue
    const user = userBody(state, asking.user)
    const address = `${url}/acme/docs/pull/${number}#issuecomment-${asking.id}`
    return {
      action: 'created',
      issue: { number: Number(number), title, body, state: is, pull_request: {} },
      comment: { id: asking.id, body: asking.body, user, html_url: address, created_at: wireTime(asking.createdAtMs) },
      repository: { default_branch: defaultBranch },
      sender: user,
    }
  }
  return undefined
}

/** What starts a run: a comment in which somebody asks, else the push. `headSha` is the newest commit of the default branch. */
export function eventOf(
  seen: Seen,
  isRolling: boolean,
  inputs: Texts,
): { readonly eventName: 'push' | 'issue_comment'; readonly event: object; readonly headSha: string } {
  const push = pushOf(seen)
  const comment = isRolling && inputs['command'] === undefined ? undefined : askingCommentOf(seen)
  const facts = { event: comment ?? push, headSha: push.after }
  return { eventName: comment === undefined ? 'push' : 'issue_comment', ...facts }
}

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
  const emulator = await startEmulator({
    scenario,
    clock,
    startMs,
    github: { scenario: combineScenarios(gitHubScenarios) },
  })
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
    runs: happeningsOf(chosen.isRolling).map(({ title, inputs = {}, happen }, index) => () => {
      const nowMs = clock.wallTime().getTime()
      github.catchUp(nowMs)
      happen(github.state, nowMs)
      const { eventName, event, headSha } = eventOf({ state: github.state, url }, chosen.isRolling, inputs)
      const id = FIRST_RUN + index
      return {
        title,
        inputs,
        eventName,
        event,
        env: {
          GITHUB_SHA: headSha,
          GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
          GITHUB_RUN_ID: String(id),
          ...preload(fasterProcess(speed, nowMs), ...settings.flatMap(({ preload = [] }) => preload)),
          ...(Object.assign({}, ...settings.map(({ env }) => env)) as Texts),
        },
        succeed() {
          if (eventName === 'push') noteSuccess(github.state, id, headSha, nowMs)
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
  env: Environment,
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
    runs: [
      () => ({
        ...{ title: '', inputs: {}, eventName: 'workflow_dispatch', event: {}, env: Object.fromEntries(network) },
        succeed: () => undefined,
      }),
    ],
    pullRequests: () => '',
    close: () => Promise.resolve(),
  }
}

/** What the action is given: of what nobody asked for only what it knows. */
export function chooseInputs(surroundings: Surroundings, { defaults, given }: Run, metadata: ActionMetadata): Texts {
  const known = metadata.inputs.map(({ name }) => name)
  const unasked = Object.entries({ ...surroundings.inputs, ...defaults }).filter(([name]) => known.includes(name))
  return { ...Object.fromEntries(unasked), ...given }
}
