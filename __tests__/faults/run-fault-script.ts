import { agentAction } from '../../src/agent/agent-action.ts'
import { proxyFor } from '../../src/http/proxy.ts'
import { createTransport, type Transport, type WireRequest } from '../../src/docs-service/transport.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { KEY } from '../model/planted-key.ts'
import { inputsOf, type Trace } from '../model/run-schedule.ts'
import { CALM, LONG_AGO, type Schedule } from '../model/schedule.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { playOn } from '../support/play-feature.ts'
import { SERVICE_FAULTS, type FaultScript } from './fault-scripts.ts'
import { openFaultyProxy } from './faulty-proxy.ts'
import { openFaultyService } from './faulty-service.ts'
import { JobLedger } from './job-ledger.ts'
import { PROXY_FAULTS } from './proxy-faults.ts'
import { stillClock } from './still-clock.ts'

/** What is seen of a run from both of its ends, besides what a schedule leaves behind. */
export interface FaultTrace extends Trace {
  readonly script: FaultScript
  /** Requests that were sent, and connections that were opened for them. */
  readonly requests: number
  readonly connections: number
  /** When all was over: what was still there. */
  readonly openConnections: number
  readonly sleepers: number
}

/**
 * undici tells everybody what it sends, by its path: runs at the same time need paths of their own. A step is alone in its
 * process and sends one request after the other.
 */
let projects = 0

/** Longer than the answer to a prompt is waited for: a turn is seen only while it reads `active`. */
const WORKS_MS = 75_000

/** What the service does where its sockets let it: its agent works for a while and ends with a pull request. */
function scheduleOf({ task, timeoutMs }: FaultScript): Schedule {
  const ours = { ...LONG_AGO, durationMs: WORKS_MS, hasLink: true }
  const before = { ...ours, durationMs: task === 'attach' ? WORKS_MS : 0 }
  return { ...CALM, task, timeoutMs, before, ours, plant: 'raw' }
}

/** Runs the real use case with the real client and the real transport, over real sockets, to its end. */
export async function runFaultScript(script: FaultScript): Promise<FaultTrace> {
  const projectId = `docs-${++projects}`
  const clock = stillClock()
  const schedule = scheduleOf(script)
  const ledger = new JobLedger(schedule, clock)
  const service = await openFaultyService((isWhole, takes) => ledger.read(isWhole, takes), clock)
  const proxy = script.proxy && (await openFaultyProxy(service.port, clock))
  const baseUrl = `${script.isSecure === true ? 'https' : 'http'}://127.0.0.1:${service.port}`
  const proxyUrl = proxy && proxyFor(new URL('http://x'), { http_proxy: `http://user:word@127.0.0.1:${proxy.port}` })
  const real = createTransport({ baseUrl, apiKey: KEY, proxy: proxyUrl, clock })
  const sent: Record<WireRequest['method'], number> = { GET: 0, POST: 0 }
  /** Before each request the peers learn their parts; after it the ledger learns what came of it. */
  const transport: Transport = {
    async send(request, signal) {
      const list = request.method === 'POST' ? 'posts' : 'reads'
      const index = sent[request.method]++
      await service.play(SERVICE_FAULTS[script[list][index] ?? 'good'])
      await proxy?.play(PROXY_FAULTS[script.proxy?.[list][index] ?? 'proxy-works'])
      ledger.begin(request.method)
      const result = await real.send(request, signal)
      ledger.end(result)
      return result
    },
  }
  // A pause of the step counts as an event, so that what happens before it and after it can be told apart.
  const stepClock: Clock = {
    ...clock,
    async sleep(ms, until) {
      ledger.nextEvent()
      await clock.sleep(ms, until)
    },
  }
  const stage = {
    apiKey: KEY,
    transport,
    github: undefined,
    context: RUN_FACTS,
    clock: stepClock,
    eventTime: () => ledger.event,
    world: clock,
  }
  const played = await playOn(stage, agentAction, () => ({ ...inputsOf(schedule, projectId), baseUrl }))
  const endedAt = clock.now()
  const [atService, atProxy = 0] = await Promise.all([service.close(), proxy?.close()])
  return {
    ...played,
    script,
    schedule,
    service: ledger,
    endedAt,
    requests: sent.GET + sent.POST,
    connections: (proxy ?? service).connections(),
    openConnections: atService + atProxy,
    sleepers: clock.pending(),
  }
}
