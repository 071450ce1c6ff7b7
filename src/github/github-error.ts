/** Classifies error responses of GitHub, and converts them to errors with hints. */
import * as z from 'zod/mini'
import { failureCause, isDefect } from '../http/exchange.ts'
import { explainTlsFailures, isTlsFailure } from '../http/tls-failures.ts'
import { ActionError, type ErrorCode } from '../runtime/errors.ts'
import type { Redact } from '../text/redact.ts'
import { formatUtc } from '../text/format.ts'
import { oneLine } from '../text/untrusted.ts'
import { InvalidResponse, looseObject, skipMalformed, stringOrEmpty } from './schemas.ts'

/** A complete response of Octokit. JSON is parsed, and everything else is text. */
export interface GitHubResponse {
  readonly status: number
  readonly url: string
  /** Names in lower case. */
  readonly headers: Awaited<ReturnType<ReturnType<typeof import('@actions/github').getOctokit>['request']>>['headers']
  readonly data: unknown
}

/** The connection failed because of `cause`. Any other error inside a request is a bug in this action. */
export class TransportFailure extends Error {
  constructor(cause: unknown) {
    super('The request to GitHub got no complete response.', { cause })
  }
}

/** Returns the error of a request that got no complete response. A bug stays a bug. */
export const toTransportFailure = (error: unknown): unknown =>
  error instanceof ActionError || isDefect(error) ? error : new TransportFailure(error)

const MAX_QUOTE_CHARS = 200
/** Messages that repeat the status. */
const GENERIC = /^(?:not found|forbidden)?\.?$/i
const GENERIC_VALIDATION = /^(?:validation failed|unprocessable entity)?\.?$/i

/** A validation error. Each of its fields can be missing. */
const fieldErrorSchema = z.lazy(() => z.object({ field: stringOrEmpty, code: stringOrEmpty, message: stringOrEmpty }))
type FieldError = Readonly<z.infer<typeof fieldErrorSchema>>

/** The body of an error response. Some endpoints list plain strings as errors. */
const refusalSchema = z.lazy(() =>
  looseObject({
    message: stringOrEmpty,
    errors: z.catch(skipMalformed(z.union([z.string(), fieldErrorSchema])), []),
  }),
)

/** GitHub's codes for validation errors, except `custom` and `unprocessable`, which only refer to the message. */
const VALIDATION_CODES: Readonly<Record<string, string>> = {
  missing: 'names something that does not exist',
  missing_field: 'is missing',
  invalid: 'is not valid',
  already_exists: 'already exists',
}
const MAX_FIELD_ERRORS = 3

/** Returns GitHub's message for a validation error, else that of the response, else our own. */
function describeFieldError({ field, code, message }: FieldError, general: string): string {
  if (message !== '') return message
  const { [code]: known } = VALIDATION_CODES
  if (known === undefined && !GENERIC_VALIDATION.test(general)) return general
  const problem = known ?? 'was rejected'
  return field === '' ? `a value ${problem}` : `${field} ${problem}`
}

const isUnauthorizedLabel = ({ field, code }: FieldError): boolean => field === 'label' && code === 'unauthorized'

/** If GitHub names no time, its documentation asks to wait for at least a minute. */
const DEFAULT_RATE_LIMIT_MS = 60_000

/**
 * An error response, or a redirect that is not followed. It is not used outside this folder: `toActionError`
 * converts it for users.
 */
export class ErrorResponse extends Error {
  readonly status: number
  /** Empty if there is none. */
  readonly githubMessage: string
  readonly isRateLimit: boolean
  readonly isAboutPermissions: boolean
  /** The validation errors that GitHub lists. */
  readonly problems: readonly string[]
  /** Whether the token cannot create a label that does not exist yet (googleapis/release-please-action#1105). */
  readonly isAboutNewLabel: boolean
  /** Whether the token may have expired during the step, as the token of an app does after an hour. */
  readonly isLate: boolean
  /** Whether GitHub has responded to an earlier request about the same repository, so that the repository exists. */
  readonly isInKnownRepository: boolean
  readonly #headers: GitHubResponse['headers']

  constructor({ status, headers, data }: GitHubResponse, isLate = false, isInKnownRepository = false) {
    super(`GitHub responded with ${status}.`)
    this.status = status
    this.isLate = isLate
    this.isInKnownRepository = isInKnownRepository
    const { message, errors } = z.parse(refusalSchema, data)
    this.githubMessage = message
    const plainErrors = errors.filter((error) => typeof error === 'string')
    const fieldErrors = errors.filter((error) => typeof error !== 'string')
    const described = fieldErrors.map((error) => describeFieldError(error, message))
    this.problems = [...new Set([...plainErrors, ...described])].slice(0, MAX_FIELD_ERRORS)
    this.isAboutNewLabel = status === 403 && fieldErrors.some(isUnauthorizedLabel)
    this.#headers = headers
    this.isRateLimit =
      status === 429 ||
      // Too much content in a short time (whatwg/spec-factory#55).
      (status === 422 && [message, ...this.problems].some((text) => /\bsubmitted too quickly\b/i.test(text))) ||
      (status === 403 &&
        (this.#isUsedUp() ||
          headers['retry-after'] !== undefined ||
          /\b(?:rate limit|abuse detection)\b/i.test(this.githubMessage)))
    this.isAboutPermissions =
      /\bresource not accessible by\b/i.test(this.githubMessage) ||
      // The header also comes with refusals for other reasons, but their messages name the reason.
      (GENERIC.test(this.githubMessage) && headers['x-accepted-github-permissions'] !== undefined)
  }

  /** Returns how long to wait for a rate limit, in milliseconds: `Retry-After`, or until the limit is reset. */
  limitMs(now: Date): number {
    const seconds = Number(this.#headers['retry-after'])
    if (seconds > 0) return seconds * 1_000
    if (!this.#isUsedUp()) return DEFAULT_RATE_LIMIT_MS
    // Wait one second longer, to be sure that the limit has been reset.
    const endsAt = Number(this.#headers['x-ratelimit-reset']) * 1_000 + 1_000
    const leftMs = endsAt - (Date.parse(this.#headers.date ?? '') || now.getTime())
    return Number.isNaN(leftMs) ? DEFAULT_RATE_LIMIT_MS : Math.max(1_000, leftMs)
  }

  #isUsedUp(): boolean {
    return this.#headers['x-ratelimit-remaining'] === '0'
  }
}

/**
 * Returns `undefined` if GitHub refuses the request, except because of a rate limit.
 * @param statuses the statuses that count as refusals
 */
export async function tolerateRefusal<T>(promise: Promise<T>, statuses = [403, 404]): Promise<T | undefined> {
  return promise.catch((error: unknown) => {
    if (error instanceof ErrorResponse && statuses.includes(error.status) && !error.isRateLimit) return undefined
    throw error
  })
}

/**
 * Cuts GitHub's message to one line without Markdown. It also removes “ and ”, because they delimit the quote:
 * `formatSentences` escapes what is between them.
 */
function toQuote(message: string, redact: Redact): string {
  return oneLine(message, MAX_QUOTE_CHARS, redact).replace(/[`<>[\]\\|*“”]/g, '')
}

/** Quotes GitHub's message, because a status can have many reasons. */
function describeRefusal(githubMessage: string, status: number, redact: Redact): string {
  const quoted = toQuote(githubMessage, redact)
  return quoted === '' ? `GitHub responded with ${status}.` : `GitHub says “${quoted}” (${status}).`
}

/** Quotes the validation errors. The message alone can be generic, such as “Validation Failed”. */
function describeValidation({ githubMessage, problems }: ErrorResponse, redact: Redact): string {
  const reasons = problems.map((problem) => toQuote(problem, redact)).filter((reason) => reason !== '')
  if (reasons.length > 0) return `GitHub rejected the request (422): “${reasons.join('; ')}”.`
  if (GENERIC_VALIDATION.test(githubMessage)) return 'GitHub rejected the request (422) without a reason.'
  return describeRefusal(githubMessage, 422, redact)
}

const EXPIRED =
  'The token of a GitHub App lasts one hour: keep `timeout-minutes` at 55 or less, and wait for longer jobs with the recipe `attach.yml`, which gets a new token.'

function toRefusalError(
  refusal: ErrorResponse,
  permission: string,
  repository: string,
  redact: Redact,
  now: Date,
): ActionError {
  const { status, githubMessage, isRateLimit, isAboutPermissions } = refusal
  const toError = (
    code: ErrorCode,
    message: string,
    details: Partial<Pick<ActionError, 'hint' | 'retryAfterMs' | 'lacksPermissionIn'>> = {},
  ) => new ActionError(code, message, { ...details, status, cause: refusal })
  if (status < 400)
    return toError('redirected', `GitHub responded with ${status} and redirects the request to another URL.`, {
      hint: "Use the repository's current name, and check `GITHUB_API_URL`.",
    })
  if (isRateLimit) {
    const retryAfterMs = refusal.limitMs(now)
    const endsAt = formatUtc(new Date(now.getTime() + retryAfterMs))
    return toError('rate-limited', `GitHub's rate limit is exceeded until ${endsAt} UTC.`, { retryAfterMs })
  }
  // GitHub responds with 500 each time to what takes it too long, and says so.
  if (status === 500) return toError('service-error', describeRefusal(githubMessage, status, redact))
  if (status > 500 || status === 408) return toError('service-error', `GitHub responded with ${status}.`)
  if (status === 401)
    return toError('unauthorized', `GitHub rejected the token (401)${refusal.isLate ? ' late in the step' : ''}.`, {
      hint: refusal.isLate ? EXPIRED : 'Check `github-token`: the token may have expired.',
    })
  const message = status === 422 ? describeValidation(refusal, redact) : describeRefusal(githubMessage, status, redact)
  const grant = {
    hint: `Grant \`${permission}\` under \`permissions\` of the job. If \`${repository}\` is not the workflow's own repository, set \`github-token\` to a token that has this permission there.`,
    lacksPermissionIn: repository,
  }
  const createLabel = {
    hint: `Create the label in \`${repository}\` once, or grant \`issues: write\` under \`permissions\` of the job.`,
  }
  const allow = refusal.isAboutNewLabel ? createLabel : isAboutPermissions ? grant : {}
  if (status === 403) return toError('forbidden', message, allow)
  if (status !== 404) return toError('rejected', message)
  // GitHub names the reason, such as “No common ancestor between …” or “Pull requests are disabled …”.
  if (!isAboutPermissions && !GENERIC.test(githubMessage)) return toError('not-found', message)
  const look = {
    hint: `Check that it exists, and that \`github-token\` has access to \`${repository}\`: \`GITHUB_TOKEN\` cannot access other private repositories.`,
  }
  const notFound = `${message} It does not exist, or the token has no access to it.`
  return toError('not-found', notFound, isAboutPermissions ? grant : look)
}

/**
 * Converts an error of a request to GitHub to an `ActionError`. Keeps only the status and one line of GitHub's message.
 * @param permission the permission that the request needs, for the hint
 * @throws the error itself if neither GitHub nor the connection caused it
 */
export function toActionError(
  error: unknown,
  permission: string,
  repository: string,
  redact: Redact,
  now: Date,
): ActionError {
  if (error instanceof ActionError) return error
  if (error instanceof ErrorResponse) return toRefusalError(error, permission, repository, redact, now)
  if (error instanceof InvalidResponse)
    return new ActionError('invalid-response', 'GitHub returned an invalid response.', { cause: error })
  if (!(error instanceof TransportFailure)) throw error
  const failure = failureCause(error.cause)
  if (isTlsFailure(failure)) {
    const [what, hint] = explainTlsFailures('the GitHub server', '`GITHUB_API_URL`')[failure]
    return new ActionError('untrusted', `GitHub ${what}.`, { cause: error.cause, hint })
  }
  return new ActionError('unreachable', 'GitHub could not be reached.', {
    cause: error.cause,
    hint: 'Check the proxy and the network of the runner, and `GITHUB_API_URL`.',
  })
}

const FINE_GRAINED_HINT =
  "A fine-grained personal token cannot read checks: GitHub offers it no such permission. Use the workflow's own token with `checks: read` under `permissions` of the job, or the token of a GitHub App."

/** Replaces the advice of an error if GitHub has refused checks to a fine-grained personal token. */
export function adviseFineGrainedToken(error: ActionError, token: string, permission: string): ActionError {
  const { code, message, cause } = error
  if (!token.startsWith('github_pat_') || permission !== 'checks: read' || !(cause instanceof ErrorResponse))
    return error
  const isAboutToken = code === 'not-found' || (code === 'forbidden' && cause.isAboutPermissions)
  return isAboutToken ? new ActionError(code, message, { hint: FINE_GRAINED_HINT, cause }) : error
}

const FAIL_FOR_ALL: readonly ErrorCode[] = ['cancelled', 'unauthorized', 'forbidden', 'rate-limited', 'deadline']

/**
 * Whether the same request about another person or pull request would fail for the same reason, such as an invalid
 * token.
 */
export const failsForAll = ({ code }: ActionError): boolean => FAIL_FOR_ALL.includes(code)
