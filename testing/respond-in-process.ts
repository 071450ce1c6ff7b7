import type { ServiceRequest, ServiceResponse } from '../src/emulator/http/exchange.ts'
import { toWireResponse, type Transport, type WireFailure } from '../src/docs-service/transport.ts'
import type { Clock } from '../src/runtime/clock.ts'

/** A service without sockets. `nowMs` is in milliseconds since 1970. */
export type Respond = (request: ServiceRequest, nowMs: number) => ServiceResponse

const BROKEN: WireFailure = { kind: 'failure', cause: 'broken', code: 'ECONNRESET', sent: true }
const TIMED_OUT: WireFailure = { kind: 'failure', cause: 'timeout', code: undefined, sent: true }
const CANCELLED: WireFailure = { kind: 'failure', cause: 'cancelled', code: undefined, sent: true }

/**
 * Creates a transport to a service in this process.
 * @param latencyMs the latency in each direction; requests take no other time
 */
export function respondInProcess(
  respond: Respond,
  apiKey: string,
  clock: Clock,
  latencyMs: () => number = () => 0,
): Transport {
  return async ({ method, path, body = '', timeoutMs }, signal) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const endsAt = clock.now() + timeoutMs
    const pass = (ms: number): Promise<void> => clock.sleep(Math.min(ms, endsAt - clock.now()), signal)
    try {
      await pass(latencyMs())
      const response = respond({ method, target: path, headers, body }, clock.wallTime().getTime())
      await pass(response.delivery === 'never' ? Infinity : latencyMs())
      if (clock.now() >= endsAt) return TIMED_OUT
      return response.delivery === 'complete' ? toWireResponse(response, response.body, clock.wallTime()) : BROKEN
    } catch (error) {
      if (!signal.aborted) throw error
      return CANCELLED
    }
  }
}
