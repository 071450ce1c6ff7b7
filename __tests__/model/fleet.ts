import { agentAction } from '../../src/agent/agent-action.ts'
import type { Report } from '../../src/agent/report/report.ts'
import type { Transport } from '../../src/docs-service/transport.ts'
import { createService } from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import { stepClockOf } from '../support/fake-clock.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { agentInputs } from '../support/fake-step.ts'
import { BASE_URL } from '../support/in-process-github.ts'
import { playOn, type Played } from '../support/play-feature.ts'
import { respondInProcess } from '../support/respond-in-process.ts'
import { virtualClock } from '../support/virtual-clock.ts'

/** A limit for all requests under one key. */
export interface LimitPlan {
  /** A window begins anew at fixed times; a bucket fills up evenly. */
  readonly kind: 'window' | 'bucket'
  /** One request is allowed in this time, in milliseconds, on the average. */
  readonly everyMs: number
  /** So many at once: all of a window, or what fits into the bucket. */
  readonly burst: number
  /** Whether a refusal says how long to wait; or what it says in any case, in milliseconds. */
  readonly retryAfter: boolean | number
}

/** Many steps under one key. */
export interface FleetPlan {
  /** When each step begins, in milliseconds. */
  readonly starts: readonly number[]
  readonly limit: LimitPlan
  readonly random: () => number
  readonly timeoutMs?: number
}

/** One step: when it began and ended, in milliseconds. */
export interface FleetStep {
  readonly beganAt: number
  readonly endedAt: number
  readonly played: Played<Report>
}

export interface FleetEnd {
  readonly steps: readonly FleetStep[]
  readonly answered: number
  readonly refused: number
  readonly jobs: number
}

const LATENCY_MS = 50
const HOUR_MS = 3_600_000

/** Takes one request at a time, in milliseconds, that must not go backwards; gives how long one has to wait, if it must. */
function createLimit({ kind, everyMs, burst }: LimitPlan): (nowMs: number) => number {
  const windowMs = everyMs * burst
  let left = burst
  let countedAt = 0
  return (nowMs) => {
    const windowAt = Math.floor(nowMs / windowMs) * windowMs
    if (kind === 'bucket') left = Math.min(burst, left + (nowMs - countedAt) / everyMs)
    else if (windowAt > countedAt) left = burst
    countedAt = kind === 'bucket' ? nowMs : windowAt
    if (left < 1) return kind === 'bucket' ? (1 - left) * everyMs : windowAt + windowMs - nowMs
    left--
    return 0
  }
}

/** Plays a fleet against the embedded service, whose jobs take 20 s, on the virtual clock. */
export async function playFleet({ starts, limit, random, timeoutMs = HOUR_MS }: FleetPlan): Promise<FleetEnd> {
  const world = virtualClock({ mostEvents: Infinity })
  const service = createService({ baseUrl: BASE_URL, requestsPerHour: Infinity })
  const take = createLimit(limit)
  const counts = { answered: 0, refused: 0 }
  const inner = respondInProcess((...request) => service.handle(...request), EMULATOR_KEY, world)
  const transport: Transport = async (request, signal) => {
    await world.sleep(LATENCY_MS)
    const freeInMs = take(world.now())
    counts[freeInMs === 0 ? 'answered' : 'refused']++
    const inSeconds = limit.retryAfter === true ? Math.ceil(freeInMs / 1_000) * 1_000 : undefined
    const retryAfterMs = typeof limit.retryAfter === 'number' ? limit.retryAfter : inSeconds
    const refusal = { kind: 'answer', status: 429, body: '{"error":"Too many requests."}', retryAfterMs } as const
    const answer = freeInMs === 0 ? await inner(request, signal) : refusal
    await world.sleep(LATENCY_MS)
    return answer
  }
  const clock = stepClockOf(world)
  const stage = { apiKey: EMULATOR_KEY, transport, github: undefined, context: RUN_FACTS, clock, random }
  const play = async (atMs: number): Promise<FleetStep> => {
    await world.sleep(atMs)
    const beganAt = world.now()
    const played = await playOn(stage, agentAction, () => agentInputs({ timeoutMs, projectId: DEFAULT_PROJECT_ID }))
    return { beganAt, endedAt: world.now(), played }
  }
  const steps = await world.passUntil(Promise.all(starts.map(play)))
  return { steps, ...counts, jobs: service.requests.filter(({ status }) => status === 201).length }
}
