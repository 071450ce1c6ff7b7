/** Classifies and explains failures of secure connections that a later attempt does not change. */

/** Why there is no secure connection. */
export type TlsFailure =
  /** The certificate is not trusted. */
  | 'untrusted'
  /** The certificate is for another host, or the server does not know the host. */
  | 'wrong-name'
  /** The certificate has expired, or is not valid yet. */
  | 'expired'
  /** A key or a signature in the chain of certificates is too weak for Node.js. */
  | 'weak-certificate'
  /** The server and this process have no TLS version or cipher in common. */
  | 'no-common-tls'
  /** The server speaks only other protocols over TLS than HTTP/1.1, such as HTTP/2. */
  | 'no-http-1.1'
  /** The server requires a client certificate. */
  | 'client-certificate'
  /** The server does not use TLS. */
  | 'not-tls'

/** The codes of certificates that are rejected for another reason than their name and dates. */
const UNTRUSTED_CODE =
  /^(?:CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/

/** TLS alerts (RFC 8446, section 6) that a later attempt does not change. Any other alert can be temporary. */
const ALERT_CAUSES: Readonly<Record<string, TlsFailure>> = {
  40: 'no-common-tls',
  70: 'no-common-tls',
  71: 'no-common-tls',
  120: 'no-http-1.1',
  // The server rejects the certificate of the client, which has none.
  42: 'client-certificate',
  43: 'client-certificate',
  44: 'client-certificate',
  45: 'client-certificate',
  46: 'client-certificate',
  48: 'client-certificate',
  116: 'client-certificate',
  112: 'wrong-name',
}

/** OpenSSL's reasons for a response without TLS. */
const NOT_TLS_REASON = /^(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/
/** OpenSSL's reasons for a server whose protocol or keys this process rejects. */
const NO_COMMON_TLS_REASON =
  /UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION|CIPHER|KEY_TOO_SMALL|MD_TOO_WEAK|LEGACY_RENEGOTIATION/

/** Classifies an error by its code and message. Returns `undefined` for other errors, and for those that can be temporary. */
export function classifyTlsFailure(code: string, message: string): TlsFailure | undefined {
  if (/^ERR_TLS_CERT_ALTNAME_|^HOSTNAME_MISMATCH$/.test(code)) return 'wrong-name'
  if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) return 'expired'
  // Node.js has no codes of its own for some errors of OpenSSL's verification.
  if (code === 'UNSPECIFIED') return / too (?:weak|small)$/.test(message) ? 'weak-certificate' : 'untrusted'
  if (UNTRUSTED_CODE.test(code)) return 'untrusted'
  if (!/^ERR_SSL_|^EPROTO$/.test(code)) return undefined
  // OpenSSL renames the reasons of alerts, but not their numbers.
  const alert = /SSL alert number (\d+)/.exec(message)?.[1]
  if (alert !== undefined) return ALERT_CAUSES[alert]
  // Only the message of `EPROTO` has the reason.
  const words = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? code.replace('ERR_SSL_', '')
  const reason = words.toUpperCase().replaceAll(' ', '_')
  if (NOT_TLS_REASON.test(reason)) return 'not-tls'
  return NO_COMMON_TLS_REASON.test(reason) ? 'no-common-tls' : undefined
}

/** `what` continues a sentence that begins with the name of the server. */
type Explanation = readonly [what: string, hint: string]

/**
 * By failure: what happened and what to do about it.
 * @param server its name in the middle of a sentence
 * @param setting the setting that contains its URL
 */
export const explainTlsFailures = (server: string, setting: string): Readonly<Record<TlsFailure, Explanation>> => ({
  untrusted: [
    'could not be reached, because its certificate is not trusted',
    `If ${server} uses a private certificate authority, set the environment variable \`NODE_EXTRA_CA_CERTS\` to the path of its certificate.`,
  ],
  'wrong-name': [
    'could not be reached, because the server at this address has no certificate for its host name',
    `Check the host in ${setting}, and whether a firewall or proxy responds instead of ${server}.`,
  ],
  expired: [
    'could not be reached, because its certificate has expired or is not valid yet',
    `Check the certificate of ${server}, and the date of the runner's clock.`,
  ],
  'weak-certificate': [
    'could not be reached, because its certificate has a key or a signature that is too weak',
    `Replace the certificate of ${server}: Node.js requires RSA keys of at least 2048 bits, and signatures with SHA-256 or better, also of the authorities above it.`,
  ],
  'no-http-1.1': [
    'could not be reached, because the server at this address does not speak HTTP/1.1',
    `Enable HTTP/1.1 beside HTTP/2 at ${server} or the gateway in front of it.`,
  ],
  'no-common-tls': [
    'could not be reached, because it accepts no TLS version or cipher that this action supports',
    `Enable TLS 1.2 or 1.3 with a current cipher at ${server}. A server that requires a client certificate can fail in the same way.`,
  ],
  'client-certificate': [
    'rejected the connection, because it requires a client certificate',
    `This action cannot send client certificates. Set ${setting} to an address that requires none.`,
  ],
  'not-tls': [
    'could not be reached, because the server at this address does not use TLS',
    `Check the port in ${setting}: it serves plain \`http:\` or another protocol, not \`https:\`.`,
  ],
})

export const isTlsFailure = (cause: string): cause is TlsFailure => cause in explainTlsFailures('', '')
