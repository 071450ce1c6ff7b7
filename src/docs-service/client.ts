/** Sends prompts and reads jobs and visitors: the client of the documentation service. */
import type * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { ActionError } from '../runtime/errors.ts'
import { joinSentences } from '../text/format.ts'
import type { Redact } from '../text/redact.ts'
import { toPromptBody, toRequest, type VisitorsPage, visitorsPage, type VisitorsQuery } from './interface.ts'
import {
  adviseOnAddress,
  createInvalidResponseError,
  countRateLimits,
  decidePost,
  toServiceError,
  getRetryDelayMs,
  namingTheTime,
  quoteReason,
  type ServiceOperation,
} from './retry.ts'
import { acceptedJobSchema, type Job, createJobSchema, findInvalidField, parseBody } from './schemas.ts'
import { isSuccess, type Transport, type WireResponse, type WireResult } from './transport.ts'

/** The prompt was not processed, and can be resent. */
export interface Retry {
  readonly kind: 'retry'
  /** The delay before the retry, in milliseconds. */
  readonly afterMs: number
  /** Why it was not processed. */
  readonly error: ActionError
}

/** The result of one attempt to send a prompt. */
export type Delivery =
  | { readonly kind: 'accepted'; readonly job: Job }
  | Retry
  /** The service may have accepted the prompt, although no response proves it. The prompt must not be resent. */
  | { readonly kind: 'delivery-unknown'; readonly error: ActionError }

/** The operations of the service's interface. Each sends one request, and throws `ActionError` only. */
export interface DocsServiceClient {
  /**
   * Creates a job (section 4.1).
   * @param attempt counts the attempts to send this prompt, from 1
   * @throws ActionError if the prompt was not processed, and resending it would not help
   */
  createJob(prompt: string, attempt?: number): Promise<Delivery>
  /** Sends a follow-up to a job (section 4.2), in the same way as `createJob`. */
  sendMessage(jobId: string, prompt: string, attempt?: number): Promise<Delivery>
  /**
   * Reads a job (section 4.3). The caller decides what a failed read means.
   * @param endsAt the timestamp after which the response is useless, by default the deadline
   */
  getJob(jobId: string, endsAt?: number): Promise<Job>
  /** Reads one page of visitors (section 4.4). */
  getVisitors(query: VisitorsQuery): Promise<VisitorsPage>
  /** Returns how many requests of the step have been refused (429, 425) in a row. */
  rateLimitsInARow(): number
}

interface ClientOptions extends Omit<PromptSender, 'getRefusalCount' | 'getUnreachableSince' | 'totalMs'> {
  readonly projectId: string
  /** The input `job-id`. Undefined if it is not set. */
  readonly jobId?: string | undefined
  /** Writes to the debug log. */
  readonly debug: (line: string) => void
}

const READ_TIMEOUT_MS = 30_000
/** Analytics of a long range can take minutes to compute (gravitee-io/issues#1920, keolo/mixpanel_client#49). */
const VISITORS_TIMEOUT_MS = 120_000
/** The last read of a job starts at the deadline, and must end soon after it. */
const LAST_READ_GRACE_MS = 1_000

function describeResult(result: WireResult): string {
  if (result.kind === 'response') return `${result.status}, ${Buffer.byteLength(result.body)} bytes`
  const code = result.code === undefined ? '' : ` (${result.code})`
  return `${result.cause}${code}, ${result.sent ? 'after it was sent' : 'not sent'}`
}

export function createClient(options: ClientOptions): DocsServiceClient {
  const { projectId, jobId: givenJobId, clock, redact, signal, deadlineAt, debug } = options
  const isJobIdInput = givenJobId !== undefined
  let refusalCount = 0
  /** When the first of the latest prompts in a row that did not reach the service was sent. */
  let unreachableSince: number | undefined
  const transport: Transport = async (request, signal) => {
    const startedAt = clock.now()
    const result = await options.transport(request, signal)
    refusalCount = countRateLimits(refusalCount, result)
    if (request.method === 'POST')
      unreachableSince = decidePost(result) === 'again' ? (unreachableSince ?? startedAt) : undefined
    const tookMs = Math.round(clock.now() - startedAt)
    // Headers and bodies are never logged.
    debug(`${request.method} ${request.path}: ${describeResult(result)}, in ${tookMs} ms.`)
    return result
  }
  const totalMs = deadlineAt - clock.now()
  const sender = {
    ...options,
    transport,
    totalMs,
    getRefusalCount: () => refusalCount,
    getUnreachableSince: () => unreachableSince,
  }

  async function read<T>(operation: ServiceOperation, schema: z.ZodMiniType<T>, endsAt = deadlineAt): Promise<T> {
    const leftMs = endsAt - clock.now() + LAST_READ_GRACE_MS
    const maxMs = operation.kind === 'visitors' ? VISITORS_TIMEOUT_MS : READ_TIMEOUT_MS
    const timeoutMs = Math.max(LAST_READ_GRACE_MS, Math.min(maxMs, leftMs))
    const result = await transport({ ...toRequest(operation), timeoutMs }, signal)
    if (result.kind === 'failure' || !isSuccess(result)) throw toServiceError(result, operation, redact)
    const data = parseBody(schema, result.body)
    if (data === undefined) throw createInvalidResponseError(result, redact, findInvalidField(schema, result.body))
    return data
  }

  return {
    rateLimitsInARow: sender.getRefusalCount,
    createJob: (prompt, attempt) => sendPrompt(sender, { kind: 'create', projectId }, prompt, attempt),
    sendMessage: (jobId, prompt, attempt) =>
      sendPrompt(sender, { kind: 'message', projectId, jobId, isJobIdInput }, prompt, attempt),
    getJob: (jobId, endsAt) => read({ kind: 'read', projectId, jobId, isJobIdInput }, createJobSchema(jobId), endsAt),
    getVisitors: (query) => read({ kind: 'visitors', projectId, query }, visitorsPage),
  }
}

interface PromptSender {
  readonly transport: Transport
  readonly clock: Clock
  readonly redact: Redact
  readonly signal: AbortSignal
  /** A timestamp of `clock.now()`. Requests end by then, and reads at most one second later. */
  readonly deadlineAt: number
  /** The time from the step's start to its deadline, in milliseconds. */
  readonly totalMs: number
  readonly random: () => number
  readonly getRefusalCount: () => number
  readonly getUnreachableSince: () => number | undefined
}

/** A prompt that does not reach the service is resent for this long: the network of a new runner can be late. */
const UNREACHABLE_TIMEOUT_MS = 60_000
/** Limits the back-off: later attempts are about eight seconds apart. */
const MAX_BACK_OFF_ATTEMPT = 4
/** A prompt is never resent after a timeout, so an earlier end would only lose the id of its job. */
const POST_TIMEOUT_MS = 300_000
/**
 * A prompt is sent only if this much time is left for its response. A short step reserves a share of its time instead.
 */
const RESPONSE_RESERVE_MS = 10_000
const RESPONSE_RESERVE_SHARE = 1 / 10
/** A cancelled run waits this long for the response to a prompt, which contains the job's id. */
const CANCEL_GRACE_MS = 1_000

/** For a new job. */
export const UNKNOWN_DELIVERY_HINT =
  "Before you run the step again, look for the job in the service's dashboard, or for its pull request in the documentation's repository."

/** For a follow-up. It does not advise attaching: a step that attaches could report the preceding turn. */
export const CHECK_BEFORE_RESENDING =
  "Look at the job in the service's dashboard before you send the prompt again: the agent may still start on it."

/** Keeps a hint only if it is about the base URL: “Try again later” could create a second job. */
function createUnknownDeliveryError(cause: ActionError, { kind }: ServiceOperation): ActionError {
  const { code, message, hint, quote } = cause
  const advice = code === 'redirected' || code === 'invalid-response' ? hint : undefined
  const [consequence, look] =
    kind === 'message'
      ? ['the agent may be working on it', CHECK_BEFORE_RESENDING]
      : ['the job may exist', UNKNOWN_DELIVERY_HINT]
  const text = `It is not known whether the service accepted the prompt: ${consequence}. ${message}`
  return new ActionError('maybe-sent', text, { hint: joinSentences([look, advice]), quote, cause })
}

/** For a prompt that never reached the service. */
function createDeadlineError(cause: ActionError): ActionError {
  const { message, hint } = cause
  const text = `The deadline passed before the prompt could be sent. ${message}`
  return new ActionError('deadline', text, { hint, cause })
}

/** Sends a prompt once. If the run is cancelled, waits a moment for the response, which contains the job's id. */
async function sendWithCancelGrace(
  operation: ServiceOperation,
  prompt: string,
  sender: PromptSender,
): Promise<WireResult> {
  const { transport, clock, signal, deadlineAt } = sender
  const timeoutMs = Math.max(0, Math.min(POST_TIMEOUT_MS, deadlineAt - clock.now()))
  const end = new AbortController()
  const abortAfterGrace = async (): Promise<void> => {
    await clock.sleep(CANCEL_GRACE_MS, end.signal)
    end.abort(signal.reason)
  }
  signal.addEventListener('abort', () => void abortAfterGrace().catch(() => undefined), {
    once: true,
    signal: end.signal,
  })
  try {
    return await transport({ ...toRequest(operation), body: toPromptBody(prompt), timeoutMs }, end.signal)
  } finally {
    end.abort()
  }
}

/** Returns the job of a successful response. For a follow-up, it must be the same job. */
function parseAcceptedJob(response: WireResponse, operation: ServiceOperation, redact: Redact): Delivery {
  const { jobId } = operation
  const job = parseBody(acceptedJobSchema, response.body)
  if (job !== undefined && (jobId === undefined || job.id === jobId)) return { kind: 'accepted', job }
  const text = `The service responded with ${response.status} but without a valid job ID.`
  const quote = quoteReason(response, redact)
  const hint = quote === undefined ? adviseOnAddress(response, redact) : undefined
  const cause = new ActionError('invalid-response', text, { hint, quote })
  return { kind: 'delivery-unknown', error: createUnknownDeliveryError(cause, operation) }
}

/** Creates a job or sends a follow-up. Returns `retry` if `decidePost` allows to resend the prompt. */
async function sendPrompt(
  sender: PromptSender,
  operation: ServiceOperation,
  prompt: string,
  attempt = 1,
): Promise<Delivery> {
  const { clock, redact, signal, deadlineAt, random, getRefusalCount, getUnreachableSince } = sender
  const reserveMs = Math.min(RESPONSE_RESERVE_MS, sender.totalMs * RESPONSE_RESERVE_SHARE)
  const getTimeToSendMs = (): number => deadlineAt - reserveMs - clock.now()
  // Process signals are handled only when the event loop runs, and a prompt cannot be taken back.
  await clock.yieldToEventLoop()
  signal.throwIfAborted()
  if (getTimeToSendMs() < 0) {
    // Without its response, a prompt would create a job with an unknown id.
    const text = 'The prompt was not sent: too little time was left for its response before the deadline.'
    throw new ActionError('deadline', text, { hint: 'Increase `timeout-minutes`.' })
  }
  const result = await sendWithCancelGrace(operation, prompt, sender)
  const decision = decidePost(result)
  if (decision === 'accepted') return parseAcceptedJob(result as WireResponse, operation, redact)
  const error = toServiceError(result, operation, redact)
  if (decision === 'unknown') return { kind: 'delivery-unknown', error: createUnknownDeliveryError(error, operation) }
  const leftMs = deadlineAt - clock.now()
  const isTimeout = result.kind === 'failure' && result.cause === 'timeout'
  if (decision === 'stop') throw isTimeout && leftMs < 1 ? createDeadlineError(error) : error
  const resendingEndsAt = (getUnreachableSince() ?? Infinity) + UNREACHABLE_TIMEOUT_MS
  const resendingLeftMs = resendingEndsAt - clock.now()
  if (resendingLeftMs <= 0) throw error
  const timeToSendMs = getTimeToSendMs()
  const factors = {
    refusals: getRefusalCount(),
    leftMs: Math.min(timeToSendMs, resendingLeftMs),
    random: random(),
  }
  const afterMs = getRetryDelayMs(error, Math.min(attempt, MAX_BACK_OFF_ATTEMPT), factors)
  if (afterMs >= timeToSendMs)
    throw decision === 'again' ? createDeadlineError(error) : namingTheTime(error, clock, deadlineAt)
  return { kind: 'retry', afterMs, error }
}
