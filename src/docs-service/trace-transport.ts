import type { Clock } from '../runtime/clock.ts'
import type { Transport, WireResult } from './transport.ts'

function describeResult(result: WireResult): string {
  if (result.kind === 'answer') return `${result.status}, ${Buffer.byteLength(result.body)} bytes`
  const code = result.code === undefined ? '' : ` (${result.code})`
  return `${result.cause}${code}, ${result.sent ? 'after it was sent' : 'not sent'}`
}

/** Tells of every request and what came of it, for the log of a run in debug mode: no header and no body. */
export function traceTransport(transport: Transport, clock: Clock, debug: (line: string) => void): Transport {
  return {
    async send(request, signal) {
      const startedAt = clock.now()
      const result = await transport.send(request, signal)
      debug(
        `${request.method} ${request.path}: ${describeResult(result)}, in ${Math.round(clock.now() - startedAt)} ms.`,
      )
      return result
    },
  }
}
