/**
 * Why a step can stop, and what a red one is then called. The error's message follows, so no title says what a message says.
 * The code decides what happens next (try again, end red, say that a job may exist), so the list is closed: a new kind of failure
 * has to be named here before anything can react to it.
 */
export const ERROR_TITLES = {
  'invalid-input': 'The inputs are invalid',
  /** No connection, or one that broke. */
  unreachable: 'No response from the service',
  /** A certificate or TLS problem, which trying again does not mend. */
  untrusted: 'No secure connection to the service',
  proxy: 'Proxy error',
  unauthorized: 'Invalid API key',
  forbidden: 'The key lacks a permission',
  'not-found': 'Not found',
  'rate-limited': 'Too many requests',
  rejected: 'The request was rejected',
  redirected: 'Unexpected redirect',
  'service-error': 'Server error',
  /** An answer that cannot be understood, or that is about another job. */
  'bad-answer': 'Invalid response',
  /** A prompt was sent and it is not known whether the service took it. */
  'unknown-fate': 'The service may have accepted the prompt',
  /** The job cannot take the prompt. */
  'not-sent': 'Nothing was sent',
  /** Not all of the agent's commits were in it by then. */
  'left-behind': 'The pull request was merged or closed too early',
  /** The pull request is there, and nobody can be led to it. */
  'unusable-link': 'The link to the pull request cannot be used',
  deadline: 'The step timed out',
  cancelled: 'Cancelled',
  /** A defect of this action. */
  internal: 'Internal error',
} as const

export type ErrorCode = keyof typeof ERROR_TITLES

/**
 * The one error that this project throws on purpose. Its own fields are text and numbers only: never a request, its headers or
 * a body. Its `cause` may be an error of a library, which may quote a secret: it goes to the debug log, redacted, and nowhere
 * else.
 */
export class ActionError extends Error {
  override readonly name = 'ActionError'
  readonly code: ErrorCode
  /** What the reader can do now, as a full sentence. */
  readonly hint: string | undefined
  /** What the service says of it, in its own words: never to be taken for ours. */
  readonly quote: string | undefined
  /** How long the service asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    { cause, hint, quote, retryAfterMs }: Partial<Pick<ActionError, 'cause' | 'hint' | 'quote' | 'retryAfterMs'>> = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.hint = hint
    this.quote = quote
    this.retryAfterMs = retryAfterMs
  }
}

/** An error may be its own cause, and a chain of this length explains everything. */
const MAX_CAUSES = 5

/** Logs the causes of an error with their stacks. They are for the debug log only: an annotation or a summary never shows them. */
export function logCauses(error: Error, debug: (text: string) => void): void {
  let { cause } = error
  for (let count = 0; typeof cause === 'object' && cause !== null && count < MAX_CAUSES; count++) {
    const { stack, message, cause: next }: Partial<Error> = cause
    debug(`Caused by ${stack ?? message ?? 'an object'}`)
    cause = next
  }
}

/** What happened, for a log line: our words and, marked as such, the service's. */
export function describeError({ message, quote }: ActionError): string {
  return quote === undefined ? message : `${message} It says: “${quote}”`
}

/**
 * The error, for a step that goes on without what failed.
 * @param codes what it goes on after, by default all but `cancelled`
 * @throws the error itself, if it is any other
 */
export function rethrowFatal(error: unknown, ...codes: readonly ErrorCode[]): ActionError {
  if (!(error instanceof ActionError)) throw error
  const goesOn = codes.length === 0 ? error.code !== 'cancelled' : codes.includes(error.code)
  if (!goesOn) throw error
  return error
}

/** Undefined if it fails, for a step that goes on without it; takes and throws what `rethrowFatal` does. */
export async function orUndefined<T>(asked: Promise<T>, ...codes: readonly ErrorCode[]): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    rethrowFatal(error, ...codes)
    return undefined
  })
}

/**
 * What `perform` gives, for a step that must not go on without it.
 * @throws ActionError `not-sent` in the place of any other but `cancelled`
 */
export async function orNotSent<T>(unknown: string, perform: () => Promise<T>, hint: string): Promise<T> {
  try {
    return await perform()
  } catch (caught) {
    const error = rethrowFatal(caught)
    if (error.code === 'not-sent') throw error
    throw new ActionError('not-sent', `${unknown}: ${error.message}`, { cause: error, hint: error.hint ?? hint })
  }
}
