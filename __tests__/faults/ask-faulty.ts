import { createClient } from '../../src/docs-service/client.ts'
import { createTryRead, maxRetryAfterMs } from '../../src/docs-service/retry.ts'
import type { Job } from '../../src/docs-service/schemas.ts'
import { createTransport, type Transport } from '../../src/docs-service/transport.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { KEY } from '../model/planted-key.ts'
import type { Conduct, Fault, ReadFate } from './fault.ts'
import { openPeer } from './faulty-peer.ts'
import { PROXY_FAULTS, TUNNEL } from './proxy-faults.ts'
import { SERVICE_FAULTS, TLS_FAULTS, WELL } from './service-faults.ts'
import { stillClock } from './still-clock.ts'

/** What becomes of the requests of a client, one fault after the other; what comes after the last one goes well. */
export interface FaultScript {
  /** Says it all in short, and picks this script alone: `FAULT=<name>`. */
  readonly name: string
  /** Of one prompt, which is sent where there is any fault, and then of reads, by their names. */
  readonly prompt: readonly string[]
  readonly reads: readonly string[]
  readonly timeoutMs: number
  readonly hasProxy: boolean
}

export interface Sent {
  readonly fault: Fault
  wasRead: boolean
  wasTaken: boolean
}

export interface FaultTrace {
  readonly sent: readonly Sent[]
  /** What the prompt ended with, if there was one. */
  readonly created: Job | ActionError | undefined
  readonly reads: readonly ReadFate[]
  readonly errors: readonly ActionError[]
  /** By how much the longest request was longer than it might be, in milliseconds. */
  readonly lateMs: number
  /** Whether all was over before the deadline, with time for what the service asks for: else no read is tried again. */
  readonly isInTime: boolean
  readonly requests: number
  readonly connections: number
  /** When all was over: what was still there. */
  readonly openConnections: number
  readonly sleepers: number
}

export const faultOf = (name: string): Fault => PROXY_FAULTS[name] ?? TLS_FAULTS[name] ?? SERVICE_FAULTS[name] ?? WELL

const MAX_PATIENCE_MS = 10_000

/**
 * undici tells everybody what it sends, by its path: runs at the same time need paths of their own. A step is alone in its
 * process and sends one request after the other.
 */
let projects = 0

/** Lets the real client ask over real sockets, on a clock that stands still while anything moves on them. */
export async function askFaulty({ prompt, reads, timeoutMs, hasProxy }: FaultScript): Promise<FaultTrace> {
  const clock = stillClock()
  const sent: Sent[] = []
  /** Undefined while a read is on its way. */
  let onItsWay: Sent | undefined
  const service = await openPeer(clock, (isWhole, { takes, conduct }) => {
    if (onItsWay === undefined) return
    onItsWay.wasRead ||= isWhole
    onItsWay.wasTaken ||= takes && (isWhole || (conduct as Conduct).writes !== '')
  })
  const proxy = hasProxy ? await openPeer(clock, undefined, service.port) : undefined
  const proxyUrl = proxy && `http://user:word@127.0.0.1:${proxy.port}`
  const isSecure = [...prompt, ...reads].some((name) => name in TLS_FAULTS)
  const quiet = (): void => undefined
  const real = createTransport({
    baseUrl: `${isSecure ? 'https' : 'http'}://127.0.0.1:${service.port}`,
    apiKey: KEY,
    env: { http_proxy: proxyUrl, https_proxy: proxyUrl },
    clock,
    mask: quiet,
    maskInLog: quiet,
    debug: quiet,
  })
  const counts = { GET: 0, POST: 0 }
  let lateMs = 0
  /** Before each request the peers learn their parts. */
  const transport: Transport = async (request, signal) => {
    const { method } = request
    const name = (method === 'POST' ? prompt : reads)[counts[method]++] ?? 'good'
    const fault = faultOf(name)
    await service.play(name in PROXY_FAULTS ? WELL : fault)
    await proxy?.play(name in PROXY_FAULTS ? fault : TUNNEL)
    onItsWay = method === 'POST' ? { fault, wasRead: false, wasTaken: false } : undefined
    if (onItsWay !== undefined) sent.push(onItsWay)
    const beganAt = clock.now()
    const result = await real(request, signal)
    lateMs = Math.max(lateMs, clock.now() - beganAt - request.timeoutMs)
    return result
  }
  const step = { clock, signal: new AbortController().signal, deadlineAt: timeoutMs }
  const client = createClient({
    ...step,
    transport,
    projectId: `docs-${++projects}`,
    redact: createRedactor([KEY]),
    random: () => 0.5,
    log: quiet,
    debug: quiet,
  })
  const errors: ActionError[] = []
  const failed = (error: unknown): ActionError => {
    if (!(error instanceof ActionError)) throw error
    errors.push(error)
    return error
  }
  const tryRead = createTryRead(step.signal)
  async function read(): Promise<ReadFate> {
    try {
      const answer = await tryRead(() => client.getJob('job_1'))
      if (!(answer instanceof ActionError)) return 'heard'
      failed(answer)
      maxRetryAfterMs(answer, clock, timeoutMs)
      return 'passing'
    } catch (error) {
      failed(error)
      return 'final'
    }
  }

  async function ask(): Promise<Pick<FaultTrace, 'created' | 'reads'>> {
    const created = prompt.length === 0 ? undefined : await client.createJob('Fix it.').catch(failed)
    const ends: ReadFate[] = []
    while (ends.length < reads.length) ends.push(await read())
    return { created, reads: ends }
  }

  const ends = await clock.passUntil(ask())
  const isInTime = clock.now() + MAX_PATIENCE_MS < timeoutMs
  // A handshake that never ends is given up after 10 s of real time, which are not waited for.
  const [atService, atProxy = 0] = await Promise.all([service.close(isSecure), proxy?.close(isSecure)])
  return {
    ...ends,
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
