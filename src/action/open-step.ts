import { atGitHub, readContext } from './context.ts'
import type { GitHub } from '../github/github.ts'
import { connect } from '../docs-service/client.ts'
import { ActionError } from '../runtime/errors.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Step } from './step.ts'

/** What the inputs of every action say of the two servers. */
export interface StepInputs {
  readonly projectId: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly timeoutMs: number
  /** Empty, or left out by an action that has no use for it: nothing is asked of GitHub. */
  readonly githubToken?: string
  /** Undefined: that of the run. */
  readonly githubApiUrl?: string | undefined
}

/** What talks to GitHub is large. An action that never asks it leaves it out, so that it is in no bundle of that action. */
export type LoadGitHub = () => Promise<typeof import('../github/github.ts')>

/** What the runner's side gives. */
interface StepOrigin extends Pick<Step, 'core' | 'clock' | 'signal' | 'startedAt'> {
  readonly env: Environment
  readonly loadGitHub: LoadGitHub | undefined
}

/**
 * The toolkit reads the proxies, the API's address and the event as it is loaded. The event is read by then, with more patience:
 * one that is cut would break the step in the middle.
 */
async function loadOrExplain(load: LoadGitHub): Promise<typeof import('../github/github.ts')> {
  const { GITHUB_EVENT_PATH: event } = process.env
  delete process.env['GITHUB_EVENT_PATH']
  try {
    return await load()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_INVALID_URL') throw error
    throw new ActionError('proxy', "GitHub's client could not be started.", {
      hint: 'Check `HTTPS_PROXY`, `HTTP_PROXY` and `GITHUB_API_URL`.',
    })
  } finally {
    if (event !== undefined) process.env['GITHUB_EVENT_PATH'] = event
  }
}

/** @throws ActionError `proxy` if the proxy's address is none */
export function openStep(inputs: StepInputs, { env, loadGitHub, ...origin }: StepOrigin): Step {
  const { core, clock, signal } = origin
  const { githubToken: token = '', githubApiUrl, timeoutMs } = inputs
  const deadlineAt = origin.startedAt + timeoutMs
  const random = Math.random
  const context = atGitHub(readContext(env), githubApiUrl)

  async function openGitHub(): Promise<GitHub | undefined> {
    if (token === '' || loadGitHub === undefined) return undefined
    const { debug, redact } = core
    const { connectGitHub } = await loadOrExplain(loadGitHub)
    return connectGitHub({ token, apiUrl: context.apiUrl, env, clock, signal, deadlineAt, debug, redact })
  }

  let github: Promise<GitHub | undefined> | undefined
  return {
    ...origin,
    random,
    deadlineAt,
    context,
    client: connect({ ...inputs, ...core, env, clock, signal, random, deadlineAt }),
    github: () => (github ??= openGitHub()),
  }
}
