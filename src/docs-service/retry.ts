import type { Clock } from '../runtime/clock.ts'
import { ActionError, type ErrorCode } from '../runtime/errors.ts'
import { formatTimeAfter } from '../runtime/heartbeat.ts'
import { formatUtc } from '../text/format.ts'
import type { Redact } from '../text/redact.ts'
import { oneLine } from '../text/untrusted.ts'
import { parseBody, refusalSchema } from './schemas.ts'
import { isSuccess, type WireAnswer, type WireFailure, type WireResult } from './transport.ts'

const MAX_QUOTE = 300

/** What is asked of the service (section 4 of its interface). The ids were checked. */
export interface Operation {
  readonly kind: 'create' | 'message' | 'read' | 'visitors'
  readonly projectId: string
  /** Of a message or a read. */
  readonly jobId?: string
  /** Whether the input `job-id` named the job. Comments and pull requests name jobs, too. */
  readonly isJobIdInput?: boolean
  /** Below the base address, beginning with `/`. */
  readonly path: string
}

/** What may be done about one attempt to send a prompt. */
export type PostDecision =
  /** The service answered that it took the prompt; whether it did is for the answer's body to prove. */
  | 'accepted'
  /** Nothing reached the service: send it again, a few times. */
  | 'again'
  /** The service did not process it: send it again once it asks for no more patience. */
  | 'wait'
  /** Nothing was processed, and trying again would change nothing. */
  | 'stop'
  /** It may have been processed: never again. */
  | 'unknown'

/** What became of a request, behind "The service", and what to do about it. */
type Words = readonly [code: ErrorCode, what: string, hint: string]

const LATER = 'Try again later.'
const WRONG_ADDRESS = 'Check `base-url`: it may be the URL of something else.'
const CHECK_KEY = 'Check that the secret contains a valid admin API key of this project. Keys can expire.'

const PROMPT = {
  sent: 'the prompt, ',
  payment: "Check the plan and the credits on the service's dashboard.",
  tooLarge: 'Shorten the prompt.',
}
const READ = { sent: '', payment: "Check the plan on the service's dashboard.", tooLarge: WRONG_ADDRESS }
/** `sent` is what the service may not like in the request, besides its address. */
const ADVICE = {
  create: { ...PROMPT, scope: 'a new job needs write access', patience: 'Try again later, or start fewer jobs.' },
  message: { ...PROMPT, scope: 'a follow-up needs write access', patience: 'Try again later, or send fewer prompts.' },
  read: {
    ...READ,
    scope: 'it must be able to read jobs',
    patience: 'Try again later, or increase `poll-interval-seconds`.',
  },
  visitors: {
    ...READ,
    sent: '`date-from`, `date-to`, ',
    scope: 'it must be able to read analytics',
    patience:
      'Run it later, increase `timeout-minutes`, or export fewer days. Each 250 pages of a site take one request.',
  },
}

/** By status: section 7 of the interface leaves open which there are. */
function listRefusals({ kind, projectId, jobId, isJobIdInput = false }: Operation): Readonly<Record<number, Words>> {
  const { sent, payment, tooLarge, scope, patience } = ADVICE[kind]
  const asked = jobId === undefined ? `project ${projectId}` : `job ${jobId} in project ${projectId}`
  const address = `\`project-id\`${isJobIdInput ? ', `job-id`' : ''} and \`base-url\``
  const checkScope = `Check the scope of the key (${scope}) and whether it is limited to certain IP addresses.`
  return {
    400: ['rejected', 'rejected the request', `Check ${sent}${address}.`],
    401: ['unauthorized', 'rejected the key', CHECK_KEY],
    402: ['rejected', 'requires payment', payment],
    403: ['forbidden', 'denied access to this key', checkScope],
    404: ['not-found', `did not find ${asked}`, `Check ${address}.`],
    405: ['rejected', 'does not support this request', WRONG_ADDRESS],
    408: ['service-error', 'failed', LATER],
    413: ['rejected', 'rejected the request because it is too large', tooLarge],
    415: ['rejected', 'does not accept JSON here', WRONG_ADDRESS],
    422: ['rejected', 'cannot process the request', `Check ${sent}${address}.`],
    425: ['rate-limited', 'asked to retry later', LATER],
    429: ['rate-limited', 'rate-limited the request', patience],
  }
}

/** What to do where something else than the service may have answered. */
export function adviseOnAddress({ redirectHost }: WireAnswer, redact: Redact): string {
  const leadsTo = redirectHost === undefined ? '' : ` It redirects to \`${redact(redirectHost)}\`.`
  return `Check \`base-url\`: a proxy or a login page may respond instead of the service.${leadsTo}`
}

/** An answer that the service's interface does not know. */
export function badAnswer(answer: WireAnswer, redact: Redact): ActionError {
  return new ActionError('bad-answer', `The service returned an invalid response (${answer.status}).`, {
    hint: adviseOnAddress(answer, redact),
  })
}

const CHECK_NETWORK = "Check the service's state, the runner's network and its proxy settings."

/** By cause: what to do with a prompt of which nothing was sent, then the words. */
const FAILURES: Readonly<Record<WireFailure['cause'], readonly [PostDecision, ...Words]>> = {
  'no-connection': [
    'again',
    'unreachable',
    'could not be reached',
    "Check `base-url`, the runner's network and its proxy settings.",
  ],
  untrusted: [
    'stop',
    'untrusted',
    'could not be reached, because its certificate is not trusted',
    'If the service uses a private certificate authority, set the environment variable `NODE_EXTRA_CA_CERTS` to the path of its certificate.',
  ],
  'not-tls': [
    'stop',
    'untrusted',
    'could not be reached, because the server at this address does not use TLS',
    'Check the port in `base-url`: it serves plain `http:` or another protocol, not `https:`.',
  ],
  'proxy-refused': [
    'stop',
    'proxy',
    'could not be reached, because the proxy refused the connection',
    'Check the address and the credentials in `HTTPS_PROXY` or `HTTP_PROXY`, and `NO_PROXY`.',
  ],
  invalid: [
    'stop',
    'rejected',
    'was not called, because the request cannot be sent',
    'Check `base-url` and the proxy settings.',
  ],
  timeout: ['stop', 'unreachable', 'did not respond in time', CHECK_NETWORK],
  cancelled: ['stop', 'cancelled', 'was not called again, because the run was cancelled', ''],
  'too-large': ['unknown', 'bad-answer', 'sent a response larger than 4 MiB', WRONG_ADDRESS],
  broken: ['unknown', 'unreachable', 'did not respond, because the connection was lost', CHECK_NETWORK],
}

const NOT_PROCESSED = new Set([425, 429])
const REJECTED = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422])

/**
 * Whether a prompt may be sent again. A job costs credits and there is no idempotency key, so "again" needs proof that
 * nothing was processed: the class of the error *and* that not one byte of the request was written. Gateways answer 5xx,
 * 408 and 409 after they have forwarded a request, and a redirect may follow a job that was created, so all these are
 * unknown, as is everything that is not listed.
 */
export function decidePost(result: WireResult): PostDecision {
  if (result.kind === 'failure') return result.sent ? 'unknown' : FAILURES[result.cause][0]
  if (isSuccess(result)) return 'accepted'
  if (NOT_PROCESSED.has(result.status)) return 'wait'
  return REJECTED.has(result.status) ? 'stop' : 'unknown'
}

/** Why what was asked was not done, and what to do about it. */
export function errorOfResult(result: WireResult, operation: Operation, redact: Redact): ActionError {
  if (result.kind === 'failure') {
    const [, code, what, hint] = FAILURES[result.cause]
    const name = result.code === undefined ? '' : ` (${result.code})`
    return new ActionError(code, `The service ${what}${name}.`, { hint, cause: result.error })
  }
  const { status, body, retryAfterMs } = result
  const said = parseBody(refusalSchema, body)
  // That a job is gone is what another job begins on, and gateways have pages for what they do not find.
  if (operation.kind === 'read' && status === 404 && said === undefined) return badAnswer(result, redact)
  const isRedirect = status >= 300 && status < 400
  const unlisted: Words = isRedirect
    ? ['redirected', 'redirects to another address, which is not followed', adviseOnAddress(result, redact)]
    : [status >= 500 ? 'service-error' : 'rejected', 'failed', LATER]
  const [code, what, hint] = listRefusals(operation)[status] ?? unlisted
  const quote = oneLine(said?.error ?? '', MAX_QUOTE, redact) || undefined
  return new ActionError(code, `The service ${what} (${status}).`, { hint, quote, retryAfterMs })
}

/** A service that names no time, or a time in the past, is left alone this long. */
const MIN_RATE_LIMIT_DELAY_MS = 1_000
const FIRST_JITTER_WINDOW_MS = 4_000
const MAX_JITTER_WINDOW_MS = 32_000

/** How many requests in a row the service refused (429, 425), after one more result. Neither a failure nor another status ends the row. */
export function countRefusals(refusals: number, result: WireResult): number {
  const decision = decidePost(result)
  if (decision === 'accepted') return 0
  return decision === 'wait' ? refusals + 1 : refusals
}

/** What a delay depends on, besides the error. */
interface DelayFactors {
  /** How many requests of this step were refused in a row, the last one included. */
  readonly refusals: number
  /** The time that the step has left, in milliseconds: caps the jitter, but not what the service asks for. */
  readonly leftMs: number
  /** From 0 to 1. */
  readonly random: number
}

/**
 * How long a refused request waits, in milliseconds: `Retry-After`, and full jitter from a truncated exponential back-off, so
 * that steps that were refused together do not come back together. `npm run bench -- --only fleet` measures these numbers.
 */
export function getRateLimitDelayMs(
  { retryAfterMs = 0 }: ActionError,
  { refusals, leftMs, random }: DelayFactors,
): number {
  const floorMs = Math.max(retryAfterMs, MIN_RATE_LIMIT_DELAY_MS)
  const windowMs = Math.min(FIRST_JITTER_WINDOW_MS * 2 ** (refusals - 1), MAX_JITTER_WINDOW_MS)
  return floorMs + Math.max(0, Math.min(windowMs, leftMs - floorMs)) * random
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000

/**
 * How long to wait before a failed request is retried, in milliseconds.
 * @param attempt how often the request was sent, from 1
 */
export function getRetryDelayMs(error: ActionError, attempt: number, factors: DelayFactors): number {
  if (error.code === 'rate-limited') return getRateLimitDelayMs(error, factors)
  // With jitter, so that the jobs of a matrix do not retry at the same moment.
  const backOffMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS) * (0.75 + 0.5 * factors.random)
  return Math.min(Math.max(backOffMs, error.retryAfterMs ?? 0), factors.leftMs)
}

/** Whether the service asks to wait before the request is sent again, which may be for long. */
export const isAskedToWait = ({ code, retryAfterMs = 0 }: ActionError): boolean =>
  code === 'rate-limited' || retryAfterMs > 0

/** When a failed request is retried, for the log: the time of day, if the service asks to wait. */
export function formatRetryTime(error: ActionError, delayMs: number, clock: Clock): string {
  const delay = `in ${Math.ceil(delayMs / 1000)} s`
  return isAskedToWait(error) ? `${delay}, at ${formatTimeAfter(delayMs, clock)}` : delay
}

/** The same error, with the time that the service names: it helps to plan the next run. */
export function namingTheTime(error: ActionError, clock: Clock): ActionError {
  const { code, message, hint, quote, retryAfterMs } = error
  if (retryAfterMs === undefined) return error
  const until = new Date(Math.ceil((clock.wallTime().getTime() + retryAfterMs) / 1000) * 1000)
  const text = `${message} It asks to wait until ${formatUtc(until)} UTC, which is after this step's deadline.`
  return new ActionError(code, text, { cause: error, hint, quote, retryAfterMs })
}

/**
 * How long the service asks to be left alone, in milliseconds.
 * @param deadlineAt on the clock's scale
 * @throws ActionError if that is longer than the step has, which is known without waiting for it
 */
export function maxRetryAfterMs(error: ActionError, clock: Clock, deadlineAt: number): number {
  const { retryAfterMs = 0 } = error
  if (clock.now() + retryAfterMs > deadlineAt) throw namingTheTime(error, clock)
  return retryAfterMs
}

const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unreachable', 'rate-limited', 'service-error'])
/** A service that talks nonsense this often in a row will not stop. */
const MAX_BAD_ANSWERS = 10

/**
 * Reads once. A read changes nothing, so what may pass is given back and not thrown.
 * @param mayBeMissing whether what was just created may not be found yet
 * @throws ActionError if no further read could help
 */
type TryRead = <T>(read: () => Promise<T>, mayBeMissing?: boolean) => Promise<T | ActionError>

/** One serves a whole step, as answers that make no sense count in a row. */
export function createTryRead(signal: AbortSignal): TryRead {
  let badAnswersInARow = 0
  return async (read, mayBeMissing = false) => {
    try {
      const answer = await read()
      badAnswersInARow = 0
      return answer
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      signal.throwIfAborted()
      const isNonsense = error.code === 'bad-answer'
      badAnswersInARow = isNonsense ? badAnswersInARow + 1 : 0
      if (PASSING.has(error.code) || (isNonsense && badAnswersInARow < MAX_BAD_ANSWERS)) return error
      if (error.code === 'not-found' && mayBeMissing) return error
      throw error
    }
  }
}
