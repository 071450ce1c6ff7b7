import { expect, test } from '@jest/globals'
import { errors } from 'undici'
import { failureCause, failureCode } from '../../src/http/exchange.ts'

const failed = (code: string, syscall?: string): Error => Object.assign(new Error('It failed.'), { code, syscall })
const proxySaid = (status: number): Error =>
  new errors.RequestAbortedError(`Proxy response (${status}) !== 200 when HTTP Tunneling`)

/** Errors by their codes, behind the call that failed where there is one. */
const CODES = {
  'no-connection':
    'connect/ECONNREFUSED connect/ENETUNREACH connect/EHOSTUNREACH connect/ETIMEDOUT getaddrinfo/ENOTFOUND getaddrinfo/EAI_AGAIN',
  untrusted:
    'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY CERT_HAS_EXPIRED CERT_NOT_YET_VALID ERR_TLS_CERT_ALTNAME_INVALID ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION EPROTO UND_ERR_PRX_TLS',
  'not-tls': 'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG',
  invalid: 'ERR_INVALID_ARG_TYPE ERR_INVALID_CHAR',
  broken: 'read/ECONNRESET write/ECONNRESET ECONNRESET write/EPIPE read/ETIMEDOUT PROXY_HUNG_UP',
}
const ofCodes = Object.entries(CODES).flatMap(([cause, codes]) =>
  codes.split(' ').map((code) => [failed(...(code.split('/').reverse() as [string])), cause] as const),
)
const WRONG_VERSION = 'write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:'

test.each<readonly [unknown, string]>([
  ...ofCodes,
  ...[500, 502, 503, 504].map((status) => [proxySaid(status), 'no-connection'] as const),
  ...[401, 403, 404, 407, 429].map((status) => [proxySaid(status), 'proxy-refused'] as const),
  [new errors.ConnectTimeoutError(), 'no-connection'],
  [Object.assign(new Error(WRONG_VERSION), { code: 'EPROTO' }), 'not-tls'],
  [new errors.InvalidArgumentError('x'), 'invalid'],
  [new errors.SocketError('other side closed'), 'broken'],
  [new errors.HeadersTimeoutError(), 'broken'],
  [new errors.BodyTimeoutError(), 'broken'],
  [new errors.RequestAbortedError('Request aborted'), 'broken'],
  [new errors.ResponseContentLengthMismatchError(), 'broken'],
  [new errors.ClientDestroyedError(), 'broken'],
  // Only the kind of error that undici uses for it speaks for a proxy.
  [new Error('Proxy response (502) !== 200 when HTTP Tunneling'), 'broken'],
  [new errors.RequestAbortedError('No Proxy response (502)'), 'broken'],
  [new Error('connect ECONNREFUSED'), 'broken'],
  ['connect', 'broken'],
  [undefined, 'broken'],
  [null, 'broken'],
])('%s is of the class %s, and of that which promises least if nothing is known', (error, cause) => {
  expect(failureCause(error)).toBe(cause)
})

test('where several addresses were tried, every one of them must have failed to connect', () => {
  const refused = failed('ECONNREFUSED', 'connect')
  const reset = failed('ECONNRESET', 'read')
  const several = (...parts: Error[]): Error => Object.assign(new AggregateError(parts), { code: 'ECONNREFUSED' })

  expect(failureCause(several(refused, refused))).toBe('no-connection')
  expect(failureCause(several(refused, reset))).toBe('broken')
  expect(failureCause(several(reset))).toBe('broken')
  expect(failureCause(several())).toBe('broken')
})

test.each([
  [failed('ECONNRESET'), 'ECONNRESET'],
  [new AggregateError([failed('ENETUNREACH', 'connect'), failed('ECONNREFUSED', 'connect')]), 'ENETUNREACH'],
  [new Error('x'), undefined],
  [failed('::error::x'), undefined],
  [failed('key dk_1'), undefined],
  [failed('A'.repeat(65)), undefined],
  [Object.assign(new Error('x'), { code: 7 }), undefined],
  [undefined, undefined],
])('%s has the short name %s', (error, code) => {
  expect(failureCode(error)).toBe(code)
})
