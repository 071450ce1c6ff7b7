import { exchange, readText, type HttpAnswer, type HttpRequest } from '../http/exchange.ts'
import { ActionError } from '../runtime/errors.ts'

export interface GitHubRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: URL
  readonly body?: object
  /** Of the answer that is known: it is given again only if it has changed. */
  readonly etag?: string | undefined
  /** How often it is sent again after a failure that may pass, by default three times. */
  readonly retries?: number | undefined
  /** Whether it is sent once only, not even again after a rate limit, because its body is outdated by then. */
  readonly isSentOnce?: boolean | undefined
  /** That it asks where something is, which an answer 302 says. */
  readonly asksWhere?: boolean
}

/** An answer of GitHub's, read to its end: JSON as what it stands for, and all else as text. */
export interface Answer extends Omit<HttpAnswer, 'body'> {
  readonly data: unknown
}

/** What broke a connection, in `cause`. Every other error that is thrown inside of a request is a defect of this action. */
export class TransportFailure extends Error {
  constructor(cause: unknown) {
    super('The request to GitHub brought no whole response.', { cause })
  }
}

/** Sends a request once. `end` aborts when nobody waits for the answer any more. */
export type Send = (request: HttpRequest, end: AbortSignal) => Promise<HttpAnswer>

export function sendThrough(env: NodeJS.ProcessEnv): Send {
  return async (request, end) => exchange(request, env, end)
}

/** Far more than 300 files with their changes. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Sends a request once and reads all of the response: Octokit would take a body that breaks off for an empty one.
 * @throws TransportFailure, ActionError `proxy`
 */
async function exchangeText(send: Send, request: HttpRequest, end: AbortSignal) {
  try {
    const answer = await send(request, end)
    return { answer, whole: await readText(answer.body, MOST_BYTES) }
  } catch (error) {
    throw error instanceof ActionError ? error : new TransportFailure(error)
  }
}

/** A `fetch` for Octokit, with what it needs of an answer. */
function asFetch(send: Send) {
  return async (url: string, { method, headers, body, signal }: HttpRequest & { readonly signal: AbortSignal }) => {
    const { answer, whole } = await exchangeText(send, { method, url: new URL(url), headers, body }, signal)
    const text = (): Promise<string> => Promise.resolve(whole)
    return { status: answer.status, url, headers: new Map(Object.entries(answer.headers)), text, arrayBuffer: text }
  }
}

/**
 * The answer that Octokit has thrown as it is no success.
 * @throws what `fetch` has thrown, which Octokit puts into an error of its own
 */
function answerIn(error: unknown): Answer {
  const { response, cause = error } = error as { readonly response?: Answer; readonly cause?: unknown }
  if (response !== undefined) return response
  throw cause
}

export type LoadToolkit = () => Promise<typeof import('@actions/github')>

const USER_AGENT = 'docs-agent-action'

/**
 * Loads the toolkit, which is large: a step that asks GitHub nothing does not pay for it. The toolkit reads the proxies, the
 * API's address and the event as it is loaded. The event is read by then, with more patience: one that is cut would break
 * the step in the middle.
 * @returns a function that asks once and gives the answer, whatever its status
 * @throws ActionError `proxy` if an address in the environment is none
 */
export async function openOctokit(token: string, send: Send, debug: (line: string) => void, load: LoadToolkit) {
  const { GITHUB_EVENT_PATH: event } = process.env
  delete process.env['GITHUB_EVENT_PATH']
  try {
    const { getOctokit } = await load()
    // Octokit would write to the step's streams, past all that keeps them clean.
    const log = { debug, info: debug, warn: debug, error: debug }
    const { request } = getOctokit(token, { userAgent: USER_AGENT, log, request: { fetch: asFetch(send), log } })
    return async ({ method, url, body: data, etag }: GitHubRequest, end: AbortSignal): Promise<Answer> => {
      const asked = { method, url: url.href, headers: { 'if-none-match': etag }, data, request: { signal: end } }
      return (await request(asked).catch(answerIn)) as Answer
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_INVALID_URL') throw error
    throw new ActionError('proxy', "GitHub's client could not be started.", {
      hint: 'Check `HTTPS_PROXY`, `HTTP_PROXY` and `GITHUB_API_URL`.',
    })
  } finally {
    if (event !== undefined) process.env['GITHUB_EVENT_PATH'] = event
  }
}
