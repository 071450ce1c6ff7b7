import type { HttpRequest } from '../http/exchange.ts'
import { ActionError } from '../runtime/errors.ts'
import type { Send } from './send.ts'

/** A `fetch` for Octokit, with what it needs of an answer. */
function asFetch(send: Send) {
  return async (url: string, { method, headers, body, signal }: HttpRequest & { readonly signal: AbortSignal }) => {
    const sent = await send({ method, url: new URL(url), headers, body }, signal)
    const text = (): Promise<string> => Promise.resolve(sent.body)
    return { status: sent.status, url, headers: new Map(Object.entries(sent.headers)), text, arrayBuffer: text }
  }
}

type Toolkit = typeof import('@actions/github')
export type LoadToolkit = () => Promise<Toolkit>

const USER_AGENT = 'docs-agent-action'

/**
 * Loads the toolkit, which is large: a step that asks GitHub nothing does not pay for it. The toolkit reads the proxies, the
 * API's address and the event as it is loaded. The event is read by then, with more patience: one that is cut would break
 * the step in the middle.
 * @throws ActionError `proxy` if an address in the environment is none
 */
export async function openOctokit(
  token: string,
  send: Send,
  debug: (line: string) => void,
  load: LoadToolkit,
): Promise<ReturnType<Toolkit['getOctokit']>> {
  const { GITHUB_EVENT_PATH: event } = process.env
  delete process.env['GITHUB_EVENT_PATH']
  try {
    const { getOctokit } = await load()
    // Octokit would write to the step's streams, past all that keeps them clean.
    const log = { debug, info: debug, warn: debug, error: debug }
    return getOctokit(token, { userAgent: USER_AGENT, log, request: { fetch: asFetch(send), log } })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_INVALID_URL') throw error
    throw new ActionError('proxy', "GitHub's client could not be started.", {
      hint: 'Check `HTTPS_PROXY`, `HTTP_PROXY` and `GITHUB_API_URL`.',
    })
  } finally {
    if (event !== undefined) process.env['GITHUB_EVENT_PATH'] = event
  }
}
