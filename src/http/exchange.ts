import type { buildConnector as Connecting, Dispatcher } from 'undici'
import { proxyAuthorization, proxyFor } from './proxy.ts'
import { Agent, buildConnector, Pool, ProxyAgent } from './undici.ts'

/** Why a request brought no whole answer. */
export type FailureCause =
  /** No connection came about, so nothing can have reached the service. */
  | 'no-connection'
  /** The certificate or the TLS handshake was refused. */
  | 'untrusted'
  /** TLS was spoken to something that does not speak it. */
  | 'not-tls'
  /** The proxy wants other credentials, or forbids the address. */
  | 'proxy-refused'
  /** The request itself cannot be sent, now or later. */
  | 'invalid'
  /** The time for this request ran out. */
  | 'timeout'
  /** The run was cancelled. */
  | 'cancelled'
  /** The response is larger than the limit. */
  | 'too-large'
  /** The connection broke, or anything that is not known to be harmless. */
  | 'broken'

/** The code of the error that stops reading a response above the limit. */
const TOO_LARGE_CODE = 'RESPONSE_TOO_LARGE'

const CONNECT_CALLS = new Set<unknown>(['connect', 'getaddrinfo'])

const TLS_CODE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|CRL_|UND_ERR_PRX_TLS$)/

/** What OpenSSL makes of an answer in plain text, by its version in the code or in the message of an `EPROTO`. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|wrong version number|packet length too long/

const INVALID_CODE = /^(?:UND_ERR_INVALID_ARG|ERR_INVALID_[A-Z_]+)$/

/** By shape and not by `instanceof`: Node's own errors are of another realm where code runs in a `vm` context. */
function getFacts(error: unknown) {
  const { code, syscall, message, errors } = (error ?? {}) as Readonly<Record<string, unknown>>
  // An AggregateError has an error for each address that was tried.
  const parts = Array.isArray(errors) ? (errors as unknown[]) : []
  return { code: String(code), syscall, message: String(message), parts }
}

/** Reads an error of undici or Node by its class. What is not listed is `broken`, the class that promises least. */
export function failureCause(error: unknown): FailureCause {
  const { code, syscall, message, parts } = getFacts(error)
  if (parts.length > 0)
    return parts.every((part) => failureCause(part) === 'no-connection') ? 'no-connection' : 'broken'
  if (CONNECT_CALLS.has(syscall) || code === 'UND_ERR_CONNECT_TIMEOUT') return 'no-connection'
  if (TLS_CODE.test(code)) return NOT_TLS.test(`${code} ${message}`) ? 'not-tls' : 'untrusted'
  if (INVALID_CODE.test(code)) return 'invalid'
  if (code === TOO_LARGE_CODE) return 'too-large'
  // undici tells by the message alone that a proxy has refused a tunnel.
  const proxyStatus = code === 'UND_ERR_ABORTED' ? /^Proxy response \((\d{3})\)/.exec(message)?.[1] : undefined
  if (proxyStatus !== undefined) return Number(proxyStatus) >= 500 ? 'no-connection' : 'proxy-refused'
  return 'broken'
}

/** The short name of an error, such as `ECONNRESET`, for people who look it up. Its message may hold addresses or keys. */
export function failureCode(error: unknown): string | undefined {
  const { code, parts } = getFacts(error)
  if (parts.length > 0) return failureCode(parts[0])
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}

const CONNECT_TIMEOUT_MS = 10_000
/** So many are enough for one dispatcher, which is made for one request. */
const MAX_CONNECTIONS = 3
/** With these codes undici connects again, as it takes them for a kept socket that was closed. A proxy that hangs up has one. */
const ENDLESS = new Set<unknown>(['UND_ERR_SOCKET', 'UND_ERR_INFO'])

const failed = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/**
 * A connection that is lost before the request was written, say because the other side speaks first, is opened again by
 * undici at once, without end. undici counts a tunnel through the proxy as a connection.
 */
function connectFewTimes(connect: Connecting.connector): Connecting.connector {
  let connections = 0
  return (options, callback) => {
    if (++connections > MAX_CONNECTIONS) callback(failed('CONNECTION_LOST', 'The connection was lost.'), null)
    else
      connect(options, (...result) => {
        const [error] = result
        const isEndless = error !== null && 'code' in error && ENDLESS.has(error.code)
        if (isEndless) callback(failed('PROXY_HUNG_UP', 'The proxy hung up.'), null)
        else callback(...result)
      })
  }
}

function openPool(origin: string | URL, options: object): Dispatcher {
  const { connect } = options as { readonly connect: Connecting.connector }
  return new Pool(origin, { ...options, connect: connectFewTimes(connect) })
}

/**
 * A fresh connection for every request: a kept one that the service closes in the same moment would make the fate of a
 * POST unknown. HTTP/1.1 only, since HTTP/2 lets undici send a request again by itself. Its own time limits are off, because
 * a slow drip resets them, and a proxy that never answers outlives them. TCP keep-alive is of no use to a connection for one
 * request, whose caller has a time limit of its own.
 */
export function openDispatcher(proxy: URL | undefined): Dispatcher {
  const limits = { headersTimeout: 0, bodyTimeout: 0, pipelining: 0, allowH2: false, factory: openPool }
  const connection = { timeout: CONNECT_TIMEOUT_MS, keepAlive: false }
  if (proxy === undefined) {
    const connect = buildConnector({ ...connection, autoSelectFamily: true, allowH2: limits.allowH2 })
    return new Agent({ ...limits, connect })
  }
  return new ProxyAgent({
    ...limits,
    uri: proxy.origin,
    proxyTls: connection,
    requestTls: connection,
    token: proxyAuthorization(proxy),
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
 * @param env where the proxies stand
 * @param end has to abort when whoever asked is done, as that ends the connection: undici's own signal does not end one to a
 *   proxy that never answers
 * @throws Error of undici or Node, whose class `failureCause` reads, or ActionError `proxy` if the proxy's address is none
 */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  env: NodeJS.ProcessEnv,
  end: AbortSignal,
): Promise<HttpAnswer> {
  const dispatcher = openDispatcher(proxyFor(url, env))
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

/**
 * Reads the body of an answer to its end.
 * @throws Error as soon as it is longer than `mostBytes`, with the rest unread
 */
export async function readText(body: HttpAnswer['body'], mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) throw failed(TOO_LARGE_CODE, 'The response is too large.')
    chunks.push(chunk)
  }
  // Unlike Buffer, it drops a byte order mark, which JSON.parse would refuse.
  return new TextDecoder().decode(Buffer.concat(chunks))
}
