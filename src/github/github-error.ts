import * as z from 'zod/mini'
import { failureCause } from '../http/exchange.ts'
import { ActionError, type ErrorCode } from '../runtime/errors.ts'
import type { Redact } from '../text/redact.ts'
import { oneLine } from '../text/untrusted.ts'
import { InvalidResponse, part, skipMalformed, textOrEmpty } from './schemas.ts'

/** A response of Octokit, read to its end: JSON as a value, and everything else as text. */
export interface GitHubResponse {
  readonly status: number
  readonly url: string
  /** Names in lower case. */
  readonly headers: Awaited<ReturnType<ReturnType<typeof import('@actions/github').getOctokit>['request']>>['headers']
  readonly data: unknown
}

/** The connection failed, as `cause` says. Every other error that is thrown inside of a request is a defect of this action. */
export class TransportFailure extends Error {
  constructor(cause: unknown) {
    super('The request to GitHub got no complete response.', { cause })
  }
}

const MAX_QUOTE = 200
/** Says no more than the status does. */
const GENERIC = /^(?:not found|forbidden)?\.?$/i
const GENERIC_VALIDATION = /^(?:validation failed|unprocessable entity)?\.?$/i

/** What GitHub says of a field that it did not accept. Each part may be missing, `message` too. */
const fieldErrorSchema = z.object({ field: textOrEmpty, code: textOrEmpty, message: textOrEmpty })
type FieldError = Readonly<z.infer<typeof fieldErrorSchema>>

/** The body of an error response. Some endpoints list plain strings as errors. */
const refusalSchema = part({
  message: textOrEmpty,
  errors: z.catch(skipMalformed(z.union([z.string(), fieldErrorSchema])), []),
})

/** GitHub's codes for validation errors. `custom` and `unprocessable` say no more than the message, which may be missing. */
const VALIDATION_CODES: Readonly<Record<string, string>> = {
  missing: 'names something that does not exist',
  missing_field: 'is missing',
  invalid: 'is not valid',
  already_exists: 'already exists',
}
const MAX_FIELD_ERRORS = 3

/** A validation error in GitHub's words, or if it has none, in ours. Some endpoints send plain strings. */
function describeFieldError({ field, code, message }: FieldError): string {
  if (message !== '') return message
  const problem = VALIDATION_CODES[code] ?? 'was rejected'
  return field === '' ? `a value ${problem}` : `${field} ${problem}`
}

const isUnauthorizedLabel = ({ field, code }: FieldError): boolean => field === 'label' && code === 'unauthorized'

/** Without a word of GitHub's: it asks for a minute at least. */
const LIMIT_MS = 60_000

/**
 * An answer that is no success, a redirect that is not followed included. It stays inside this folder: `toActionError` makes of
 * it what people read.
 */
export class Refusal extends Error {
  readonly status: number
  /** GitHub's own words; empty if there are none. */
  readonly said: string
  readonly isRateLimit: boolean
  readonly isAboutPermissions: boolean
  /** What is wrong with the request, where GitHub says it. */
  readonly problems: readonly string[]
  /** Whether the token may not create a label that the repository does not have (googleapis/release-please-action#1105). */
  readonly isAboutNewLabel: boolean
  /** Whether the token was valid before, or may have been: an app's token ends in the middle of a long step. */
  readonly isLate: boolean
  readonly #headers: GitHubResponse['headers']

  constructor({ status, headers, data }: GitHubResponse, isLate = false) {
    super(`GitHub responded with ${status}.`)
    this.status = status
    this.isLate = isLate
    const { message, errors } = z.parse(refusalSchema, data)
    this.said = message
    const plainErrors = errors.filter((error) => typeof error === 'string')
    const fieldErrors = errors.filter((error) => typeof error !== 'string')
    this.problems = [...new Set([...plainErrors, ...fieldErrors.map(describeFieldError)])].slice(0, MAX_FIELD_ERRORS)
    this.isAboutNewLabel = status === 403 && fieldErrors.some(isUnauthorizedLabel)
    this.#headers = headers
    this.isRateLimit =
      status === 429 ||
      (status === 403 &&
        (this.#isUsedUp() || headers['retry-after'] !== undefined || /\brate limit\b/i.test(this.said)))
    this.isAboutPermissions =
      /\bresource not accessible by\b/i.test(this.said) ||
      // It names what the operation takes, and comes with refusals for other reasons too; those say their reason.
      (GENERIC.test(this.said) && headers['x-accepted-github-permissions'] !== undefined)
  }

  /** How long a rate limit lasts, in milliseconds: a wait that it names, or until the hour of the token is over. */
  limitMs(now: Date): number {
    const seconds = Number(this.#headers['retry-after'])
    if (seconds > 0) return seconds * 1_000
    if (!this.#isUsedUp()) return LIMIT_MS
    // A second more, as the new hour has to have begun.
    const endsAt = Number(this.#headers['x-ratelimit-reset']) * 1_000 + 1_000
    const leftMs = endsAt - (Date.parse(this.#headers.date ?? '') || now.getTime())
    return Number.isNaN(leftMs) ? LIMIT_MS : Math.max(1_000, leftMs)
  }

  #isUsedUp(): boolean {
    return this.#headers['x-ratelimit-remaining'] === '0'
  }
}

/**
 * Undefined if GitHub refuses a request for what it is, and not for how many there were before it.
 * @param statuses those that count as a refusal
 */
export async function orUndefinedIfRefused<T>(asked: Promise<T>, statuses = [403, 404]): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof Refusal && statuses.includes(error.status) && !error.isRateLimit) return undefined
    throw error
  })
}

/**
 * GitHub's own words first: a refusal has many reasons, and they name the one that it is. They stand between “ and ”, and cannot
 * end that: whoever shows them as Markdown escapes what stands there.
 */
function quote(said: string, redact: Redact): string {
  return oneLine(said, MAX_QUOTE, redact).replace(/[`<>[\]\\|*“”]/g, '')
}

function describeRefusal(said: string, status: number, redact: Redact): string {
  const quoted = quote(said, redact)
  return quoted === '' ? `GitHub responded with ${status}.` : `GitHub says “${quoted}” (${status}).`
}

/** “Validation Failed” alone says nothing: the reasons are in a list beside it, each with or without a message. */
function describeValidation({ said, problems }: Refusal, redact: Redact): string {
  const reasons = problems.map((problem) => quote(problem, redact)).filter((reason) => reason !== '')
  if (reasons.length > 0) return `GitHub rejected the request (422): “${reasons.join('; ')}”.`
  if (GENERIC_VALIDATION.test(said)) return 'GitHub rejected the request (422) without a reason.'
  return describeRefusal(said, 422, redact)
}

const EXPIRED =
  'The token of a GitHub App lasts one hour. The recipe `long-job-with-app.yml` starts the agent in one job and waits for it in another, with a new token.'

function refused(refusal: Refusal, permission: string, repository: string, redact: Redact, now: Date): ActionError {
  const { status, said, isRateLimit, isAboutPermissions } = refusal
  const toError = (
    code: ErrorCode,
    message: string,
    details: Partial<Pick<ActionError, 'hint' | 'retryAfterMs'>> = {},
  ) => new ActionError(code, message, { ...details, cause: refusal })
  if (status < 400 && status !== 304)
    return toError('redirected', `GitHub responded with ${status} and redirects the request to another URL.`, {
      hint: "Use the repository's current name, and check `GITHUB_API_URL`.",
    })
  if (isRateLimit)
    return toError('rate-limited', "GitHub's rate limit is exceeded.", {
      retryAfterMs: refusal.limitMs(now),
    })
  if (status >= 500 || status === 408) return toError('service-error', `GitHub responded with ${status}.`)
  if (status === 401)
    return toError('unauthorized', `GitHub rejected the token (401)${refusal.isLate ? ' late in the step' : ''}.`, {
      hint: refusal.isLate ? EXPIRED : 'Check `github-token`: the token may have expired.',
    })
  const told = status === 422 ? describeValidation(refusal, redact) : describeRefusal(said, status, redact)
  const grant = {
    hint: `Grant \`${permission}\` under \`permissions\` of the job. If \`${repository}\` is not the workflow's own repository, set \`github-token\` to a token that has this permission there.`,
  }
  const createLabel = {
    hint: `Create the label in \`${repository}\` once, or grant \`issues: write\` under \`permissions\` of the job.`,
  }
  const allow = refusal.isAboutNewLabel ? createLabel : isAboutPermissions ? grant : {}
  if (status === 403) return toError('forbidden', told, allow)
  if (status !== 404) return toError('rejected', told)
  const look = {
    hint: `Check that it exists, and that \`github-token\` has access to \`${repository}\`: \`GITHUB_TOKEN\` cannot access other private repositories.`,
  }
  const message = `${told} It does not exist, or the token has no access to it.`
  return toError('not-found', message, isAboutPermissions ? grant : look)
}

/**
 * Makes one of our errors of what a request to GitHub ended with. Of an answer nothing is kept but the status and one line of
 * GitHub's message.
 * @param permission what the request needs, so that a refusal can say what to grant
 * @throws the error itself, if neither GitHub nor the connection caused it
 */
export function toActionError(
  error: unknown,
  permission: string,
  repository: string,
  redact: Redact,
  now: Date,
): ActionError {
  if (error instanceof ActionError) return error
  if (error instanceof Refusal) return refused(error, permission, repository, redact, now)
  if (error instanceof InvalidResponse)
    return new ActionError('bad-answer', 'GitHub returned an invalid response.', { cause: error })
  if (!(error instanceof TransportFailure)) throw error
  if (failureCause(error.cause) === 'untrusted')
    return new ActionError('untrusted', "GitHub's certificate is not trusted.", {
      cause: error.cause,
      hint: "Set `NODE_EXTRA_CA_CERTS` to the PEM file of your server's certificate authority, in the environment of the runner or of the step.",
    })
  return new ActionError('unreachable', 'GitHub could not be reached.', {
    cause: error.cause,
    hint: 'Check the proxy and the network of the runner, and `GITHUB_API_URL`.',
  })
}
