import { agentAction } from '../../src/agent/agent-action.ts'
import { proxyFor } from '../../src/http/proxy.ts'
import { createTransport } from '../../src/docs-service/transport.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { CALM, GITHUB } from '../model/calm-schedule.ts'
import { createGitHubModel } from '../model/github-model.ts'
import { KEY } from '../model/planted-key.ts'
import { factsOf, inputsOf, type Trace } from '../model/run-schedule.ts'
import type { GitHubFate, Schedule, TurnPlan } from '../model/schedule.ts'
import { playOn } from '../support/play-feature.ts'
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

/**
 * undici tells everybody what it sends, by its path: runs at the same time need paths of their own. A step is alone in its
 * process and sends one request after the other.
 */
let projects = 0

/** Longer than the answer to a prompt is waited for: a turn is seen only while it reads `active`. */
const WORKS_MS = 75_000

const gitHubFate = (how: GitHubFate['how']): GitHubFate => ({ how, delayMs: 100, times: 1 })

/** What the service does where its sockets let it: its agent works for a while and ends with a pull request. */
function scheduleOf({ task, timeoutMs }: FaultScript): Schedule {
  const turn: TurnPlan = { durationMs: WORKS_MS, ending: 'completed', hasLink: true, linkLateMs: 0, pauses: false }
  return {
    ...CALM,
    task,
    timeoutMs,
    before: { ...turn, durationMs: task === 'attach' ? WORKS_MS : 0 },
    ours: turn,
    plant: 'raw',
    asks: { ...CALM.asks, paths: true, label: true, checks: true },
    // GitHub has no sockets here: it is the model of it, and fails now and then.
    github: { ...GITHUB, fates: [gitHubFate('service-error'), gitHubFate('well'), gitHubFate('lost')] },
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
  const signal = new AbortController().signal
  const transport = watchTransport(createTransport({ baseUrl, apiKey: KEY, proxy: proxyUrl, clock }), {
    script,
    ledger,
    service,
    proxy,
  })
  // A pause of the step counts as an event, so that what happens before it and after it can be told apart.
  const stepClock: Clock = {
    ...clock,
    async sleep(ms, until) {
      ledger.nextEvent()
      await clock.sleep(ms, until)
    },
  }
  const github = createGitHubModel(schedule, schedule.github ?? GITHUB, ledger.life, clock, signal)
  const stage = {
    ...{ apiKey: KEY, transport, github: github.github, context: factsOf(schedule), clock: stepClock, signal },
    eventTime: () => ledger.event,
    world: clock,
  }
  const played = await playOn(stage, agentAction, () => ({ ...inputsOf(schedule, projectId), baseUrl }))
  const endedAt = clock.now()
  const [atService, atProxy = 0] = await Promise.all([service.close(), proxy?.close()])
  const { posts, delivered, looks, life } = ledger
  return {
    ...played,
    script,
    schedule,
    service: { life, posts, delivered, looks, transport },
    github,
    endedAt,
    requests: ledger.requests,
    connections: (proxy ?? service).connections(),
    openConnections: atService + atProxy,
    sleepers: clock.sleepers(),
  }
}
