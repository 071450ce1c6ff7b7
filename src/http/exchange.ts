/** Sends single HTTP requests and classifies their failures. */
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici'
import { decodeBody } from './decode-body.ts'
import { proxyAuthorization, proxyFor } from './proxy.ts'
import { classifyTlsFailure, isTlsFailure, type TlsFailure } from './tls-failures.ts'

/** Why a request got no complete response. */
export type FailureCause =
  | TlsFailure
  /** No connection was established, so nothing can have reached the server. A later attempt can succeed. */
  | 'no-connection'
  /** There is no secure connection to the proxy, for one of the reasons above. */
  | 'proxy-tls'
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

const INVALID_CODE = /^(?:UND_ERR_INVALID_ARG|ERR_INVALID_[A-Z_]+)$/

/**
 * The error of a connection that was not established: nothing of its request was sent. It hides the code of its cause
 * from undici, which connects again after some codes, immediately and endlessly.
 */
class ConnectFailure extends Error {
  readonly isProxy: boolean
  /** Whether the server sent its certificate before it ended the handshake. */
  readonly hasServerCertificate: boolean

  constructor(cause: unknown, isProxy: boolean, hasServerCertificate: boolean) {
    super('The connection was not established.', { cause })
    this.isProxy = isProxy
    this.hasServerCertificate = hasServerCertificate
  }

  classify(): FailureCause {
    const cause = failureCause(this.cause)
    if (this.isProxy && isTlsFailure(cause)) return 'proxy-tls'
    // Cipher and version were chosen when the server sent its certificate.
    if (cause === 'no-common-tls' && this.hasServerCertificate) return 'client-certificate'
    return cause === 'broken' ? 'no-connection' : cause
  }
}

/** Does not use `instanceof`, because Node's own errors are of another realm if the code runs in a `vm` context. */
function readFields(error: unknown) {
  const { code, syscall, message, errors } = (error ?? {}) as Readonly<Record<string, unknown>>
  // An AggregateError contains an error for each address that was tried.
  const parts = Array.isArray(errors) ? (errors as unknown[]) : []
  return { code: String(code), syscall, message: String(message), parts }
}

/** Returns the status with which a proxy rejects a tunnel. undici reports it in the message only. */
const getProxyStatus = (code: string, message: string): string | undefined =>
  code === 'UND_ERR_ABORTED' ? /^Proxy response \((\d{3})\)/.exec(message)?.[1] : undefined

/** Classifies an error of undici or Node. An unknown error is `broken`, the class that guarantees least. */
export function failureCause(error: unknown): FailureCause {
  if (error instanceof ConnectFailure) return error.classify()
  const { code, syscall, message, parts } = readFields(error)
  if (parts.length > 0)
    return parts.every((part) => failureCause(part) === 'no-connection') ? 'no-connection' : 'broken'
  if (CONNECT_SYSCALLS.has(syscall) || code === 'UND_ERR_CONNECT_TIMEOUT') return 'no-connection'
  if (INVALID_CODE.test(code)) return 'invalid'
  if (code === TOO_LARGE_CODE) return 'too-large'
  const proxyStatus = getProxyStatus(code, message)
  if (proxyStatus !== undefined) return Number(proxyStatus) >= 500 ? 'no-connection' : 'proxy-refused'
  return classifyTlsFailure(code, message) ?? 'broken'
}

const DEFECT_NAMES = ['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError']

/** Whether an error is a bug in this action and not a failure of a request: such errors of undici and Node have a code. */
export function isDefect(error: unknown): boolean {
  const { name, code } = (error ?? {}) as Readonly<Record<string, unknown>>
  return code === undefined && DEFECT_NAMES.includes(String(name))
}

/** Returns the code of an error, such as `ECONNRESET`, or the status of a proxy, such as `407`. The error's message is not shown: it can contain URLs or keys. */
export function failureCode(error: unknown): string | undefined {
  if (error instanceof ConnectFailure) return failureCode(error.cause)
  const { code, message, parts } = readFields(error)
  if (parts.length > 0) return failureCode(parts[0])
  const proxyStatus = getProxyStatus(code, message)
  if (proxyStatus !== undefined) return proxyStatus
  // OpenSSL's code for some alerts begins with `ERR_SSL_SSL/TLS_`.
  return /^[A-Z][A-Z0-9_/]{0,63}$/.test(code) ? code : undefined
}

const CONNECT_TIMEOUT_MS = 10_000
/** For the proxy's response to CONNECT. Proxies report a server that they cannot reach later than a server does. */
const TUNNEL_TIMEOUT_MS = 30_000
/** Node's own 250 ms are too short for a handshake whose first packet was lost. */
const ADDRESS_TIMEOUT_MS = 2_500
const MAX_HEADER_BYTES = 256 * 1024
/** Per dispatcher, which sends one request. */
const MAX_CONNECTIONS = 3

const createError = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** The part of a `TLSSocket` that is used here. A plain socket has no such method. */
interface HandshakeSocket {
  readonly getPeerCertificate?: () => object | null
}

/** undici's types omit the socket that its connector returns. */
type Connect = (...given: Parameters<buildConnector.connector>) => HandshakeSocket | undefined

const hasServerCertificate = (socket: HandshakeSocket | undefined): boolean =>
  Object.keys(socket?.getPeerCertificate?.() ?? {}).length > 0

/**
 * Limits the connections of a dispatcher, and marks the errors of connections that were not established. undici
 * reconnects immediately and endlessly if a connection is lost before the request is written, such as when the server
 * speaks first. A tunnel through a proxy counts as a connection.
 */
function limitConnections(connect: buildConnector.connector, isProxy = false): buildConnector.connector {
  let connections = 0
  return (options, callback) => {
    let socket: HandshakeSocket | undefined
    const fail = (error: Error): void => {
      callback(new ConnectFailure(error, isProxy, hasServerCertificate(socket)), null)
    }
    if (++connections > MAX_CONNECTIONS) fail(createError('CONNECTION_LOST', 'The connection was lost.'))
    else
      socket = (connect as Connect)(options, (...result) => {
        const [error, connected] = result
        if (error !== null) {
          fail(error)
          return
        }
        // Node does not destroy a socket that receives a TLS alert after the handshake, and undici would replace the
        // error with that of the end of the stream.
        connected.once('error', (lateError: Error) => connected.destroy(lateError))
        callback(...result)
      })
  }
}

interface PoolOptions {
  readonly connect: buildConnector.connector
}

function openPool(origin: string | URL, options: object): Dispatcher {
  return new Pool(origin, { ...options, connect: limitConnections((options as PoolOptions).connect) })
}

/** Opens the connection to a proxy, which only sends CONNECT. */
function openProxyPool(origin: URL, options: object): Dispatcher {
  return new Pool(origin, {
    ...options,
    connect: limitConnections((options as PoolOptions).connect, true),
    headersTimeout: TUNNEL_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
}

/**
 * Opens a new connection for every request: if the server closed a kept-alive connection at the same moment, the
 * delivery of a POST would be unknown. HTTP/1.1 only, because undici can resend a request over HTTP/2. undici's
 * timeouts for responses are off: a slow response resets them. TCP keep-alive is off, because a connection serves one
 * request and the caller has a timeout.
 * @param options of undici, to keep connections open
 */
export function openDispatcher(proxy: URL | undefined, options: object = {}): Dispatcher {
  const limits = {
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    factory: openPool,
  }
  const connection = {
    timeout: CONNECT_TIMEOUT_MS,
    keepAlive: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  }
  if (proxy === undefined)
    return new Agent({ ...limits, connect: buildConnector({ ...connection, allowH2: limits.allowH2 }), ...options })
  return new ProxyAgent({
    ...limits,
    ...options,
    clientFactory: openProxyPool,
    uri: proxy.origin,
    proxyTls: connection,
    requestTls: connection,
    token: proxyAuthorization(proxy),
  })
}

/** Identifies this action to the service and to GitHub. */
export const USER_AGENT = 'docs-agent-action'

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
  /** Decompressed. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Sends one request over its own connection.
 * @param env names the proxies
 * @param end must abort when the caller is done, which closes the connection; undici's own signal does not close a
 *   connection to a proxy that never responds
 * @param dispatcher by default a new connection
 * @throws an error of undici or Node, which `failureCause` classifies
 * @throws ActionError `proxy` if the proxy URL is invalid
 */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  env: NodeJS.ProcessEnv,
  end: AbortSignal,
  dispatcher = openDispatcher(proxyFor(url, env)),
): Promise<HttpResponse> {
  end.addEventListener('abort', () => {
    dispatcher.destroy().catch(() => undefined)
  })
  const response = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as 'GET',
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
  })
  // The error of a body that nobody reads must not stop the process. A reader gets it in any case.
  response.body.on('error', () => undefined)
  const values = Object.entries(response.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value[0] : value,
  ])
  const responseHeaders = Object.fromEntries(values) as HttpResponse['headers']
  return {
    status: response.statusCode,
    headers: responseHeaders,
    // Some servers and proxies compress although `identity` was requested.
    body: decodeBody(response.body, responseHeaders['content-encoding']),
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
