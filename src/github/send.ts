import { exchange, readText, type HttpRequest } from '../http/exchange.ts'
import { proxyFor } from '../http/proxy.ts'

/** An answer, read to its end. */
export interface Sent {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** An answer of GitHub's: JSON as what it stands for, and all else as text. */
export interface Answer extends Omit<Sent, 'body'> {
  readonly data: unknown
}

/** Sends a request once. `end` aborts when nobody waits for the answer any more. */
export type Send = (request: HttpRequest, end: AbortSignal) => Promise<Sent>

/** Far more than 300 files with their changes. */
const MOST_BYTES = 64 * 1024 * 1024

export function sendThrough(env: NodeJS.ProcessEnv): Send {
  return async (request, end) => {
    const answer = await exchange(request, proxyFor(request.url, env), end)
    return { ...answer, body: await readText(answer.body, MOST_BYTES) }
  }
}

/**
 * The answer that Octokit has thrown as it is no success.
 * @throws what broke the connection, which Octokit throws as an error of its own
 */
export function answerIn(error: unknown): Answer {
  const { response, cause = error } = error as { readonly response?: Answer; readonly cause?: unknown }
  if (response !== undefined) return response
  throw cause
}
