import { conclude } from '../../src/agent/report/conclusion.ts'
import type { JobInputs } from '../../src/agent/inputs/inputs.ts'
import { toOutputs } from '../../src/agent/report/outputs.ts'
import { redactReport } from '../../src/agent/report/redact-report.ts'
import { runAgent } from '../../src/agent/job/run.ts'
import { renderSummary } from '../../src/agent/report/summary.ts'
import { createClient } from '../../src/service/client.ts'
import { proxyFor } from '../../src/network/proxy.ts'
import { createTransport } from '../../src/service/transport.ts'
import type { Clock } from '../../src/shared/clock.ts'
import { createRedactor } from '../../src/shared/redact.ts'
import { cleanLines } from '../../src/shared/untrusted-text.ts'
import { stepClockOf } from '../support/fake-clock.ts'
import { KEY } from '../model/planted-key.ts'
import type { Trace } from '../model/run-schedule.ts'
import type { Schedule } from '../model/schedule.ts'
import { JOB_ID } from '../model/service-model.ts'
import type { FaultScript } from './fault-script.ts'
import { openFaultyProxy } from './faulty-proxy.ts'
import { openFaultyService } from './faulty-service.ts'
import { JobLedger } from './job-ledger.ts'
import { stillClock } from './still-clock.ts'
import { watchTransport } from './watch-transport.ts'

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

const redact = createRedactor([KEY])

/** What the host does with every line: redacted before and after it is cleaned. */
function shownLines(text: string): string[] {
  return cleanLines(redact(text)).map(redact)
}

const TASKS: Readonly<Record<FaultScript['task'], JobInputs['task']>> = {
  create: { kind: 'create', prompt: 'Fix the guide.' },
  'follow-up': { kind: 'follow-up', prompt: 'Fix the guide.', jobId: JOB_ID },
  attach: { kind: 'attach', jobId: JOB_ID },
}

/**
 * undici tells everybody what it sends, by its path: runs at the same time need paths of their own. A step is alone in its
 * process and sends one request after the other.
 */
let projects = 0

const WORKS_MS = 25_000

/** What the service does where its sockets let it: its agent works for a while and ends with a pull request. */
function scheduleOf({ task, timeoutMs }: FaultScript): Schedule {
  const turn = { durationMs: WORKS_MS, ending: 'completed', hasLink: true, linkLateMs: 0, pauses: false } as const
  return {
    task,
    wait: true,
    timeoutMs,
    pollIntervalMs: undefined,
    failOn: ['failed', 'archived', 'timeout'],
    cancelAtMs: undefined,
    wallJump: { atMs: Infinity, byMs: 0 },
    random: 0.5,
    posts: [],
    reads: [],
    before: { ...turn, durationMs: task === 'attach' ? WORKS_MS : 0 },
    ours: turn,
    oursHasTheSameLink: false,
    staleMs: 0,
    messageAnswerIsStale: false,
    archivedAtMs: undefined,
    plant: 'raw',
    padding: 0,
    promptHoldsKey: false,
  }
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
  const log: string[] = []
  const warnings: string[] = []
  const accepted: { id: string; at: number }[] = []
  const signal = new AbortController().signal
  const transport = watchTransport(
    createTransport({ baseUrl, apiKey: KEY, proxy: proxyUrl, userAgent: 'test-agent', clock }),
    { script, ledger, service, proxy },
  )
  // A pause of the step counts as an event, so that what happens before it and after it can be told apart.
  const stepClock: Clock = {
    ...stepClockOf(clock),
    async sleep(ms, until) {
      ledger.nextEvent()
      await clock.sleep(ms, until)
    },
  }
  const ports = { clock: stepClock, signal, random: () => 0.5, log: (line: string) => log.push(...shownLines(line)) }
  const failOn = new Set(schedule.failOn)
  const inputs: JobInputs = {
    task: TASKS[script.task],
    projectId,
    apiKey: KEY,
    baseUrl,
    wait: true,
    timeoutMs: script.timeoutMs,
    pollIntervalMs: undefined,
    failOn,
    summary: true,
  }
  const startedAt = stepClock.now()
  const client = createClient({ ...ports, transport, projectId, redact, deadlineAt: startedAt + script.timeoutMs })
  const whole = await clock.passUntil(
    runAgent(inputs, {
      ...ports,
      client,
      startedAt,
      warn: (line) => warnings.push(...shownLines(line)),
      onJobAccepted: ({ id }) => accepted.push({ id, at: ledger.event }),
    }),
  )
  const endedAt = clock.now()
  const [atService, atProxy = 0] = await Promise.all([service.close(), proxy?.close()])
  const report = redactReport(whole, redact)
  const conclusion = conclude(report, failOn)
  return {
    script,
    schedule,
    service: { posts: ledger.posts, delivered: ledger.delivered, looks: ledger.looks, transport },
    report,
    conclusion,
    outputs: Object.fromEntries(Object.entries(toOutputs(report)).map(([name, value]) => [name, redact(value)])),
    summary: redact(renderSummary(report, conclusion)),
    log,
    warnings,
    accepted,
    endedAt,
    requests: ledger.requests,
    connections: (proxy ?? service).connections(),
    openConnections: atService + atProxy,
    sleepers: clock.sleepers(),
  }
}
