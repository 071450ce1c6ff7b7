/** Decides when a request to the service is retried, and turns failures into errors with hints. */
import { explainTlsFailures } from '../http/tls-failures.ts'
import type { Clock } from '../runtime/clock.ts'
import { ActionError, type ErrorCode, isTransient } from '../runtime/errors.ts'
import { formatTimeAfter } from '../runtime/heartbeat.ts'
import { formatUtc } from '../text/format.ts'
import type { Redact } from '../text/redact.ts'
import { oneLine } from '../text/untrusted.ts'
import { SERVICE_OPERATIONS, type OperationKind, type OperationTarget } from './interface.ts'
import { type Job, parseBody, readReason, errorBodySchema } from './schemas.ts'
import { isSuccess, type WireResponse, type WireFailure, type WireResult } from './transport.ts'

const MAX_QUOTE_CHARS = 300

/** An operation of the service for one project or job, with validated ids. */
export interface ServiceOperation extends OperationTarget {
  readonly kind: OperationKind
  /** Whether the input `job-id` named the job. Jobs can also come from comments and pull requests. */
  readonly isJobIdInput?: boolean
}

/** What to do after an attempt to send a prompt. */
export type PostDecision =
  /** The status is 2xx. The body must still prove that the service accepted the prompt. */
  | 'accepted'
  /** Nothing reached the service. Resend the prompt, a few times. */
  | 'again'
  /** The service did not process the prompt. Resend it after the wait that the service asks for. */
  | 'wait'
  /** Nothing was processed, and a retry would not help. */
  | 'stop'
  /** The prompt may have been processed. Never resend it. */
  | 'unknown'

/** `what` continues a sentence that begins with “The service”. */
type ErrorText = readonly [code: ErrorCode, what: string, hint: string]

const LATER = 'Try again later.'
const WRONG_URL = 'Check `base-url`: it may be the URL of something else.'
const CHECK_FIREWALL =
  "Check whether a firewall or proxy lets the runner's requests through to the service. Check `base-url`, too."
const CHECK_KEY = 'Check that the secret contains a valid admin API key of this project. Keys can expire.'

const CHECK_NETWORK = "Check the service's state, the runner's network and its proxy settings."
/** Returns the errors by status. Section 7 of the interface does not define which statuses there are. */
function listRefusals({
  kind,
  projectId,
  jobId,
  isJobIdInput = false,
}: ServiceOperation): Readonly<Record<number, ErrorText>> {
  const { sent = '', payment, tooLarge = WRONG_URL, scope, rateLimit } = SERVICE_OPERATIONS[kind].hints
  const target = jobId === undefined ? `project ${projectId}` : `job ${jobId} in project ${projectId}`
  const address = `\`project-id\`${isJobIdInput ? ', `job-id`' : ''} and \`base-url\``
  const checkScope = `Check the scope of the key (${scope}) and whether it is limited to certain IP addresses.`
  return {
    400: ['rejected', 'rejected the request', `Check ${sent}${address}.`],
    401: ['unauthorized', 'rejected the key', CHECK_KEY],
    402: ['rejected', 'requires payment', payment],
    403: ['forbidden', 'denied access to this key', checkScope],
    404: ['not-found', `did not find ${target}`, `Check ${address}.`],
    405: ['rejected', 'does not support this request', WRONG_URL],
    408: ['service-error', 'failed', LATER],
    410: ['not-found', `reports that ${target} no longer exists`, `Check ${address}.`],
    413: ['rejected', 'rejected the request because it is too large', tooLarge],
    414: ['rejected', 'rejected the request because its URL is too long', WRONG_URL],
    415: ['rejected', 'does not accept JSON here', WRONG_URL],
    422: ['rejected', 'cannot process the request', `Check ${sent}${address}.`],
    425: ['rate-limited', 'asked to retry later', LATER],
    426: ['rejected', 'requires another protocol', WRONG_URL],
    429: ['rate-limited', 'rate-limited the request', rateLimit],
    431: ['rejected', 'rejected the request because its headers are too large', CHECK_KEY],
    451: ['rejected', 'refused the request for legal reasons', 'Ask the provider of the service for the reason.'],
    501: ['service-error', 'does not support this request', WRONG_URL],
    505: ['service-error', 'does not support HTTP/1.1', WRONG_URL],
  }
}

/** Returns the hint for a response that may not come from the service. */
export function adviseOnAddress({ redirectHost }: WireResponse, redact: Redact): string {
  const redirect = redirectHost === undefined ? '' : ` It redirects to \`${redact(redirectHost)}\`.`
  return `Check \`base-url\`: a proxy or a login page may respond instead of the service.${redirect}`
}

/** Quotes the reason in a response of the service. Some services send errors with the status 200. */
export function quoteReason({ body }: WireResponse, redact: Redact): string | undefined {
  return oneLine(readReason(parseBody(errorBodySchema, body)), MAX_QUOTE_CHARS, redact) || undefined
}

/** The response is empty, or JSON that is not of the service's interface: unlike the page of a proxy, this does not pass. */
export class LastingResponseError extends ActionError {
  /** @param problem the end of a sentence */
  constructor(response: WireResponse, problem: string, redact: Redact) {
    super('invalid-response', `The service returned an invalid response (${response.status}): ${problem}.`, {
      hint: "Check `base-url`. If it is right, report the response to the service's provider.",
      quote: quoteReason(response, redact),
    })
  }
}

/**
 * Creates the error for a response that does not match the service's interface.
 * @param field names the invalid field of a JSON response
 */
export function createInvalidResponseError(response: WireResponse, redact: Redact, field?: string): ActionError {
  if (field !== undefined) return new LastingResponseError(response, `\`${field}\` is missing or invalid`, redact)
  if (response.body === '') return new LastingResponseError(response, 'it has no content', redact)
  return new ActionError('invalid-response', `The service returned an invalid response (${response.status}).`, {
    hint: adviseOnAddress(response, redact),
  })
}

const TLS = explainTlsFailures('the service', '`base-url`')

/** By cause: the decision for a prompt that was not sent, and the error. */
const FAILURES: Readonly<Record<WireFailure['cause'], readonly [PostDecision, ...ErrorText]>> = {
  'no-connection': [
    'again',
    'unreachable',
    'could not be reached',
    "Check `base-url`, the runner's network and its proxy settings.",
  ],
  untrusted: ['stop', 'untrusted', ...TLS.untrusted],
  'wrong-name': ['stop', 'untrusted', ...TLS['wrong-name']],
  expired: ['stop', 'untrusted', ...TLS.expired],
  'weak-certificate': ['stop', 'untrusted', ...TLS['weak-certificate']],
  'no-http-1.1': ['stop', 'untrusted', ...TLS['no-http-1.1']],
  'no-common-tls': ['stop', 'untrusted', ...TLS['no-common-tls']],
  'client-certificate': ['stop', 'untrusted', ...TLS['client-certificate']],
  'not-tls': ['stop', 'untrusted', ...TLS['not-tls']],
  'proxy-tls': [
    'stop',
    'proxy',
    'could not be reached, because there is no secure connection to the proxy',
    "Check the proxy's address and certificate. If it uses a private certificate authority, set the environment variable `NODE_EXTRA_CA_CERTS` to the path of its certificate.",
  ],
  'proxy-refused': [
    'stop',
    'proxy',
    'could not be reached, because the proxy refused the connection',
    'Check the address and the credentials in `HTTPS_PROXY` or `HTTP_PROXY`, the rules of the proxy, and `NO_PROXY`. A proxy that requires a login must accept Basic authentication.',
  ],
  invalid: [
    'stop',
    'rejected',
    'was not called, because the request cannot be sent',
    'Check `base-url` and the proxy settings.',
  ],
  timeout: ['stop', 'unreachable', 'did not respond in time', CHECK_NETWORK],
  cancelled: ['stop', 'cancelled', 'was not called again, because the run was cancelled', ''],
  'too-large': ['unknown', 'invalid-response', 'sent a response larger than 4 MiB', WRONG_URL],
  broken: ['unknown', 'unreachable', 'did not respond, because the connection was lost', CHECK_NETWORK],
}

const NOT_PROCESSED = new Set([425, 429])
const REJECTED = new Set([400, 401, 402, 403, 404, 405, 410, 413, 414, 415, 422, 426, 431, 451, 501, 505])

/**
 * Decides whether a prompt may be resent. A job costs credits and there is no idempotency key, so a resend needs proof
 * that nothing was processed: the class of the error, and that not one byte of the request was written. Gateways
 * respond with 5xx, 408 and 409 after they have forwarded a request, and a redirect can follow the creation of a job.
 * So these are `unknown`, like every status that is not listed. With TLS 1.3, a server requires a client certificate
 * only after the request was written, but before it reads the request.
 */
export function decidePost(result: WireResult): PostDecision {
  if (result.kind === 'failure')
    return result.sent && result.cause !== 'client-certificate' ? 'unknown' : FAILURES[result.cause][0]
  if (isSuccess(result)) return 'accepted'
  if (NOT_PROCESSED.has(result.status)) return 'wait'
  return REJECTED.has(result.status) ? 'stop' : 'unknown'
}

/** Creates the error for a failed request, with a hint. */
export function toServiceError(result: WireResult, operation: ServiceOperation, redact: Redact): ActionError {
  if (result.kind === 'failure') {
    const [, code, what, hint] = FAILURES[result.cause]
    const name = result.code === undefined ? '' : ` (${result.code})`
    return new ActionError(code, `The service ${what}${name}.`, { hint, cause: result.error })
  }
  const { status, body, retryAfterMs } = result
  const refusal = parseBody(errorBodySchema, body)
  const isFromService = refusal !== undefined || body.trim() === ''
  const byFirewall = `A firewall or proxy responded instead of the service (${status}).`
  if ([401, 403].includes(status) && !isFromService)
    return new ActionError('proxy', byFirewall, { hint: CHECK_FIREWALL })
  // The firewalls of some providers limit the addresses of GitHub's runners in this way (yihong0618/running_page#1110).
  if (status === 429 && !isFromService)
    return new ActionError('rate-limited', byFirewall, { hint: CHECK_FIREWALL, retryAfterMs, status })
  // A missing job is replaced by a new job, so only the service itself may report it: gateways have 404 pages, too.
  if (operation.kind === 'read' && [404, 410].includes(status) && refusal === undefined)
    return new ActionError('rejected', `The response does not come from the service's interface (${status}).`, {
      hint: adviseOnAddress(result, redact),
      status,
    })
  const isRedirect = status >= 300 && status < 400
  const unlisted: ErrorText = isRedirect
    ? ['redirected', 'redirects to another address, which is not followed', adviseOnAddress(result, redact)]
    : [status >= 500 ? 'service-error' : 'rejected', 'failed', LATER]
  const [code, what, hint] = listRefusals(operation)[status] ?? unlisted
  const quote = quoteReason(result, redact)
  return new ActionError(code, `The service ${what} (${status}).`, { hint, quote, retryAfterMs, status })
}

/** The wait if `Retry-After` is missing or in the past. */
const MIN_RATE_LIMIT_DELAY_MS = 1_000
const FIRST_JITTER_WINDOW_MS = 4_000
const MAX_JITTER_WINDOW_MS = 32_000

/**
 * Returns how many requests in a row were refused (429, 425), after one more result. Only a success resets the count.
 */
export function countRateLimits(refusals: number, result: WireResult): number {
  const decision = decidePost(result)
  if (decision === 'accepted') return 0
  return decision === 'wait' ? refusals + 1 : refusals
}

/** What a delay depends on besides the error. */
interface DelayFactors {
  /** How many requests of this step were refused in a row, including the last one. */
  readonly refusals: number
  /** The remaining time of the step, in milliseconds. It limits the jitter, but not `Retry-After`. */
  readonly leftMs: number
  /** From 0 to 1. */
  readonly random: number
}

/**
 * Returns the delay before a refused request is resent, in milliseconds: `Retry-After` plus full jitter in a window
 * that grows exponentially, so that steps that were refused together do not retry together.
 * `__tests__/model/many-steps.test.ts` measures these numbers.
 */
export function getRateLimitDelayMs(
  { retryAfterMs = 0 }: ActionError,
  { refusals, leftMs, random }: DelayFactors,
): number {
  const floorMs = Math.max(retryAfterMs, MIN_RATE_LIMIT_DELAY_MS)
  const windowMs = Math.min(FIRST_JITTER_WINDOW_MS * 2 ** (refusals - 1), MAX_JITTER_WINDOW_MS)
  return floorMs + Math.max(0, Math.min(windowMs, leftMs - floorMs)) * random
}

/** A failed gateway can ask for a wait of an hour, which says nothing about the job behind it. */
const MAX_REQUESTED_DELAY_MS = 60_000

/** Returns the wait that a failed service asks for, within limits: the last read is at the deadline. */
const getRequestedDelayMs = ({ retryAfterMs = 0 }: ActionError, leftMs: number): number =>
  Math.min(retryAfterMs, MAX_REQUESTED_DELAY_MS, leftMs)

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000

/**
 * Returns the delay before a failed request is retried, in milliseconds.
 * @param attempt the number of attempts so far
 */
export function getRetryDelayMs(error: ActionError, attempt: number, factors: DelayFactors): number {
  if (error.code === 'rate-limited') return getRateLimitDelayMs(error, factors)
  const { leftMs, random } = factors
  // With jitter, so that the jobs of a matrix do not retry at the same moment.
  const backOffMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS) * (0.75 + 0.5 * random)
  return Math.min(Math.max(backOffMs, getRequestedDelayMs(error, leftMs)), leftMs)
}

/** Returns whether the service requested a wait before the next request. Such a wait can be long. */
export const requiresWait = ({ code, retryAfterMs = 0 }: ActionError): boolean =>
  code === 'rate-limited' || retryAfterMs > 0

/** Formats when a failed request is retried, with the time of day if the service requested the wait. */
export function formatRetryTime(error: ActionError, delayMs: number, clock: Clock): string {
  const delay = `in ${Math.ceil(delayMs / 1000)} s`
  return requiresWait(error) ? `${delay}, at ${formatTimeAfter(delayMs, clock)}` : delay
}

/**
 * Returns the error with the time from which the service allows a retry, which helps to plan the next run.
 * @param deadlineAt the step's deadline; an earlier retry would leave too little time for its response
 */
export function namingTheTime(error: ActionError, clock: Clock, deadlineAt: number): ActionError {
  const { code, message, hint, quote, retryAfterMs } = error
  if (retryAfterMs === undefined) return error
  const retryAt = new Date(Math.ceil((clock.wallTime().getTime() + retryAfterMs) / 1000) * 1000)
  const why =
    clock.now() + retryAfterMs > deadlineAt
      ? "which is after this step's deadline"
      : "which leaves too little time for a response before this step's deadline"
  const text = `${message} It asks to wait until ${formatUtc(retryAt)} UTC, ${why}.`
  return new ActionError(code, text, { cause: error, hint, quote, retryAfterMs })
}

/**
 * Returns the minimum wait before the next read, in milliseconds: as long as a rate limit asks for, and at most a minute after
 * any other failure.
 * @throws ActionError the error itself, with the time, if the wait for a rate limit would pass the deadline
 */
export function maxRetryAfterMs(error: ActionError, clock: Clock, deadlineAt: number): number {
  const { code, retryAfterMs = 0 } = error
  const leftMs = deadlineAt - clock.now()
  if (code !== 'rate-limited') return getRequestedDelayMs(error, leftMs)
  if (retryAfterMs > leftMs) throw namingTheTime(error, clock, deadlineAt)
  return retryAfterMs
}

/**
 * Reads once. Returns a transient error, because a read can be repeated.
 * @throws ActionError if another read would not help
 */
export async function orTransientError<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | ActionError> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    signal.throwIfAborted()
    if (isTransient(error)) return error
    throw error
  }
}

/** The exceptions to the rule for a job that this step has not read yet. */
export interface MissingJob {
  /** Until this timestamp, a 404 means that the job does not exist yet. */
  readonly mayBeMissingUntil?: number | undefined
  /** Even before the first successful read, a 404 ends the wait only if further reads confirm it. */
  readonly confirmsMissing?: boolean | undefined
}

/**
 * Reads a job once. Returns an error that does not end the wait for the job.
 * @throws ActionError if the wait for the job ends
 */
export type TryReadJob = (jobId: string, read: () => Promise<Job>, missing?: MissingJob) => Promise<Job | ActionError>

/** After a successful read, this many other responses in a row end the wait. */
const MIN_CONFIRMATIONS = 3
/** The minimum time between the first and the last of them. */
const MIN_CONFIRMATION_MS = 20_000

const isMissing = ({ status }: ActionError): boolean => status === 404 || status === 410

/**
 * Decides which failed reads end the wait for a job. Transient errors never do. Any other error can come from a gateway
 * that is being deployed, a proxy or a replica: after this step has read the job, it counts only if it is confirmed.
 * Create one for the whole step.
 */
export function createTryReadJob(clock: Pick<Clock, 'now'>, signal: AbortSignal): TryReadJob {
  const jobsRead = new Set<string>()
  /** When the current series of failures that are not transient began, and its length. */
  let series: { readonly jobId: string; readonly sinceMs: number; readonly count: number } | undefined
  return async (jobId, read, { mayBeMissingUntil = -Infinity, confirmsMissing = false } = {}) => {
    const now = clock.now()
    try {
      const result = await orTransientError(read, signal)
      if (!(result instanceof ActionError)) jobsRead.add(jobId)
      series = undefined
      return result
    } catch (error) {
      if (!(error instanceof ActionError) || signal.aborted) throw error
      if (isMissing(error) && now < mayBeMissingUntil) {
        series = undefined
        return error
      }
      const before = series?.jobId === jobId ? series : { jobId, sinceMs: now, count: 0 }
      series = { ...before, count: before.count + 1 }
      const isConfirmed = series.count >= MIN_CONFIRMATIONS && now - series.sinceMs >= MIN_CONFIRMATION_MS
      const needsConfirmation = jobsRead.has(jobId) || (confirmsMissing && isMissing(error))
      if (isConfirmed || !needsConfirmation) throw error
      return error
    }
  }
}
