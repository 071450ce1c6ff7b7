import { agentAction } from '../../src/agent/agent-action.ts'
import type { Report } from '../../src/agent/report/report.ts'
import type { Transport, WireAnswer } from '../../src/docs-service/transport.ts'
import { createService } from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import { stepClockOf } from '../support/fake-clock.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { agentInputs } from '../support/fake-step.ts'
import { BASE_URL } from '../support/in-process-github.ts'
import { playOn, type Played } from '../support/play-feature.ts'
import { respondInProcess } from '../support/respond-in-process.ts'
import { createLimit, type LimitPlan } from './rate-limit.ts'
import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts'

/** Many steps that begin at about the same time, under one key. */
export interface FleetPlan {
  readonly steps: number
  readonly limit: LimitPlan
  /** The steps begin at random times within this one, in milliseconds. */
  readonly startsWithinMs: number
  /** In place of a random time: when each step begins, in milliseconds. */
  readonly startsAtMs?: readonly number[]
  /** The project of each step, in place of one for all. */
  readonly projects?: readonly string[]
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
  /** How many were created. */
  readonly jobs: number
}

const LATENCY_MS = 50
const HOUR_MS = 3_600_000

/** A whole step of this action. */
function playStep(transport: Transport, world: VirtualClock, plan: FleetPlan, index: number): Promise<Played<Report>> {
  const { timeoutMs = HOUR_MS, random, projects } = plan
  const projectId = projects?.[index] ?? DEFAULT_PROJECT_ID
  const stage = {
    apiKey: EMULATOR_KEY,
    transport,
    github: undefined,
    context: RUN_FACTS,
    clock: stepClockOf(world),
    random,
  }
  return playOn(stage, agentAction, () => agentInputs({ timeoutMs, projectId }))
}

/** Plays a fleet against the embedded service, whose jobs take 20 s, on the virtual clock. */
export async function playFleet(plan: FleetPlan): Promise<FleetEnd> {
  const { steps, limit, startsWithinMs, startsAtMs, random } = plan
  const world = virtualClock({ mostEvents: Infinity })
  const service = createService({ baseUrl: BASE_URL, requestsPerHour: Infinity })
  const take = createLimit(limit)
  const counts = { answered: 0, refused: 0 }
  const refuse = (retryAfterMs: number | undefined): WireAnswer => ({
    ...{ kind: 'answer', status: 429, body: '{"error":"Too many requests."}', retryAfterMs },
  })
  const inner = respondInProcess((...request) => service.handle(...request), EMULATOR_KEY, world)
  const transport: Transport = {
    async send(request, signal) {
      await world.sleep(LATENCY_MS)
      const slot = take(world.now())
      counts[slot.isFree ? 'answered' : 'refused']++
      const answer = slot.isFree ? await inner.send(request, signal) : refuse(slot.retryAfterMs)
      await world.sleep(LATENCY_MS)
      return answer
    },
  }
  const play = async (_: unknown, index: number): Promise<FleetStep> => {
    await world.sleep(startsAtMs?.[index] ?? random() * startsWithinMs)
    const beganAt = world.now()
    const played = await playStep(transport, world, plan, index)
    return { beganAt, endedAt: world.now(), played }
  }
  const ended = await world.passUntil(Promise.all(Array.from({ length: steps }, play)))
  return { steps: ended, ...counts, jobs: service.requests.filter(({ status }) => status === 201).length }
}

export interface FleetFigures {
  /** From the first beginning to the last end, to the least that anybody could need for it. */
  readonly time: number
  readonly refusedForEachAnswered: number
  readonly requestsForEachStep: number
  /** The longest of the steps' own times, to their median. */
  readonly lastToMedian: number
}

const JOB_MS = 20_000

/** Two requests for each step: its prompt, and the read that sees the end of its job. */
function leastMs({ steps, limit: { everyMs, burst }, startsWithinMs }: FleetPlan): number {
  const prompts = Math.max(0, steps - burst) * everyMs
  return Math.max(prompts + steps * everyMs, prompts + JOB_MS, (startsWithinMs * (steps - 1)) / steps + JOB_MS)
}

export function figuresOf(plan: FleetPlan, { steps, answered, refused }: FleetEnd): FleetFigures {
  const times = steps.map(({ beganAt, endedAt }) => endedAt - beganAt).sort((a, b) => a - b)
  const lastMs = Math.max(...steps.map(({ endedAt }) => endedAt))
  return {
    time: lastMs / leastMs(plan),
    refusedForEachAnswered: refused / answered,
    requestsForEachStep: answered / steps.length,
    lastToMedian: (times.at(-1) ?? 0) / (times[Math.floor(times.length / 2)] ?? 1),
  }
}
