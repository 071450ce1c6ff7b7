import type { Transport, WireRequest } from '../../src/docs-service/transport.ts'
import type { FaultScript } from './fault-script.ts'
import type { FaultyProxy } from './faulty-proxy.ts'
import type { FaultyService } from './faulty-service.ts'
import type { JobLedger } from './job-ledger.ts'
import { PROXY_FAULTS } from './proxy-faults.ts'
import { SERVICE_FAULTS } from './service-faults.ts'

export interface Scene {
  readonly script: FaultScript
  readonly ledger: JobLedger
  readonly service: FaultyService
  readonly proxy: FaultyProxy | undefined
}

/** Before each request the peers learn their parts; after it the ledger learns what came of it. */
export function watchTransport(transport: Transport, { script, ledger, service, proxy }: Scene): Transport {
  const sent: Record<WireRequest['method'], number> = { GET: 0, POST: 0 }
  return {
    async send(request, signal) {
      const list = request.method === 'POST' ? 'posts' : 'reads'
      const index = sent[request.method]++
      await service.play(SERVICE_FAULTS[script[list][index] ?? 'good'])
      await proxy?.play(PROXY_FAULTS[script.proxy?.[list][index] ?? 'proxy-works'])
      ledger.begin(request.method)
      const result = await transport.send(request, signal)
      ledger.end(result)
      return result
    },
  }
}
