import { atGitHub, readContext } from './context.ts'
import type { GitHub } from '../github/github.ts'
import { connect } from '../docs-service/connect.ts'
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

/** An action that never asks GitHub leaves it out, so that what asks it is in no bundle of that action. */
export type LoadGitHub = () => Promise<typeof import('../github/github.ts')>

/** What the runner's side gives. */
interface StepOrigin extends Pick<Step, 'core' | 'clock' | 'signal' | 'startedAt'> {
  readonly env: Environment
  readonly loadGitHub: LoadGitHub | undefined
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
    const { connectGitHub } = await loadGitHub()
    return connectGitHub({ token, apiUrl: context.apiUrl, env, clock, signal, deadlineAt, debug, redact })
  }

  let github: Promise<GitHub | undefined> | undefined
  return {
    ...origin,
    random,
    deadlineAt,
    context,
    client: connect({ ...inputs, env, deadlineAt }, { ...core, clock, signal, random }),
    github: () => (github ??= openGitHub()),
  }
}
