import { createClient } from '../../src/docs-service/client.ts'
import { createTryReadJob, maxRetryAfterMs } from '../../src/docs-service/retry.ts'
import type { Job } from '../../src/docs-service/schemas.ts'
import { createTransport, type Transport } from '../../src/docs-service/transport.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { KEY } from '../model/planted-key.ts'
import { deliverPrompt } from '../../testing/deliver-prompt.ts'
import type { Behaviour, Fault, ReadOutcome } from './fault.ts'
import { openPeer } from './faulty-peer.ts'
import { PROXY_FAULTS, WORKING_TUNNEL } from './proxy-faults.ts'
import { SERVICE_FAULTS, TLS_FAULTS, NO_FAULT } from './service-faults.ts'
import { stillClock } from './still-clock.ts'

/** The faults of a client's requests, in order. All further requests succeed. */
export interface FaultScript {
  /** Selects this script alone: `FAULT=<name>`. */
  readonly name: string
  /** The names of the faults of one prompt. Without any, no prompt is sent. */
  readonly prompt: readonly string[]
  /** The names of the faults of the reads. */
  readonly reads: readonly string[]
  readonly timeoutMs: number
  readonly hasProxy: boolean
}

export interface SentPrompt {
  readonly fault: Fault
  wasRead: boolean
  wasProcessed: boolean
}

export interface FaultTrace {
  readonly sent: readonly SentPrompt[]
  /** The result of the prompt, if one was sent. */
  readonly created: Job | ActionError | undefined
  readonly reads: readonly ReadOutcome[]
  readonly errors: readonly ActionError[]
  /** By how much a request exceeded its timeout, in milliseconds. */
  readonly lateMs: number
  /** Whether everything ended long before the deadline. Otherwise, reads may not be retried. */
  readonly isInTime: boolean
  readonly requests: number
  readonly connections: number
  /** Still open at the end. */
  readonly openConnections: number
  /** The timers that still ran at the end. */
  readonly sleepers: number
}

export const getFault = (name: string): Fault =>
  PROXY_FAULTS[name] ?? TLS_FAULTS[name] ?? SERVICE_FAULTS[name] ?? NO_FAULT

const MAX_RETRY_AFTER_MS = 10_000

/**
 * undici publishes what it sends by its path, so scripts that run at the same time need different paths. A real step is
 * alone in its process and sends one request at a time.
 */
let projects = 0

/** Runs a script with the real client over sockets, on a clock that stands still while the sockets are active. */
export async function runFaultScript({ prompt, reads, timeoutMs, hasProxy }: FaultScript): Promise<FaultTrace> {
  const clock = stillClock()
  const sent: SentPrompt[] = []
  /** Undefined during a read. */
  let promptInFlight: SentPrompt | undefined
  const service = await openPeer(clock, (isComplete, { processesPrompt, behaviour }) => {
    if (promptInFlight === undefined) return
    promptInFlight.wasRead ||= isComplete
    promptInFlight.wasProcessed ||= processesPrompt && (isComplete || (behaviour as Behaviour).writes !== '')
  })
  const proxy = hasProxy ? await openPeer(clock, undefined, service.port) : undefined
  const proxyUrl = proxy && `http://user:word@127.0.0.1:${proxy.port}`
  const isSecure = [...prompt, ...reads].some((name) => name in TLS_FAULTS)
  const quiet = (): void => undefined
  const realTransport = createTransport({
    baseUrl: `${isSecure ? 'https' : 'http'}://127.0.0.1:${service.port}`,
    apiKey: KEY,
    env: { http_proxy: proxyUrl, https_proxy: proxyUrl },
    clock,
    mask: quiet,
    debug: quiet,
  })
  const counts = { GET: 0, POST: 0 }
  let lateMs = 0
  /** Sets the faults of the peers before each request. */
  const transport: Transport = async (request, signal) => {
    const { method } = request
    const name = (method === 'POST' ? prompt : reads)[counts[method]++] ?? 'good'
    const fault = getFault(name)
    await service.play(name in PROXY_FAULTS ? NO_FAULT : fault)
    await proxy?.play(name in PROXY_FAULTS ? fault : WORKING_TUNNEL)
    promptInFlight = method === 'POST' ? { fault, wasRead: false, wasProcessed: false } : undefined
    if (promptInFlight !== undefined) sent.push(promptInFlight)
    const startedAt = clock.now()
    const result = await realTransport(request, signal)
    lateMs = Math.max(lateMs, clock.now() - startedAt - request.timeoutMs)
    return result
  }
  const step = { clock, signal: new AbortController().signal, deadlineAt: timeoutMs }
  const client = createClient({
    ...step,
    transport,
    projectId: `docs-${++projects}`,
    redact: createRedactor([KEY]),
    random: () => 0.5,
    debug: quiet,
  })
  const errors: ActionError[] = []
  const recordError = (error: unknown): ActionError => {
    if (!(error instanceof ActionError)) throw error
    errors.push(error)
    return error
  }
  const tryRead = createTryReadJob(clock, step.signal)
  async function readOnce(): Promise<ReadOutcome> {
    try {
      const result = await tryRead('job_1', () => client.getJob('job_1'))
      if (!(result instanceof ActionError)) return 'success'
      recordError(result)
      maxRetryAfterMs(result, clock, timeoutMs)
      return 'retry'
    } catch (error) {
      recordError(error)
      return 'stop'
    }
  }

  async function sendAll(): Promise<Pick<FaultTrace, 'created' | 'reads'>> {
    const created = prompt.length === 0 ? undefined : await deliverPrompt({ ...step, client }).catch(recordError)
    const results: ReadOutcome[] = []
    while (results.length < reads.length) results.push(await readOnce())
    return { created, reads: results }
  }

  const results = await clock.passUntil(sendAll())
  const isInTime = clock.now() + MAX_RETRY_AFTER_MS < timeoutMs
  // undici would wait 10 s of real time for a handshake that never ends, so the peers close TLS connections.
  const [atService, atProxy = 0] = await Promise.all([service.close(isSecure), proxy?.close(isSecure)])
  return {
    ...results,
    sent,
    errors,
    lateMs,
    isInTime,
    requests: counts.GET + counts.POST,
    connections: (proxy ?? service).connections(),
    openConnections: atService + atProxy,
    sleepers: clock.pending(),
  }
}
