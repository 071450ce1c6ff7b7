import { exchange, type HttpRequest } from '../http/exchange.ts'
import { readBounded } from '../runtime/read-bounded.ts'

interface Head {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** An answer, read to its end. */
export interface Sent extends Head {
  readonly body: string
}

/** An answer of GitHub's: JSON as what it stands for, and all else as text. */
export interface Answer extends Head {
  readonly data: unknown
}

/** Sends a request once. `end` aborts when nobody waits for the answer any more. */
export type Send = (request: HttpRequest, end: AbortSignal) => Promise<Sent>

/** Far more than 300 files with their changes. */
const MOST_BYTES = 64 * 1024 * 1024

export function sendThrough(proxy: URL | undefined): Send {
  return async (request, end) => {
    const { body, ...head } = await exchange(request, proxy, end)
    return { ...head, body: (await readBounded(body, MOST_BYTES)).toString('utf8') }
  }
}

/** What Octokit gives to a `fetch`. */
interface FetchOptions extends Omit<HttpRequest, 'url'> {
  readonly signal: AbortSignal
}

/** What Octokit needs of an answer. */
interface FetchAnswer {
  readonly status: number
  readonly url: string
  readonly headers: ReadonlyMap<string, string | undefined>
  readonly text: () => Promise<string>
  readonly arrayBuffer: () => Promise<string>
}

/** A `fetch` for Octokit. */
export function asFetch(send: Send): (url: string, options: FetchOptions) => Promise<FetchAnswer> {
  return async (url, { method, headers, body, signal }) => {
    const sent = await send({ method, url: new URL(url), headers, body }, signal)
    const text = (): Promise<string> => Promise.resolve(sent.body)
    return { status: sent.status, url, headers: new Map(Object.entries(sent.headers)), text, arrayBuffer: text }
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
