import { startEmulator } from '../../src/emulator/server.ts'
import type { ChosenService } from './options.ts'

/** What the action finds around it: the inputs and variables that name its service. */
export interface Surroundings {
  /** For people. */
  readonly service: string
  readonly inputs: { readonly 'base-url': string; readonly 'project-id': string; readonly 'api-key': string }
  readonly env: Readonly<Record<string, string>>
  readonly close: () => Promise<void>
}

/** Seconds of the embedded service's time in one second: a run takes about five, and shows how the job changes. */
const SPEED = 5

/** A real service may only be reached with these; the embedded one never is. */
const NETWORK_VARIABLES = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

/** Starts the embedded service in this process, or names the real one. */
export async function openSurroundings(
  chosen: ChosenService,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Surroundings> {
  if (chosen.kind === 'real') {
    const { baseUrl, projectId, apiKey } = chosen
    const network = Object.entries(env).flatMap(([name, value]) =>
      NETWORK_VARIABLES.test(name) && value !== undefined ? [[name, value] as const] : [],
    )
    return {
      service: baseUrl,
      inputs: { 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey },
      env: Object.fromEntries(network),
      close: () => Promise.resolve(),
    }
  }
  const emulator = await startEmulator({ scenario: chosen.scenario, speed: SPEED })
  const { url, projectId, apiKey } = emulator
  return {
    service: `embedded, scenario ${chosen.scenario}, its time runs ${SPEED} times as fast`,
    inputs: { 'base-url': url, 'project-id': projectId, 'api-key': apiKey },
    env: {},
    close: () => emulator.close(),
  }
}
