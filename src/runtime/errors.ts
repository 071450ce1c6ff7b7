/** The errors of this project, and what a step does about them. */

/**
 * The error codes, with the titles of red steps. The message follows the title, so a title never repeats a message.
 * Code branches on these values, so the list is closed.
 */
export const ERROR_TITLES = {
  'invalid-input': 'The inputs are invalid',
  /** There was no connection, or it broke. */
  unreachable: 'No response from the service',
  /** A certificate or TLS problem, which a retry does not fix. */
  untrusted: 'No secure connection to the service',
  proxy: 'Proxy error',
  unauthorized: 'Invalid API key',
  forbidden: 'The key lacks a permission',
  'not-found': 'Not found',
  'rate-limited': 'Too many requests',
  rejected: 'The request was rejected',
  redirected: 'Unexpected redirect',
  'service-error': 'Server error',
  /** A response that is malformed or about another job. */
  'invalid-response': 'Invalid response',
  /** A prompt was sent, and it is unknown whether the service accepted it. */
  'maybe-sent': 'The service may have accepted the prompt',
  /** The job cannot accept the prompt, or it is unknown whether the prompt should be sent. */
  'not-sent': 'Nothing was sent',
  /** It was merged or closed before it had all of the agent's commits. */
  'merged-too-early': 'The pull request was merged or closed too early',
  deadline: 'The step timed out',
  cancelled: 'Cancelled',
  /** A bug in this action. */
  internal: 'Internal error',
} as const

export type ErrorCode = keyof typeof ERROR_TITLES

/**
 * The only error that this project throws on purpose. Its fields are text and numbers, never a request, headers or a
 * body. Its `cause` can be the error of a library, which can quote a secret: the cause goes to the debug log only,
 * redacted.
 */
export class ActionError extends Error {
  override readonly name = 'ActionError'
  readonly code: ErrorCode
  /** What to do now, as a full sentence. */
  readonly hint: string | undefined
  /** The service's own message. Always show it as a quotation. */
  readonly quote: string | undefined
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The status of the response that caused the error. */
  readonly status: number | undefined
  /** The repository, `owner/name`, in which the token lacks the permission that `hint` advises to grant. */
  readonly lacksPermissionIn: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    {
      cause,
      hint,
      quote,
      retryAfterMs,
      status,
      lacksPermissionIn,
    }: Partial<Omit<ActionError, 'code' | keyof Error>> & Pick<Error, 'cause'> = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.hint = hint
    this.quote = quote
    this.retryAfterMs = retryAfterMs
    this.status = status
    this.lacksPermissionIn = lacksPermissionIn
  }
}

const TRANSIENT_CODES = new Set<ErrorCode>(['unreachable', 'rate-limited', 'service-error', 'invalid-response'])

/** Whether a failed read can succeed later. */
export const isTransient = ({ code }: ActionError): boolean => TRANSIENT_CODES.has(code)

/** Limits the chain, because an error can be its own cause. */
const MAX_CAUSES = 5

/** Logs the causes of an error with their stacks. For the debug log only: annotations and summaries never show them. */
export function logCauses(error: Error, debug: (text: string) => void): void {
  let { cause } = error
  for (let count = 0; typeof cause === 'object' && cause !== null && count < MAX_CAUSES; count++) {
    const { stack, message, cause: next }: Partial<Error> = cause
    debug(`Caused by ${stack ?? message ?? 'an object'}`)
    cause = next
  }
}

/** Returns the message for a log line, with the service's own message as a quotation. */
export function describeError({ message, quote }: ActionError): string {
  return quote === undefined ? message : `${message} It says: “${quote}”`
}

/**
 * Returns an expected error, for a step that continues without what failed.
 * @param codes the expected codes, by default all except `cancelled`
 * @throws the error itself if it is not expected
 */
export function catchExpected(error: unknown, ...codes: readonly ErrorCode[]): ActionError {
  if (!(error instanceof ActionError)) throw error
  const isExpected = codes.length === 0 ? error.code !== 'cancelled' : codes.includes(error.code)
  if (!isExpected) throw error
  return error
}

/** Returns `undefined` if the promise rejects with an expected error, as `catchExpected` defines it. */
export async function orUndefined<T>(promise: Promise<T>, ...codes: readonly ErrorCode[]): Promise<T | undefined> {
  return promise.catch((error: unknown) => {
    catchExpected(error, ...codes)
    return undefined
  })
}

/** Returns `undefined` after two 404 responses. A single one could come from a gateway. */
export async function orUndefinedIfNotFound<T>(request: () => Promise<T>): Promise<T | undefined> {
  return (await orUndefined(request(), 'not-found')) ?? orUndefined(request(), 'not-found')
}

/** What to do about a refusal without advice of its own. Its message names the reason. */
export const REFUSAL_HINT = 'GitHub has refused this: solve the reason that it names'

/** Whether the same request may succeed later. */
export const mayPass = (error: ActionError): boolean => isTransient(error) || error.code === 'deadline'

/**
 * Returns the result of `perform`, for a step that must not continue without it.
 * @param unknown what is unknown if it fails, as the beginning of the message
 * @param hint what to do if the same request may succeed later
 * @throws ActionError `not-sent` instead of any other code except `cancelled`
 */
export async function orNotSent<T>(
  unknown: string,
  perform: () => Promise<T>,
  hint: string,
  grant?: string,
): Promise<T> {
  try {
    return await perform()
  } catch (caught) {
    const error = catchExpected(caught)
    if (error.code === 'not-sent') throw error
    const usual = mayPass(error) ? hint : `${REFUSAL_HINT}, then run the step again.`
    throw new ActionError('not-sent', `${unknown}: ${error.message}`, {
      cause: error,
      quote: error.quote,
      hint: (error.lacksPermissionIn === undefined ? undefined : grant) ?? error.hint ?? usual,
    })
  }
}
