import { once } from 'node:events'
import { type Server, createServer } from 'node:http'

import { type Clock, systemClock } from '../runtime/clock.ts'
import { EMULATOR_KEY } from './http/access.ts'
import { type ServiceRequest, type ServiceResponse, jsonResponse } from './http/exchange.ts'
import type { EmbeddedGitHub } from './github/github.ts'
import { API_PATH } from './github/reply.ts'
import { deliver, hasLoopbackHost, readRequest, refuseTunnel, refuseHost } from './http/http-exchange.ts'
import { DEFAULT_START_MS, type ServiceOptions, createService } from './embedded-service.ts'
import type { RequestRecord } from './request-log.ts'

/** The project that examples use. Any other valid id also works. */
export const DEFAULT_PROJECT_ID = 'docs-demo'

export interface EmulatorOptions extends Omit<ServiceOptions, 'baseUrl' | 'projectId'> {
  /** 0, the default, selects any free port. */
  readonly port?: number
  readonly clock?: Clock
  /** Seconds of the service's time in one second of the clock. Default: 1. */
  readonly speed?: number
}

export interface Emulator {
  readonly url: string
  readonly apiKey: string
  readonly projectId: string
  /** The GitHub API of this server, its token, and its state. */
  readonly github: {
    readonly apiUrl: string
    readonly token: string
  } & Pick<EmbeddedGitHub, 'catchUp' | 'state'>
  /** Every request to the documentation service so far, oldest first. */
  readonly requests: readonly RequestRecord[]
  /** Closes all connections, including pending requests, and frees the port. */
  close(): Promise<void>
}

function toUrl(server: Server): string {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://127.0.0.1:${port}`
}

/**
 * Converts times in headers to the client's clock: waits are whole seconds, at least one, and the reset of a rate limit is in
 * seconds since 1970. `Date` uses the same clock, because clients compare the reset with it.
 */
function toClientTime(response: ServiceResponse, speed: number, clock: Clock): ServiceResponse {
  const now = clock.wallTime()
  const headers: Record<string, string> = { ...response.headers, date: now.toUTCString() }
  const { 'retry-after': wait, 'x-ratelimit-reset': reset } = headers
  const toSeconds = (text: string): number => Math.max(1, Math.ceil(Number(text) / speed))
  if (wait !== undefined) headers['retry-after'] = String(toSeconds(wait))
  if (reset !== undefined) headers['x-ratelimit-reset'] = String(Math.floor(now.getTime() / 1_000) + toSeconds(reset))
  return { ...response, headers }
}

/** Starts the embedded service on a loopback port. Rejects if the port is not available. */
export async function startEmulator({
  port = 0,
  clock = systemClock,
  speed = 1,
  ...serviceOptions
}: EmulatorOptions = {}): Promise<Emulator> {
  const server = createServer()
  const closing = new AbortController()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const url = toUrl(server)
  const service = createService({ ...serviceOptions, baseUrl: url, projectId: DEFAULT_PROJECT_ID })
  const startedAt = clock.now()
  const getNowMs = (): number => (serviceOptions.startMs ?? DEFAULT_START_MS) + (clock.now() - startedAt) * speed

  /** An unexpected error in one request must not end the service for all others. */
  function handleSafely(request: ServiceRequest): ServiceResponse {
    try {
      return service.handle(request, getNowMs())
    } catch (error) {
      return jsonResponse(500, { message: `A defect of the embedded service: ${(error as Error).message}` })
    }
  }

  server.on('request', (incoming, outgoing) => {
    if (!hasLoopbackHost(incoming)) {
      refuseHost(incoming, outgoing)
      return
    }
    readRequest(incoming, (head) => service.isAuthorized(head)).then(
      (request) => {
        const { delayMs = 0, ...response } = handleSafely(request)
        const respond = (): void => {
          deliver(outgoing, toClientTime(response, speed, clock))
        }
        if (delayMs === 0) respond()
        // Rejects only if the server was closed.
        else clock.sleep(delayMs / speed, closing.signal).then(respond, () => undefined)
      },
      () => {
        // The client disconnected before the end of its request.
      },
    )
  })

  server.on('connect', refuseTunnel)

  return {
    url,
    apiKey: EMULATOR_KEY,
    projectId: DEFAULT_PROJECT_ID,
    github: {
      ...service.github,
      apiUrl: `${url}${API_PATH}`,
      token: service.github.state.token,
    },
    requests: service.requests,
    close: () =>
      new Promise((resolve) => {
        closing.abort()
        // The callback only receives an error if the server was already closed.
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
