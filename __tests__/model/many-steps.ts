import type { Transport, WireResult } from '../../src/docs-service/transport.ts'
import { createService } from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import { createRandom } from '../../src/emulator/service/random.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { createStepClock } from '../../testing/fake-clock.ts'
import { RUN_FACTS } from '../../testing/given-run.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { BASE_URL } from '../../testing/in-process-github.ts'
import { playAgent, type PlayedAgent } from '../../testing/play-feature.ts'
import { respondInProcess } from '../../testing/respond-in-process.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'

/** A limit for all requests under one key. */
export interface LimitPlan {
  /** A window resets its count at fixed times; a bucket fills up evenly. */
  readonly kind: 'window' | 'bucket'
  /** The average time per allowed request, in milliseconds. */
  readonly everyMs: number
  /** How many requests a window or a full bucket allows. */
  readonly burst: number
  /** Whether a 429 response has a correct `Retry-After`. A number: the `Retry-After` of all 429 responses, in milliseconds. */
  readonly retryAfter: boolean | number
}

/** The embedded service's own limit: 100 prompts in any hour, `Retry-After` until the next prompt is allowed, unlimited reads. */
export const HOURLY_LIMIT = 'hourly'
const PROMPTS_PER_HOUR = 100

/** Many steps under one key. */
export interface StepsPlan {
  /** When each step begins, in milliseconds. */
  readonly starts: readonly number[]
  readonly limit: LimitPlan | typeof HOURLY_LIMIT
  readonly random: () => number
  readonly timeoutMs?: number
}

/** Plans steps that begin at random times within `withinMs`. */
export function planSteps(steps: number, withinMs: number, seed: number, limit: StepsPlan['limit']): StepsPlan {
  const random = createRandom(seed)
  return { starts: Array.from({ length: steps }, () => random() * withinMs), limit, random }
}

interface StepDependencies {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: () => number
  readonly timeoutMs: number
}

/** Times are in milliseconds. */
interface StepEnd {
  readonly beganAt: number
  readonly endedAt: number
  readonly played: PlayedAgent
}

export interface StepsEnd {
  readonly steps: readonly StepEnd[]
  /** The number of responses other than 429. */
  readonly responses: number
  /** The number of 429 responses. */
  readonly refusals: number
  readonly jobs: number
}

const LATENCY_MS = 50
const HOUR_MS = 3_600_000
/** How long the embedded service's agent works. */
const JOB_MS = 20_000

/**
 * Returns a function that counts a request, and returns for how many milliseconds the request must wait. Its argument must not
 * decrease.
 */
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

/** Returns the 429 response to a request that must wait. */
function refuse({ retryAfter }: LimitPlan, waitMs: number): WireResult {
  const inSeconds = retryAfter === true ? Math.ceil(waitMs / 1_000) * 1_000 : undefined
  const retryAfterMs = typeof retryAfter === 'number' ? retryAfter : inSeconds
  return { kind: 'response', status: 429, body: '{"error":"Too many requests."}', retryAfterMs }
}

/** Plays a step of the agent action. */
function playStep({ transport, clock, random, timeoutMs }: StepDependencies): Promise<PlayedAgent> {
  const stage = { apiKey: EMULATOR_KEY, transport, github: undefined, context: RUN_FACTS, clock, random }
  return playAgent(stage, () => agentInputs({ timeoutMs, projectId: DEFAULT_PROJECT_ID }))
}

/** Plays the steps against the embedded service on the virtual clock. */
export async function playSteps(plan: StepsPlan): Promise<StepsEnd> {
  const { starts, limit, random, timeoutMs = HOUR_MS } = plan
  const sharedClock = virtualClock({ mostEvents: Infinity })
  const requestsPerHour = limit === HOURLY_LIMIT ? PROMPTS_PER_HOUR : Infinity
  const service = createService({ baseUrl: BASE_URL, requestsPerHour })
  const take = limit === HOURLY_LIMIT ? undefined : createLimit(limit)
  const counts = { responses: 0, refusals: 0 }
  const respond = respondInProcess((...request) => service.handle(...request), EMULATOR_KEY, sharedClock)
  const transport: Transport = async (request, signal) => {
    await sharedClock.sleep(LATENCY_MS)
    const waitMs = take?.(sharedClock.now()) ?? 0
    const isRefused = waitMs > 0 && limit !== HOURLY_LIMIT
    const result = isRefused ? refuse(limit, waitMs) : await respond(request, signal)
    counts[result.kind === 'response' && result.status === 429 ? 'refusals' : 'responses']++
    await sharedClock.sleep(LATENCY_MS)
    return result
  }
  const clock = createStepClock(sharedClock)
  const playFrom = async (atMs: number): Promise<StepEnd> => {
    await sharedClock.sleep(atMs)
    const beganAt = sharedClock.now()
    const played = await playStep({ transport, clock, random, timeoutMs })
    return { beganAt, endedAt: sharedClock.now(), played }
  }
  const steps = await sharedClock.passUntil(Promise.all(starts.map(playFrom)))
  return { steps, ...counts, jobs: service.requests.filter(({ status }) => status === 201).length }
}

/** Returns the minimum time in milliseconds for all steps: two requests for each step, and the time of a job. */
function getMinTimeMs({ starts, limit }: StepsPlan): number {
  const steps = starts.length
  if (limit === HOURLY_LIMIT) return Math.floor((steps - 1) / PROMPTS_PER_HOUR) * HOUR_MS + JOB_MS
  const promptsMs = Math.max(0, steps - limit.burst) * limit.everyMs
  return promptsMs + Math.max(steps * limit.everyMs, JOB_MS)
}

interface StepsFigures {
  /** The time until the last step ends, divided by the minimum time. */
  readonly time: number
  readonly refusalsPerResponse: number
  /** The time of the slowest step, divided by the median. */
  readonly slowestToMedian: number
}

const getMean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

function measureEnd(plan: StepsPlan, { steps, responses, refusals }: StepsEnd): StepsFigures {
  const times = steps.map(({ beganAt, endedAt }) => endedAt - beganAt).sort((a, b) => a - b)
  return {
    time: Math.max(...steps.map(({ endedAt }) => endedAt)) / getMinTimeMs(plan),
    refusalsPerResponse: refusals / responses,
    slowestToMedian: (times.at(-1) ?? NaN) / (times[times.length >> 1] ?? NaN),
  }
}

/** Plays each plan and returns the means. */
export async function measurePlans(
  plans: readonly StepsPlan[],
  check: (plan: StepsPlan, end: StepsEnd) => void,
): Promise<StepsFigures> {
  const all: StepsFigures[] = []
  for (const plan of plans) {
    const end = await playSteps(plan)
    check(plan, end)
    all.push(measureEnd(plan, end))
  }
  return {
    time: getMean(all.map(({ time }) => time)),
    refusalsPerResponse: getMean(all.map(({ refusalsPerResponse }) => refusalsPerResponse)),
    slowestToMedian: getMean(all.map(({ slowestToMedian }) => slowestToMedian)),
  }
}
