import type { FailureCause } from '../../src/http/exchange.ts'
import type { Transport, WireAnswer, WireFailure, WireRequest, WireResult } from '../../src/docs-service/transport.ts'
import { JobLife, type View } from './job-life.ts'
import { plantKey } from './planted-key.ts'
import type { BodyShape, Fate, Happening, Schedule } from './schedule.ts'
import type { VirtualClock } from '../support/virtual-clock.ts'
import { BODIES, BREAKS, isTrue, jobBody, retryAfterMs } from './wire-forms.ts'

export const JOB_ID = 'job_1'
export const PROJECT_ID = 'docs-demo'

/** What became of one prompt, as only the service knows it. */
interface PostRecord {
  readonly at: number
  /** Whether the service has read the complete request. */
  wasRead: boolean
  wasProcessed: boolean
  status?: number
  /** When an answer with the right id came back, if one did, which makes it an accepted job. */
  acceptedAt?: number
}

/** A whole and true answer that came back. */
interface Delivered {
  readonly at: number
  readonly method: 'GET' | 'POST'
  readonly view: View
}

export interface ServiceModel {
  readonly transport: Transport
  readonly posts: readonly PostRecord[]
  readonly delivered: readonly Delivered[]
  /** One short text a read, the same for what looks the same to the reader. */
  readonly looks: readonly string[]
  /** The waits that the service requested, in milliseconds. */
  readonly requestedWaitsMs: readonly number[]
}

const WELL: Happening = { kind: 'answered', status: 200, body: 'good' }
const USUAL_FATE: Fate = { what: WELL, delayMs: 50, times: Infinity }

function* unroll(fates: readonly Fate[]): Generator<Fate, never> {
  for (const fate of fates) for (let time = 0; time < fate.times; time++) yield fate
  for (;;) yield USUAL_FATE
}

/** The service and the network between, as one schedule has it. */
export function createServiceModel(schedule: Schedule, clock: VirtualClock): ServiceModel {
  const life = new JobLife(schedule)
  const posts: PostRecord[] = []
  const delivered: Delivered[] = []
  const looks: string[] = []
  const requestedWaitsMs: number[] = []
  let reads = 0
  const fates = { POST: unroll(schedule.posts), GET: unroll(schedule.reads) }
  const text = schedule.plant === 'none' ? undefined : plantKey(schedule.plant)

  function refuse(status: number, what: Partial<Extract<Happening, { kind: 'refusal' }>>): WireAnswer {
    const bodies = {
      error: JSON.stringify({ error: text ?? 'No.' }),
      html: `<html>${text ?? 'No.'}</html>`,
      empty: '',
    }
    return {
      kind: 'answer',
      status,
      body: bodies[what.body ?? 'error'],
      retryAfterMs: retryAfterMs(what.retryAfter ?? 'none'),
    }
  }

  function answer(status: number, shape: BodyShape, view: View): WireAnswer {
    const body = BODIES[shape](jobBody(view, JOB_ID, text))
    return { kind: 'answer', status, body, retryAfterMs: undefined }
  }

  function failure(cause: FailureCause, code: string | undefined, sent: boolean): WireFailure {
    return { kind: 'failure', cause, code, sent }
  }

  /** The service reads a prompt. It takes it where it answers well, and may have taken it where it does not. */
  function readPrompt(record: PostRecord, what: Happening): View | undefined {
    record.wasRead = true
    const { task, messageAnswerIsStale } = schedule
    const now = clock.now()
    if (what.kind === 'refusal' && !what.processed) return undefined
    if (task !== 'create' && life.isArchived(now)) return undefined
    life.take(now)
    record.wasProcessed = true
    return life.answerAt(now, task !== 'create' && messageAnswerIsStale)
  }

  /** Waits, but not past the request's own time, nor past its cancellation. */
  async function pass(
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
    { what, delayMs }: Fate,
    signal: AbortSignal,
  ): Promise<WireResult> {
    const began = clock.now()
    const endsAt = began + timeoutMs
    const record: PostRecord = { at: began, wasRead: false, wasProcessed: false }
    posts.push(record)
    const broken = what.kind === 'broken' ? BREAKS[what.how] : undefined
    const isCreate = !path.endsWith('/message')

    const connected = await pass(began + delayMs / 5, endsAt, signal)
    if (connected !== 'in-time') return failure(connected, undefined, false)
    if (broken?.point === 'before-sending') return failure(broken.cause, broken.code, false)
    const read = await pass(began + delayMs / 2, endsAt, signal)
    if (read !== 'in-time') return failure(read, undefined, true)
    if (broken?.point === 'sent') return failure(broken.cause, broken.code, true)
    const view = readPrompt(record, what)
    const came = await pass(began + delayMs, endsAt, signal)
    if (came !== 'in-time') return failure(came, undefined, true)
    const wasSeen = what.kind !== 'broken' || what.how !== 'reset-after-read-unseen'
    if (broken !== undefined) return failure(broken.cause, broken.code, wasSeen)
    if (what.kind === 'refusal') {
      record.status = what.status
      return refuse(what.status, what)
    }
    if (what.kind !== 'answered') throw new Error('All that is broken has returned.')
    // A create has asked for no id, so none is wrong.
    const shape = isCreate && what.body === 'wrong-id' ? 'good' : what.body
    record.status = view === undefined ? 422 : what.status
    if (view === undefined) return refuse(422, {})
    if (isTrue(shape, 'POST')) {
      record.acceptedAt = clock.now()
      if (shape === 'good') delivered.push({ at: clock.now(), method: 'POST', view })
    }
    return answer(what.status, shape, view)
  }

  async function get({ timeoutMs }: WireRequest, { what, delayMs }: Fate, signal: AbortSignal): Promise<WireResult> {
    const began = clock.now()
    const came = await pass(began + delayMs, began + timeoutMs, signal)
    if (came !== 'in-time') return failure(came, undefined, true)
    if (what.kind === 'broken') {
      const { cause, code, point } = BREAKS[what.how]
      return failure(cause, code, point !== 'before-sending')
    }
    const view = life.answerAt(began + delayMs / 2, true, schedule.lagsMs[reads++ % schedule.lagsMs.length])
    if (what.kind === 'refusal') return refuse(what.status, what)
    if (view === undefined) return refuse(404, {})
    if (isTrue(what.body, 'GET')) delivered.push({ at: clock.now(), method: 'GET', view })
    return answer(what.status, what.body, view)
  }

  const transport: Transport = async (request, signal) => {
    if (signal.aborted) return failure('cancelled', undefined, false)
    const fate = fates[request.method].next().value
    if (request.method === 'POST') return post(request, fate, signal)
    const result = await get(request, fate, signal)
    if (result.kind === 'failure') looks.push(`${result.cause} ${result.code ?? ''}`)
    else if (result.retryAfterMs !== undefined) requestedWaitsMs.push(result.retryAfterMs)
    if (result.kind !== 'failure') looks.push(result.status < 300 ? result.body : String(result.status))
    return result
  }
  return { transport, posts, delivered, looks, requestedWaitsMs }
}
