/** Sends single HTTP requests and classifies their failures. */
import type { buildConnector as UndiciConnector, Dispatcher } from 'undici'
import { proxyAuthorization, proxyFor } from './proxy.ts'
import { Agent, buildConnector, Pool, ProxyAgent } from './undici.ts'

/** Why a request got no complete response. */
export type FailureCause =
  /** No connection was established, so nothing can have reached the server. */
  | 'no-connection'
  /** The certificate or the TLS handshake was rejected. */
  | 'untrusted'
  /** The server does not use TLS. */
  | 'not-tls'
  /** The proxy rejected the credentials or the address. */
  | 'proxy-refused'
  /** The request is invalid and can never be sent. */
  | 'invalid'
  /** The timeout of this request expired. */
  | 'timeout'
  /** The run was cancelled. */
  | 'cancelled'
  /** The response is larger than the limit. */
  | 'too-large'
  /** The connection broke, or the error is unknown. */
  | 'broken'

/** The code of the error for a response above the limit. */
const TOO_LARGE_CODE = 'RESPONSE_TOO_LARGE'

const CONNECT_SYSCALLS = new Set<unknown>(['connect', 'getaddrinfo'])

const TLS_CODE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|CRL_|UND_ERR_PRX_TLS$)/

/**
 * OpenSSL's errors for a response without TLS. The version decides whether the code or the message of `EPROTO` names
 * them.
 */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|wrong version number|packet length too long/

const INVALID_CODE = /^(?:UND_ERR_INVALID_ARG|ERR_INVALID_[A-Z_]+)$/

/** Does not use `instanceof`, because Node's own errors are of another realm if the code runs in a `vm` context. */
function readFields(error: unknown) {
  const { code, syscall, message, errors } = (error ?? {}) as Readonly<Record<string, unknown>>
  // An AggregateError contains an error for each address that was tried.
  const parts = Array.isArray(errors) ? (errors as unknown[]) : []
  return { code: String(code), syscall, message: String(message), parts }
}

/** Classifies an error of undici or Node. An unknown error is `broken`, the class that guarantees least. */
export function failureCause(error: unknown): FailureCause {
  const { code, syscall, message, parts } = readFields(error)
  if (parts.length > 0)
    return parts.every((part) => failureCause(part) === 'no-connection') ? 'no-connection' : 'broken'
  if (CONNECT_SYSCALLS.has(syscall) || code === 'UND_ERR_CONNECT_TIMEOUT') return 'no-connection'
  if (TLS_CODE.test(code)) return NOT_TLS.test(`${code} ${message}`) ? 'not-tls' : 'untrusted'
  if (INVALID_CODE.test(code)) return 'invalid'
  if (code === TOO_LARGE_CODE) return 'too-large'
  // undici reports a rejected tunnel in the message only.
  const proxyStatus = code === 'UND_ERR_ABORTED' ? /^Proxy response \((\d{3})\)/.exec(message)?.[1] : undefined
  if (proxyStatus !== undefined) return Number(proxyStatus) >= 500 ? 'no-connection' : 'proxy-refused'
  return 'broken'
}

/** Returns the code of an error, such as `ECONNRESET`. Its message is not shown: it can contain URLs or keys. */
export function failureCode(error: unknown): string | undefined {
  const { code, parts } = readFields(error)
  if (parts.length > 0) return failureCode(parts[0])
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}

const CONNECT_TIMEOUT_MS = 10_000
/** Per dispatcher, which sends one request. */
const MAX_CONNECTIONS = 3
/**
 * After these codes undici reconnects, as after the close of a kept-alive socket. A proxy that hangs up causes one of
 * them.
 */
const RECONNECT_CODES = new Set<unknown>(['UND_ERR_SOCKET', 'UND_ERR_INFO'])

const createError = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/**
 * Limits the connections of a dispatcher. undici reconnects immediately and endlessly if a connection is lost before
 * the request is written, such as when the server speaks first. A tunnel through a proxy counts as a connection.
 */
function limitConnections(connect: UndiciConnector.connector): UndiciConnector.connector {
  let connections = 0
  return (options, callback) => {
    if (++connections > MAX_CONNECTIONS) callback(createError('CONNECTION_LOST', 'The connection was lost.'), null)
    else
      connect(options, (...result) => {
        const [error] = result
        const wouldReconnect = error !== null && 'code' in error && RECONNECT_CODES.has(error.code)
        if (wouldReconnect) callback(createError('PROXY_HUNG_UP', 'The proxy hung up.'), null)
        else callback(...result)
      })
  }
}

function openPool(origin: string | URL, options: object): Dispatcher {
  const { connect } = options as { readonly connect: UndiciConnector.connector }
  return new Pool(origin, { ...options, connect: limitConnections(connect) })
}

/**
 * Opens a new connection for every request: if the server closed a kept-alive connection at the same moment, the
 * delivery of a POST would be unknown. HTTP/1.1 only, because undici can resend a request over HTTP/2. undici's
 * timeouts are off: a slow response resets them, and they do not end a connection to a proxy that never responds. TCP
 * keep-alive is off, because a connection serves one request and the caller has a timeout.
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

export interface HttpResponse {
  readonly status: number
  /** Names in lower case. Of a repeated header, the first value. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Sends one request over its own connection.
 * @param env names the proxies
 * @param end must abort when the caller is done, which closes the connection; undici's own signal does not close a
 *   connection to a proxy that never responds
 * @throws an error of undici or Node, which `failureCause` classifies
 * @throws ActionError `proxy` if the proxy URL is invalid
 */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  env: NodeJS.ProcessEnv,
  end: AbortSignal,
): Promise<HttpResponse> {
  const dispatcher = openDispatcher(proxyFor(url, env))
  end.addEventListener('abort', () => {
    dispatcher.destroy().catch(() => undefined)
  })
  const response = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as 'GET',
    // A compressed response could not be read, and the delivery of a prompt would be unknown.
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
  })
  const values = Object.entries(response.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value[0] : value,
  ])
  return {
    status: response.statusCode,
    headers: Object.fromEntries(values) as HttpResponse['headers'],
    body: response.body,
  }
}

/**
 * Reads the body of a response as text.
 * @throws Error as soon as the body exceeds `maxBytes`, without reading the rest
 */
export async function readText(body: HttpResponse['body'], maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw createError(TOO_LARGE_CODE, 'The response is too large.')
    chunks.push(chunk)
  }
  // Unlike Buffer, TextDecoder removes a byte order mark, which JSON.parse rejects.
  return new TextDecoder().decode(Buffer.concat(chunks))
}
