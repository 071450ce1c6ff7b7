import type { Clock } from '../runtime/clock.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Redact } from '../text/redact.ts'
import { createClient, type DocsServiceClient } from './client.ts'
import { proxyFor, proxySecrets } from '../http/proxy.ts'
import { createTransport, type Transport, type WireResult } from './transport.ts'

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

function describeResult(result: WireResult): string {
  if (result.kind === 'answer') return `${result.status}, ${Buffer.byteLength(result.body)} bytes`
  const code = result.code === undefined ? '' : ` (${result.code})`
  return `${result.cause}${code}, ${result.sent ? 'after it was sent' : 'not sent'}`
}

/** Tells of every request and what came of it, for the log of a run in debug mode: no header and no body. */
function traceTransport(transport: Transport, { clock, debug }: ConnectionPorts): Transport {
  return {
    async send(request, signal) {
      const startedAt = clock.now()
      const result = await transport.send(request, signal)
      const tookMs = Math.round(clock.now() - startedAt)
      debug(`${request.method} ${request.path}: ${describeResult(result)}, in ${tookMs} ms.`)
      return result
    },
  }
}

/**
 * A client that talks to the real service, through a proxy where the environment names one.
 * @throws ActionError `proxy` if the proxy's address is none
 */
export function connect(connection: Connection, ports: ConnectionPorts): DocsServiceClient {
  const { baseUrl, apiKey, projectId, env, deadlineAt } = connection
  const { clock, debug, mask } = ports
  proxySecrets(env).forEach(mask)
  const proxy = proxyFor(new URL(baseUrl), env)
  if (proxy !== undefined) debug(`Requests to the service go through the proxy at ${proxy.host}.`)
  const transport = createTransport({ baseUrl, apiKey, proxy, clock })
  return createClient({ ...ports, transport: traceTransport(transport, ports), projectId, deadlineAt })
}
