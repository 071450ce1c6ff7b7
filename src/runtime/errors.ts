/**
 * Why a step stopped. The code decides what happens next (try again, end red, say that a job may exist), so it is closed:
 * a new kind of failure has to be named here before anything can react to it.
 */
export type ErrorCode =
  | 'invalid-input'
  /** No connection, or one that broke. */
  | 'unreachable'
  /** A certificate or TLS problem, which trying again does not mend. */
  | 'untrusted'
  /** The proxy between here and the service refused. */
  | 'proxy'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'rate-limited'
  | 'rejected'
  | 'redirected'
  | 'service-error'
  /** An answer that cannot be understood, or that is about another job. */
  | 'bad-answer'
  /** A prompt was sent and it is not known whether the service took it. */
  | 'unknown-fate'
  /** The job cannot take the prompt, so it was not sent. */
  | 'not-sent'
  /** The pull request was merged or closed before all of the agent's commits were in it. */
  | 'left-behind'
  /** The pull request is there, and nobody can be led to it. */
  | 'unusable-link'
  /** The step's own deadline passed. */
  | 'deadline'
  | 'cancelled'
  /** A defect of this action. */
  | 'internal'

interface ActionErrorDetails {
  /** What the reader can do now, as a full sentence. */
  readonly hint?: string | undefined
  /** What the service says of it, in its own words: never to be taken for ours. */
  readonly quote?: string | undefined
  /** How long the service asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/**
 * The one error that this project throws on purpose. It carries text and numbers only: never a request, its headers or a
 * body, and no `cause`, so that printing it cannot print a secret that some library kept in its own error.
 */
export class ActionError extends Error {
  override readonly name = 'ActionError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly quote: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: ErrorCode, message: string, details: ActionErrorDetails = {}) {
    super(message)
    this.code = code
    this.hint = details.hint
    this.quote = details.quote
    this.retryAfterMs = details.retryAfterMs
  }
}

/** What happened, for a log line: our words and, marked as such, the service's. */
export function describeError({ message, quote }: ActionError): string {
  return quote === undefined ? message : `${message} It says: “${quote}”`
}

/**
 * The error, for a step that goes on without what failed.
 * @throws the error itself, if it is a defect or says that the run was cancelled
 */
export function rethrowFatal(error: unknown): ActionError {
  if (!(error instanceof ActionError) || error.code === 'cancelled') throw error
  return error
}

/**
 * Undefined if it fails, for a step that goes on without it.
 * @throws the error itself, if it is a defect or says that the run was cancelled
 */
export async function unlessFailed<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    rethrowFatal(error)
    return undefined
  })
}

/** Undefined if what is asked for is not there. */
export async function unlessNotFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ActionError && error.code === 'not-found') return undefined
    throw error
  }
}
