import { exchange, readText, type HttpAnswer, type HttpRequest } from '../http/exchange.ts'
import { proxyFor } from '../http/proxy.ts'
import { ActionError } from '../runtime/errors.ts'

/** An answer, read to its end. */
export interface Sent extends Omit<HttpAnswer, 'body'> {
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

/** A `fetch` for Octokit, with what it needs of an answer. */
function asFetch(send: Send) {
  return async (url: string, { method, headers, body, signal }: HttpRequest & { readonly signal: AbortSignal }) => {
    const sent = await send({ method, url: new URL(url), headers, body }, signal)
    const text = (): Promise<string> => Promise.resolve(sent.body)
    return { status: sent.status, url, headers: new Map(Object.entries(sent.headers)), text, arrayBuffer: text }
  }
}

/**
 * The answer that Octokit has thrown as it is no success.
 * @throws what broke the connection, which Octokit throws as an error of its own
 */
function answerIn(error: unknown): Answer {
  const { response, cause = error } = error as { readonly response?: Answer; readonly cause?: unknown }
  if (response !== undefined) return response
  throw cause
}

export type LoadToolkit = () => Promise<typeof import('@actions/github')>

/** One request: its URL, and a body that is going to be JSON. */
interface OctokitRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly data: object | undefined
}

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
    return async (asked: OctokitRequest, end: AbortSignal): Promise<Answer> =>
      (await request({ ...asked, request: { signal: end } }).catch(answerIn)) as Answer
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_INVALID_URL') throw error
    throw new ActionError('proxy', "GitHub's client could not be started.", {
      hint: 'Check `HTTPS_PROXY`, `HTTP_PROXY` and `GITHUB_API_URL`.',
    })
  } finally {
    if (event !== undefined) process.env['GITHUB_EVENT_PATH'] = event
  }
}
