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
  /** The connection broke, or anything that is not known to be harmless. */
  | 'broken'

const CONNECT_CALLS = new Set(['connect', 'getaddrinfo'])

const TLS_CODE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|CRL_|UND_ERR_PRX_TLS$)/

/** What OpenSSL makes of an answer in plain text, by its version in the code or in the message of an `EPROTO`. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|wrong version number|packet length too long/

const INVALID_CODE = /^(?:UND_ERR_INVALID_ARG|ERR_INVALID_[A-Z_]+)$/

interface ErrorFacts {
  readonly code: string
  readonly syscall: string
  readonly message: string
  /** Of an AggregateError: one for each address that was tried. */
  readonly parts: readonly unknown[]
}

/** By shape and not by `instanceof`: Node's own errors are of another realm where code runs in a `vm` context. */
function factsOf(error: unknown): ErrorFacts {
  const { code, syscall, message, errors } = (error ?? {}) as Readonly<Record<string, unknown>>
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  return {
    code: text(code),
    syscall: text(syscall),
    message: text(message),
    parts: Array.isArray(errors) ? (errors as unknown[]) : [],
  }
}

/** undici reports a proxy's refusal of a tunnel by its message only. */
function proxyStatus({ code, message }: ErrorFacts): number | undefined {
  if (code !== 'UND_ERR_ABORTED') return undefined
  const status = /^Proxy response \((\d{3})\)/.exec(message)?.[1]
  return status === undefined ? undefined : Number(status)
}

/** Reads an error of undici or Node by its class. What is not listed is `broken`, the class that promises least. */
export function failureCause(error: unknown): FailureCause {
  const facts = factsOf(error)
  if (facts.parts.length > 0) {
    return facts.parts.every((part) => failureCause(part) === 'no-connection') ? 'no-connection' : 'broken'
  }
  if (CONNECT_CALLS.has(facts.syscall) || facts.code === 'UND_ERR_CONNECT_TIMEOUT') return 'no-connection'
  if (TLS_CODE.test(facts.code)) return NOT_TLS.test(`${facts.code} ${facts.message}`) ? 'not-tls' : 'untrusted'
  if (INVALID_CODE.test(facts.code)) return 'invalid'
  const status = proxyStatus(facts)
  if (status !== undefined) return status >= 500 ? 'no-connection' : 'proxy-refused'
  return 'broken'
}

/** The short name of an error, such as `ECONNRESET`, for people who look it up. Its message may hold addresses or keys. */
export function failureCode(error: unknown): string | undefined {
  const { code, parts } = factsOf(error)
  if (parts.length > 0) return failureCode(parts[0])
  return /^[A-Z0-9_]{1,64}$/.test(code) ? code : undefined
}
