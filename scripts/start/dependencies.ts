import { openEmbedded } from './embedded.ts'
import type { ChosenService } from './options.ts'

type Texts = Readonly<Record<string, string>>

/** The environment of a step of its own. */
export interface Dependencies {
  /** The first line that is shown. */
  readonly title: string
  /** The origin of the embedded GitHub. Empty for a real service. */
  readonly url: string
  /** The inputs that name the servers. */
  readonly inputs: Texts
  readonly createStepEnv: () => Texts
  readonly close: () => Promise<void>
}

/** A real service may require these. The embedded one is never reached through a proxy. */
const NETWORK_VARIABLES = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

/** Starts the embedded service in this process, or names the real one. */
export async function openDependencies(chosen: ChosenService, env: NodeJS.ProcessEnv): Promise<Dependencies> {
  if (chosen.kind === 'embedded') return await openEmbedded(chosen, Date.now())
  const { baseUrl, projectId, apiKey } = chosen
  const network = Object.entries(env).flatMap(([name, value]) =>
    NETWORK_VARIABLES.test(name) && value !== undefined ? [[name, value] as const] : [],
  )
  return {
    title: `Service: ${baseUrl}`,
    url: '',
    inputs: { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey },
    createStepEnv: () => Object.fromEntries(network),
    close: () => Promise.resolve(),
  }
}
