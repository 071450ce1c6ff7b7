import { openEmbedded } from './embedded.ts'
import type { ChosenService } from './options.ts'
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
  readonly title: string
  /** The origin of the embedded GitHub. Empty for a real service. */
  readonly url: string
  readonly inputs: Texts
  /** In order. The event of a run is triggered when the run begins. */
  readonly runs: readonly (() => Begun)[]
  readonly workingHistory: () => string
  readonly pullRequests: () => string
  readonly close: () => Promise<void>
}

/** A real service may require these. The embedded one is never reached through a proxy. */
const NETWORK_VARIABLES = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

/** Starts the embedded service in this process, or names the real one. */
export async function openDependencies(
  chosen: ChosenService,
  env: NodeJS.ProcessEnv,
  startMs = Date.now(),
): Promise<Dependencies> {
  if (chosen.kind === 'embedded') {
    const embedded = await openEmbedded(chosen, startMs)
    const { github, url, now, createStepEnv } = embedded
    const runs = listRuns(chosen.isRolling).map((begin) => () => {
      const nowMs = now()
      github.catchUp(nowMs)
      const run = begin(github.state, url, nowMs)
      return {
        ...run,
        env: {
          GITHUB_SHA: run.headSha,
          GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
          GITHUB_RUN_ID: String(run.id),
          ...createStepEnv(),
        },
        succeed() {
          noteSuccess(github.state, run, nowMs)
        },
      }
    })
    return { ...embedded, runs }
  }
  const { baseUrl, projectId, apiKey } = chosen
  const network = Object.entries(env).flatMap(([name, value]) =>
    NETWORK_VARIABLES.test(name) && value !== undefined ? [[name, value] as const] : [],
  )
  const run = { title: '', inputs: {}, eventName: 'workflow_dispatch', event: {}, env: Object.fromEntries(network) }
  return {
    title: `Service: ${baseUrl}`,
    url: '',
    inputs: { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey },
    runs: [() => ({ ...run, succeed: () => undefined })],
    workingHistory: () => '',
    pullRequests: () => '',
    close: () => Promise.resolve(),
  }
}
