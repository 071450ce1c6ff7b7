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
export const TOO_LARGE_CODE = 'RESPONSE_TOO_LARGE'

const CONNECT_CALLS = new Set<unknown>(['connect', 'getaddrinfo'])

const TLS_CODE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|CRL_|UND_ERR_PRX_TLS$)/

/** What OpenSSL makes of an answer in plain text, by its version in the code or in the message of an `EPROTO`. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|wrong version number|packet length too long/

const INVALID_CODE = /^(?:UND_ERR_INVALID_ARG|ERR_INVALID_[A-Z_]+)$/

/** By shape and not by `instanceof`: Node's own errors are of another realm where code runs in a `vm` context. */
function factsOf(error: unknown) {
  const { code, syscall, message, errors } = (error ?? {}) as Readonly<Record<string, unknown>>
  // An AggregateError has an error for each address that was tried.
  const parts = Array.isArray(errors) ? (errors as unknown[]) : []
  return { code: String(code), syscall, message: String(message), parts }
}

/** Reads an error of undici or Node by its class. What is not listed is `broken`, the class that promises least. */
export function failureCause(error: unknown): FailureCause {
  const { code, syscall, message, parts } = factsOf(error)
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
  const { code, parts } = factsOf(error)
  if (parts.length > 0) return failureCode(parts[0])
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}
