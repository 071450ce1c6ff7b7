/** Keeps connections open between requests that are safe to send twice. */
import type { Dispatcher } from 'undici'
import { exchange, type HttpRequest, type HttpResponse, openDispatcher } from './exchange.ts'
import { proxyFor } from './proxy.ts'

/** Longer than the usual pause between two polls, and shorter than firewalls forget a connection. */
const IDLE_TIMEOUT_MS = 15_000

const KEEP_OPEN = {
  pipelining: 1,
  connections: 1,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
}

/** Connections to one server. An idle connection does not keep the process alive. */
export class Connections {
  readonly #env: NodeJS.ProcessEnv
  /** One for each open connection, because it is then known whether a request used a new one. */
  readonly #idle: Dispatcher[] = []

  /** @param env names the proxies */
  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
  }

  /**
   * Sends a request over an idle connection, or else over a new one. If the idle connection fails, sends the request
   * again over a new one, because the server may have closed it meanwhile. The connection stays open once the body has
   * been read.
   * @param end must abort when the caller is done, as in `exchange`
   */
  async exchange(request: HttpRequest, end: AbortSignal): Promise<HttpResponse> {
    const open = (): Dispatcher => openDispatcher(proxyFor(request.url, this.#env), KEEP_OPEN)
    const idle = this.#idle.pop()
    if (idle === undefined) return this.#send(request, open(), end)
    try {
      return await this.#send(request, idle, end)
    } catch (error) {
      if (end.aborted) throw error
      // The others have been idle for longer.
      this.close()
      return this.#send(request, open(), end)
    }
  }

  /** Closes the idle connections. */
  close(): void {
    for (const dispatcher of this.#idle.splice(0)) dispatcher.destroy().catch(() => undefined)
  }

  async #send(request: HttpRequest, dispatcher: Dispatcher, end: AbortSignal): Promise<HttpResponse> {
    const failed = new AbortController()
    const fail = (): void => {
      failed.abort()
    }
    end.addEventListener('abort', fail)
    try {
      const { body, ...response } = await exchange(request, this.#env, failed.signal, dispatcher)
      const idle = this.#idle
      async function* readThenKeep(): AsyncGenerator<Uint8Array> {
        yield* body
        end.removeEventListener('abort', fail)
        idle.push(dispatcher)
      }
      return { ...response, body: readThenKeep() }
    } catch (error) {
      fail()
      throw error
    }
  }
}
