import type { FailureCause } from '../../src/http/exchange.ts'
import type { Transport, WireResponse, WireFailure, WireRequest, WireResult } from '../../src/docs-service/transport.ts'
import { JobLife, type View } from './job-life.ts'
import { plantKey } from './planted-key.ts'
import type { BodyShape, RequestPlan, RequestResult, Schedule } from './schedule.ts'
import type { VirtualClock } from '../../testing/virtual-clock.ts'
import { BODIES, BREAKS, createJobBody, isValidBody, parseRetryAfterMs } from './wire-forms.ts'

export const JOB_ID = 'job_1'
export const PROJECT_ID = 'docs-demo'

/** What the service did with a request that sends a prompt. */
interface PostRecord {
  readonly at: number
  /** Whether the service has read the complete request. */
  wasRead: boolean
  wasProcessed: boolean
  status?: number
  /** When the client received a response that proves the delivery; undefined if it received none. */
  acceptedAt?: number
}

/** A valid response that the client received. */
interface Delivered {
  readonly at: number
  readonly method: 'GET' | 'POST'
  readonly view: View
}

export interface ServiceModel {
  readonly transport: Transport
  readonly posts: readonly PostRecord[]
  readonly delivered: readonly Delivered[]
  /** A short text for each read. Equal texts look equal to the step. */
  readonly readTexts: readonly string[]
  /** The waits that the service requested, in milliseconds. */
  readonly requestedWaitsMs: readonly number[]
}

const SUCCESS: RequestResult = { kind: 'success', status: 200, body: 'good' }
const DEFAULT_PLAN: RequestPlan = { result: SUCCESS, delayMs: 50, times: Infinity }

/** Yields the plan of each request. */
function* listPlans(plans: readonly RequestPlan[]): Generator<RequestPlan, never> {
  for (const plan of plans) for (let time = 0; time < plan.times; time++) yield plan
  for (;;) yield DEFAULT_PLAN
}

/** Creates the service and the network of a schedule. */
export function createServiceModel(schedule: Schedule, clock: VirtualClock): ServiceModel {
  const life = new JobLife(schedule)
  const posts: PostRecord[] = []
  const delivered: Delivered[] = []
  const readTexts: string[] = []
  const requestedWaitsMs: number[] = []
  let reads = 0
  const plans = { POST: listPlans(schedule.posts), GET: listPlans(schedule.reads) }
  const text = schedule.plant === 'none' ? undefined : plantKey(schedule.plant)

  function respondWithError(status: number, result: Partial<Extract<RequestResult, { kind: 'error' }>>): WireResponse {
    const bodies = {
      error: JSON.stringify({ error: text ?? 'No.' }),
      html: `<html>${text ?? 'No.'}</html>`,
      empty: '',
    }
    return {
      kind: 'response',
      status,
      body: bodies[result.body ?? 'error'],
      retryAfterMs: parseRetryAfterMs(result.retryAfter ?? 'none'),
    }
  }

  function respond(status: number, shape: BodyShape, view: View): WireResponse {
    const body = BODIES[shape](createJobBody(view, JOB_ID, text))
    return { kind: 'response', status, body, retryAfterMs: undefined }
  }

  function fail(cause: FailureCause, code: string | undefined, sent: boolean): WireFailure {
    return { kind: 'failure', cause, code, sent }
  }

  /** Returns what the service responds to a prompt; undefined if it does not process the prompt. */
  function readPrompt(record: PostRecord, result: RequestResult): View | undefined {
    record.wasRead = true
    const { task, isMessageResponseStale } = schedule
    const now = clock.now()
    if (result.kind === 'error' && !result.processed) return undefined
    if (task !== 'create' && life.isArchived(now)) return undefined
    life.processPrompt(now)
    record.wasProcessed = true
    return life.getResponseView(now, task !== 'create' && isMessageResponseStale)
  }

  /** Waits until a time, until the request times out, or until the request is cancelled. */
  async function waitUntil(
    untilMs: number,
    endsAt: number,
    signal: AbortSignal,
  ): Promise<'in-time' | 'timeout' | 'cancelled'> {
    try {
      await clock.sleep(Math.min(untilMs, endsAt) - clock.now(), signal)
      return untilMs <= endsAt ? 'in-time' : 'timeout'
    } catch {
      return 'cancelled'
    }
  }

  async function post(
    { timeoutMs, path }: WireRequest,
    { result, delayMs }: RequestPlan,
    signal: AbortSignal,
  ): Promise<WireResult> {
    const began = clock.now()
    const endsAt = began + timeoutMs
    const record: PostRecord = { at: began, wasRead: false, wasProcessed: false }
    posts.push(record)
    const broken = result.kind === 'broken' ? BREAKS[result.how] : undefined
    const isCreate = !path.endsWith('/message')

    const connected = await waitUntil(began + delayMs / 5, endsAt, signal)
    if (connected !== 'in-time') return fail(connected, undefined, false)
    if (broken?.point === 'before-sending') return fail(broken.cause, broken.code, false)
    const read = await waitUntil(began + delayMs / 2, endsAt, signal)
    if (read !== 'in-time') return fail(read, undefined, true)
    if (broken?.point === 'sent') return fail(broken.cause, broken.code, true)
    const view = readPrompt(record, result)
    const responded = await waitUntil(began + delayMs, endsAt, signal)
    if (responded !== 'in-time') return fail(responded, undefined, true)
    const isSentSeen = result.kind !== 'broken' || result.how !== 'reset-after-read-unseen'
    if (broken !== undefined) return fail(broken.cause, broken.code, isSentSeen)
    if (result.kind === 'error') {
      record.status = result.status
      return respondWithError(result.status, result)
    }
    if (result.kind !== 'success') throw new Error('A broken connection must have returned before.')
    // A create request contains no id, so no id in the response is wrong.
    const shape = isCreate && result.body === 'wrong-id' ? 'good' : result.body
    record.status = view === undefined ? 422 : result.status
    if (view === undefined) return respondWithError(422, {})
    if (isValidBody(shape, 'POST')) {
      record.acceptedAt = clock.now()
      if (shape === 'good') delivered.push({ at: clock.now(), method: 'POST', view })
    }
    return respond(result.status, shape, view)
  }

  async function get(
    { timeoutMs }: WireRequest,
    { result, delayMs }: RequestPlan,
    signal: AbortSignal,
  ): Promise<WireResult> {
    const began = clock.now()
    const responded = await waitUntil(began + delayMs, began + timeoutMs, signal)
    if (responded !== 'in-time') return fail(responded, undefined, true)
    if (result.kind === 'broken') {
      const { cause, code, point } = BREAKS[result.how]
      return fail(cause, code, point !== 'before-sending')
    }
    const view = life.getResponseView(began + delayMs / 2, true, schedule.lagsMs[reads++ % schedule.lagsMs.length])
    if (result.kind === 'error') return respondWithError(result.status, result)
    if (view === undefined) return respondWithError(404, {})
    if (isValidBody(result.body, 'GET')) delivered.push({ at: clock.now(), method: 'GET', view })
    return respond(result.status, result.body, view)
  }

  const transport: Transport = async (request, signal) => {
    if (signal.aborted) return fail('cancelled', undefined, false)
    const plan = plans[request.method].next().value
    if (request.method === 'POST') return post(request, plan, signal)
    const result = await get(request, plan, signal)
    if (result.kind === 'failure') readTexts.push(`${result.cause} ${result.code ?? ''}`)
    else if (result.retryAfterMs !== undefined) requestedWaitsMs.push(result.retryAfterMs)
    if (result.kind !== 'failure') readTexts.push(result.status < 300 ? result.body : String(result.status))
    return result
  }
  return { transport, posts, delivered, readTexts, requestedWaitsMs }
}
