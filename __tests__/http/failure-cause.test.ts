import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import type * as undici from 'undici'
import { failureCause, failureCode, isDefect } from '../../src/http/exchange.ts'

/** Not from the index, which the build replaces. */
const errors = createRequire(import.meta.url)('undici/lib/core/errors.js') as typeof undici.errors

const createError = (code: string, syscall?: string): Error => Object.assign(new Error('It failed.'), { code, syscall })
const createProxyError = (status: number): Error =>
  new errors.RequestAbortedError(`Proxy response (${status}) !== 200 when HTTP Tunneling`)

/** The codes of each class, after the system call that failed, if there is one. */
const CODES = {
  'no-connection':
    'connect/ECONNREFUSED connect/ENETUNREACH connect/EHOSTUNREACH connect/ETIMEDOUT getaddrinfo/ENOTFOUND getaddrinfo/EAI_AGAIN',
  untrusted:
    'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY CERT_REVOKED INVALID_CA',
  'wrong-name': 'ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH',
  expired: 'CERT_HAS_EXPIRED CERT_NOT_YET_VALID',
  'no-common-tls': 'ERR_SSL_UNSUPPORTED_PROTOCOL ERR_SSL_NO_CIPHERS_AVAILABLE ERR_SSL_DH_KEY_TOO_SMALL',
  'not-tls': 'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG',
  invalid: 'ERR_INVALID_ARG_TYPE ERR_INVALID_CHAR',
  broken: 'read/ECONNRESET write/ECONNRESET ECONNRESET write/EPIPE read/ETIMEDOUT EPROTO ERR_SSL_UNEXPECTED_MESSAGE',
}
const CODE_CASES = Object.entries(CODES).flatMap(([cause, codes]) =>
  codes.split(' ').map((code) => [createError(...(code.split('/').reverse() as [string])), cause] as const),
)
const createTlsError = (reason: string, code = 'EPROTO'): Error =>
  Object.assign(new Error(`write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:${reason}`), { code })
const createAlert = (number: number): Error =>
  createTlsError(`a name:../ssl.c:918:SSL alert number ${number}`, 'ERR_SSL_SSL/TLS_X')

test.each<readonly [unknown, string]>([
  ...CODE_CASES,
  ...[500, 502, 503, 504].map((status) => [createProxyError(status), 'no-connection'] as const),
  ...[401, 403, 404, 407, 429].map((status) => [createProxyError(status), 'proxy-refused'] as const),
  [new errors.ConnectTimeoutError(), 'no-connection'],
  [createTlsError('wrong version number:../ssl.c:77:'), 'not-tls'],
  [createTlsError('unsupported protocol:../ssl.c:77:'), 'no-common-tls'],
  [createTlsError('unexpected message:../version.c:77:'), 'broken'],
  ...[40, 70, 71, 120].map((alert) => [createAlert(alert), 'no-common-tls'] as const),
  ...[42, 43, 44, 45, 46, 48, 116].map((alert) => [createAlert(alert), 'client-certificate'] as const),
  [createAlert(112), 'wrong-name'],
  ...[0, 10, 20, 80, 90].map((alert) => [createAlert(alert), 'broken'] as const),
  [new errors.InvalidArgumentError('x'), 'invalid'],
  [new errors.SocketError('other side closed'), 'broken'],
  [new errors.HeadersTimeoutError(), 'broken'],
  [new errors.BodyTimeoutError(), 'broken'],
  [new errors.RequestAbortedError('Request aborted'), 'broken'],
  [new errors.ResponseContentLengthMismatchError(), 'broken'],
  [new errors.ClientDestroyedError(), 'broken'],
  // Only undici's own error for this case means that a proxy responded.
  [new Error('Proxy response (502) !== 200 when HTTP Tunneling'), 'broken'],
  [new errors.RequestAbortedError('No Proxy response (502)'), 'broken'],
  [new Error('connect ECONNREFUSED'), 'broken'],
  ['connect', 'broken'],
  [undefined, 'broken'],
  [null, 'broken'],
])('classifies %s as %s', (error, cause) => {
  expect(failureCause(error)).toBe(cause)
})

test('if several addresses were tried, all must have failed to connect', () => {
  const refused = createError('ECONNREFUSED', 'connect')
  const reset = createError('ECONNRESET', 'read')
  const aggregate = (...parts: Error[]): Error => Object.assign(new AggregateError(parts), { code: 'ECONNREFUSED' })

  expect(failureCause(aggregate(refused, refused))).toBe('no-connection')
  expect(failureCause(aggregate(refused, reset))).toBe('broken')
  expect(failureCause(aggregate(reset))).toBe('broken')
  expect(failureCause(aggregate())).toBe('broken')
})

test.each([
  [createError('ECONNRESET'), 'ECONNRESET'],
  [createError('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'), 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'],
  [new AggregateError([createError('ENETUNREACH', 'connect'), createError('ECONNREFUSED', 'connect')]), 'ENETUNREACH'],
  [createProxyError(407), '407'],
  [new Error('x'), undefined],
  [createError('::error::x'), undefined],
  [createError('key dk_1'), undefined],
  [createError('A'.repeat(65)), undefined],
  [Object.assign(new Error('x'), { code: 7 }), undefined],
  [undefined, undefined],
])('the code of %s is %s', (error, code) => {
  expect(failureCode(error)).toBe(code)
})

test.each<readonly [string, unknown, boolean]>([
  ['of a missing function', new TypeError('pipeline is not a function'), true],
  ['of an undefined variable', new ReferenceError('x is not defined'), true],
  ['of Node', Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' }), false],
  ['of a decoder', Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' }), false],
  ['without a code', new Error('other side closed'), false],
])('distinguishes bugs from failures of a request: an error %s', (_what, error, isBug) => {
  expect(isDefect(error)).toBe(isBug)
})
