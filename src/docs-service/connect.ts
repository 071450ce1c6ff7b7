import type { Clock } from '../runtime/clock.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Redact } from '../text/redact.ts'
import { createClient, type DocsServiceClient } from './client.ts'
import { proxyFor, proxySecrets } from '../http/proxy.ts'
import { traceTransport } from './trace-transport.ts'
import { createTransport } from './transport.ts'

export interface Connection {
  readonly baseUrl: string
  readonly apiKey: string
  readonly projectId: string
  /** Where the proxies stand. */
  readonly env: Environment
  /** On the clock's own scale, in milliseconds. */
  readonly deadlineAt: number
}

interface ConnectionPorts {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: (line: string) => void
  /** For the log of a run in debug mode. */
  readonly debug: (line: string) => void
  readonly mask: (secret: string) => void
  readonly redact: Redact
}

const USER_AGENT = 'docs-agent-action'

/**
 * A client that talks to the real service, through a proxy where the environment names one.
 * @throws ActionError `proxy` if the proxy's address is none
 */
export function connect(connection: Connection, { mask, debug, ...ports }: ConnectionPorts): DocsServiceClient {
  const { baseUrl, apiKey, projectId, env, deadlineAt } = connection
  proxySecrets(env).forEach(mask)
  const proxy = proxyFor(new URL(baseUrl), env)
  if (proxy !== undefined) debug(`The service is asked through the proxy at ${proxy.host}.`)
  const transport = createTransport({ baseUrl, apiKey, proxy, userAgent: USER_AGENT, clock: ports.clock })
  return createClient({ ...ports, transport: traceTransport(transport, ports.clock, debug), projectId, deadlineAt })
}
