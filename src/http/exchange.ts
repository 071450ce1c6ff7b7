import type { buildConnector as Connecting, Dispatcher } from 'undici'
import { proxyAuthorization } from './proxy.ts'
import { Agent, buildConnector, Pool, ProxyAgent } from './undici.ts'

const CONNECT_TIMEOUT_MS = 10_000

/**
 * A connection that is lost before the request was written, say because the other side speaks first, is opened again by
 * undici at once, without end. So many are enough for one dispatcher, which is made for one request.
 */
const MAX_CONNECTIONS = 3

const lost = (code: string, message: string): Error => Object.assign(new Error(message), { code })

function connectFewTimes(connect: Connecting.connector): Connecting.connector {
  let connections = 0
  return (options, callback) => {
    if (++connections > MAX_CONNECTIONS) callback(lost('CONNECTION_LOST', 'The connection was lost.'), null)
    else connect(options, callback)
  }
}

/** With these codes undici connects again at once, without end, as it takes them for a kept socket that was closed. */
const ENDLESS = new Set(['UND_ERR_SOCKET', 'UND_ERR_INFO'])

function endRetrying(error: unknown): never {
  if (ENDLESS.has((error as { code: string }).code)) throw lost('PROXY_HUNG_UP', 'The proxy hung up.')
  throw error
}

class ProxyPool extends Pool {
  #tunnels = 0

  async tunnel(request: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    if (++this.#tunnels > MAX_CONNECTIONS) throw lost('CONNECTION_LOST', 'The tunnel was lost.')
    return super.connect(request).catch(endRetrying)
  }
}

/** The connections to a proxy: one that hangs up before it answers CONNECT must not be asked in a hot loop. */
function openProxyPool(origin: URL, options: object): Dispatcher {
  const pool = new ProxyPool(origin, options)
  return Object.assign(pool, { connect: (request: Dispatcher.ConnectOptions) => pool.tunnel(request) })
}

/**
 * A fresh connection for every request: a kept one that the service closes in the same moment would make the fate of a
 * POST unknown. HTTP/1.1 only, since HTTP/2 lets undici send a request again by itself. Its own time limits are off, because
 * a slow drip resets them, and a proxy that never answers outlives them. TCP keep-alive is of no use to a connection for one
 * request, whose caller has a time limit of its own.
 */
export function openDispatcher(proxy: URL | undefined): Dispatcher {
  const limits = { headersTimeout: 0, bodyTimeout: 0, pipelining: 0, allowH2: false }
  const connection = { timeout: CONNECT_TIMEOUT_MS, keepAlive: false }
  if (proxy === undefined) {
    const connect = buildConnector({ ...connection, autoSelectFamily: true, allowH2: limits.allowH2 })
    return new Agent({ ...limits, connect: connectFewTimes(connect) })
  }
  const token = proxyAuthorization(proxy)
  return new ProxyAgent({
    ...limits,
    uri: proxy.origin,
    proxyTls: connection,
    requestTls: connection,
    ...(token === undefined ? {} : { token }),
    clientFactory: openProxyPool,
  })
}

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case; of a header that came more than once the first. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Sends one request over a connection of its own.
 * @param end has to abort when whoever asked is done, as that ends the connection: undici's own signal does not end one to a
 *   proxy that never answers
 * @throws Error of undici or Node, whose class `failureCause` reads
 */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  proxy: URL | undefined,
  end: AbortSignal,
): Promise<HttpAnswer> {
  const dispatcher = openDispatcher(proxy)
  end.addEventListener('abort', () => {
    dispatcher.destroy().catch(() => undefined)
  })
  const answer = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as 'GET',
    // An answer that is packed all the same could not be read, and a prompt's fate would be unknown.
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
  })
  const first = Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(first) as HttpAnswer['headers'],
    body: answer.body,
  }
}
