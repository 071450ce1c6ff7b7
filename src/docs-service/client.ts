import type * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { sleepWithProgress } from '../runtime/heartbeat.ts'
import { joinSentences } from '../text/format.ts'
import type { Redact } from '../text/redact.ts'
import {
  adviseOnAddress,
  badAnswer,
  countRefusals,
  decidePost,
  errorOfResult,
  formatRetryTime,
  getRetryDelayMs,
  namingTheTime,
  type Operation,
} from './retry.ts'
import { acceptedJobSchema, type Job, jobWithId, parseBody, type VisitorsPage, visitorsPageSchema } from './schemas.ts'
import { isSuccess, type Transport, type WireAnswer, type WireResult } from './transport.ts'

export interface VisitorsQuery {
  /** Inclusive, `YYYY-MM-DD` or ISO 8601. */
  readonly dateFrom?: string
  /** Exclusive, `YYYY-MM-DD` or ISO 8601. */
  readonly dateTo?: string
  /** Rows a page, 1 to 250. */
  readonly limit?: number
  /** Rows to skip. */
  readonly offset?: number
}

/** One method per operation of the service's interface. All of them throw `ActionError` and nothing else. */
export interface DocsServiceClient {
  /**
   * Section 4.1. Sends the prompt again only where nothing of it was processed.
   * @throws ActionError `unknown-fate` if a job may exist although no answer proves it
   */
  createJob(prompt: string): Promise<Job>
  /**
   * Section 4.2. As `createJob`.
   * @param beforeAgain after the wait, before the prompt is sent again: what it throws ends the sending
   */
  sendMessage(jobId: string, prompt: string, beforeResend?: () => Promise<void>): Promise<Job>
  /**
   * Section 4.3. One attempt: whoever polls decides what a failed read means.
   * @param endsAt when the answer is of no use any more, on the clock's scale; by default the deadline
   */
  getJob(jobId: string, endsAt?: number): Promise<Job>
  /** Section 4.4. One attempt, one page. */
  getVisitors(query: VisitorsQuery): Promise<VisitorsPage>
  /** How many requests of the step were refused (429, 425) in a row, up to now. */
  refusals(): number
}

interface ClientOptions extends Omit<PromptSender, 'refusals' | 'totalMs'> {
  readonly projectId: string
  /** The input `job-id`; undefined if it was not given. */
  readonly jobId?: string | undefined
  /** For the log of a run in debug mode. */
  readonly debug: (line: string) => void
}

const READ_TIMEOUT_MS = 30_000
/** The last look at a job starts at the deadline, and has to end soon. */
const LAST_READ_GRACE_MS = 1_000

function describeResult(result: WireResult): string {
  if (result.kind === 'answer') return `${result.status}, ${Buffer.byteLength(result.body)} bytes`
  const code = result.code === undefined ? '' : ` (${result.code})`
  return `${result.cause}${code}, ${result.sent ? 'after it was sent' : 'not sent'}`
}

export function createClient(options: ClientOptions): DocsServiceClient {
  const { projectId, jobId: givenJobId, clock, redact, signal, deadlineAt, debug } = options
  const jobsPath = `/v2/agent/${projectId}/job`
  const isJobIdInput = givenJobId !== undefined
  let refusals = 0
  const transport: Transport = async (request, signal) => {
    const startedAt = clock.now()
    const result = await options.transport(request, signal)
    refusals = countRefusals(refusals, result)
    const tookMs = Math.round(clock.now() - startedAt)
    // No header and no body.
    debug(`${request.method} ${request.path}: ${describeResult(result)}, in ${tookMs} ms.`)
    return result
  }
  const totalMs = deadlineAt - clock.now()
  const sender = { ...options, transport, totalMs, refusals: () => refusals }

  async function read<T>(operation: Operation, schema: z.ZodMiniType<T>, endsAt = deadlineAt): Promise<T> {
    const leftMs = endsAt - clock.now() + LAST_READ_GRACE_MS
    const timeoutMs = Math.max(LAST_READ_GRACE_MS, Math.min(READ_TIMEOUT_MS, leftMs))
    const result = await transport({ method: 'GET', path: operation.path, timeoutMs }, signal)
    if (result.kind === 'failure' || !isSuccess(result)) throw errorOfResult(result, operation, redact)
    const data = parseBody(schema, result.body)
    if (data === undefined) throw badAnswer(result, redact)
    return data
  }

  return {
    refusals: sender.refusals,
    createJob: (prompt) => sendPrompt(sender, { kind: 'create', projectId, path: jobsPath }, prompt),
    sendMessage: (jobId, prompt, beforeResend) => {
      const path = `${jobsPath}/${jobId}/message`
      return sendPrompt(sender, { kind: 'message', projectId, jobId, isJobIdInput, path }, prompt, beforeResend)
    },
    getJob: (jobId, endsAt) => {
      const path = `${jobsPath}/${jobId}`
      return read({ kind: 'read', projectId, jobId, isJobIdInput, path }, jobWithId(jobId), endsAt)
    },
    getVisitors: (query) => {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) search.set(name, String(value))
      const path = `/v1/analytics/${projectId}/visitors?${search.toString()}`
      return read({ kind: 'visitors', projectId, path }, visitorsPageSchema)
    },
  }
}

interface PromptSender {
  readonly transport: Transport
  readonly clock: Clock
  readonly redact: Redact
  readonly signal: AbortSignal
  /** On the clock's own scale, in milliseconds: no request outlives it by more than the grace of the last read. */
  readonly deadlineAt: number
  /** The time from the step's start to its deadline, in milliseconds. */
  readonly totalMs: number
  readonly random: () => number
  readonly log: (line: string) => void
  /** How many requests of the step were refused in a row. */
  readonly refusals: () => number
}

/** A prompt that could not be delivered is tried this often in all. */
const MAX_ATTEMPTS = 3
const POST_TIMEOUT_MS = 60_000
/** The time that a prompt leaves for its response, in milliseconds; if less, a share of the step's time. */
const RESPONSE_MS = 10_000
const RESPONSE_SHARE = 1 / 10
/** A cancelled run waits this long for the answer to a prompt that is on its way, to learn the job's id. */
const CANCEL_GRACE_MS = 1_000

const UNKNOWN_FATE_HINT =
  "Before you run the step again, look for the job on the service's dashboard, or for its pull request in the documentation's repository."

/** "Try again later" would be a second job, so of what an error advises only a wrong address is passed on. */
function mayHaveTaken(cause: ActionError): ActionError {
  const { code, message, hint, quote } = cause
  const advice = code === 'redirected' || code === 'bad-answer' ? hint : undefined
  const text = `It is not known whether the service accepted the prompt: the job may exist. ${message}`
  return new ActionError('unknown-fate', text, { hint: joinSentences([UNKNOWN_FATE_HINT, advice]), quote, cause })
}

/** Nothing was contacted, so that the step ran out of time and no more. */
function nothingSentInTime(cause: ActionError): ActionError {
  const { message, hint } = cause
  const text = `The deadline passed before the prompt could be sent. ${message}`
  return new ActionError('deadline', text, { hint, cause })
}

/** A prompt without a response would leave a job behind that nobody knows. */
function noTimeForResponse(): ActionError {
  const text = 'The prompt was not sent: too little time was left for its response before the deadline.'
  return new ActionError('deadline', text, { hint: 'Increase `timeout-minutes`.' })
}

/** A prompt on its way is not dropped the moment a run is cancelled: its answer names the job that now runs. */
async function sendPatiently(path: string, body: string, sender: PromptSender): Promise<WireResult> {
  const { transport, clock, signal, deadlineAt } = sender
  const timeoutMs = Math.max(0, Math.min(POST_TIMEOUT_MS, deadlineAt - clock.now()))
  const end = new AbortController()
  const giveUp = async (): Promise<void> => {
    await clock.sleep(CANCEL_GRACE_MS, end.signal)
    end.abort(signal.reason)
  }
  signal.addEventListener('abort', () => void giveUp().catch(() => undefined), { once: true, signal: end.signal })
  try {
    return await transport({ method: 'POST', path, body, timeoutMs }, end.signal)
  } finally {
    end.abort()
  }
}

/** The job that an answer tells of, be it the one that was asked. */
function accept(answer: WireAnswer, { jobId }: Operation, redact: Redact): Job {
  const job = parseBody(acceptedJobSchema, answer.body)
  if (job !== undefined && (jobId === undefined || job.id === jobId)) return job
  const text = `The service responded with ${answer.status} but without a valid job ID.`
  throw mayHaveTaken(new ActionError('bad-answer', text, { hint: adviseOnAddress(answer, redact) }))
}

/** Creates a job or sends a message, as `DocsServiceClient` says. */
async function sendPrompt(
  sender: PromptSender,
  operation: Operation,
  prompt: string,
  beforeResend?: () => Promise<void>,
): Promise<Job> {
  const { clock, redact, signal, deadlineAt, random, log, refusals } = sender
  const body = JSON.stringify({ prompt })
  const responseMs = Math.min(RESPONSE_MS, sender.totalMs * RESPONSE_SHARE)
  const getTimeToSendMs = (): number => deadlineAt - responseMs - clock.now()
  for (let attempt = 1; ; attempt++) {
    // A signal of the process is heard only when the loop turns, and a prompt that was sent cannot be taken back.
    await clock.turn()
    signal.throwIfAborted()
    if (getTimeToSendMs() < 0) throw noTimeForResponse()
    const result = await sendPatiently(operation.path, body, sender)
    const decision = decidePost(result)
    if (decision === 'accepted') return accept(result as WireAnswer, operation, redact)
    const error = errorOfResult(result, operation, redact)
    if (decision === 'unknown') throw mayHaveTaken(error)
    const leftMs = deadlineAt - clock.now()
    const isTimeout = result.kind === 'failure' && result.cause === 'timeout'
    if (decision === 'stop') throw isTimeout && leftMs < 1 ? nothingSentInTime(error) : error
    if (decision === 'again' && attempt >= MAX_ATTEMPTS) throw error
    const timeToSendMs = getTimeToSendMs()
    const delayMs = getRetryDelayMs(error, attempt, { refusals: refusals(), leftMs: timeToSendMs, random: random() })
    if (delayMs >= timeToSendMs) throw decision === 'again' ? nothingSentInTime(error) : namingTheTime(error, clock)
    const when = formatRetryTime(error, delayMs, clock)
    log(`${describeError(error)} Nothing was processed; sending the prompt again ${when}.`)
    await sleepWithProgress(delayMs, sender)
    await beforeResend?.()
  }
}
