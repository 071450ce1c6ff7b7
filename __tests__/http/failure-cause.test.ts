import { expect, test } from '@jest/globals'
import { errors } from 'undici'
import { failureCause, failureCode } from '../../src/http/failure-cause.ts'

const failed = (code: string, syscall?: string): Error => Object.assign(new Error('It failed.'), { code, syscall })
const proxySaid = (status: number): Error =>
  new errors.RequestAbortedError(`Proxy response (${status}) !== 200 when HTTP Tunneling`)

test.each([
  failed('ECONNREFUSED', 'connect'),
  failed('ENETUNREACH', 'connect'),
  failed('EHOSTUNREACH', 'connect'),
  failed('ETIMEDOUT', 'connect'),
  failed('ENOTFOUND', 'getaddrinfo'),
  failed('EAI_AGAIN', 'getaddrinfo'),
  new errors.ConnectTimeoutError(),
  proxySaid(500),
  proxySaid(502),
  proxySaid(503),
  proxySaid(504),
])('%s: no connection came about', (error) => {
  expect(failureCause(error)).toBe('no-connection')
})

test.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'EPROTO',
  'UND_ERR_PRX_TLS',
])('%s: not trusted', (code) => {
  expect(failureCause(failed(code))).toBe('untrusted')
})

test.each([
  failed('ERR_SSL_WRONG_VERSION_NUMBER'),
  failed('ERR_SSL_PACKET_LENGTH_TOO_LONG'),
  Object.assign(new Error('write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:'), {
    code: 'EPROTO',
  }),
])('%s: what answers does not speak TLS', (error) => {
  expect(failureCause(error)).toBe('not-tls')
})

test.each([401, 403, 404, 407, 429])('a proxy that answers %i refused', (status) => {
  expect(failureCause(proxySaid(status))).toBe('proxy-refused')
})

test.each([new errors.InvalidArgumentError('x'), failed('ERR_INVALID_ARG_TYPE'), failed('ERR_INVALID_CHAR')])(
  '%s: the request cannot be sent',
  (error) => {
    expect(failureCause(error)).toBe('invalid')
  },
)

test.each([
  failed('ECONNRESET', 'read'),
  failed('ECONNRESET', 'write'),
  failed('ECONNRESET'),
  failed('EPIPE', 'write'),
  failed('ETIMEDOUT', 'read'),
  new errors.SocketError('other side closed'),
  new errors.HeadersTimeoutError(),
  new errors.BodyTimeoutError(),
  new errors.RequestAbortedError('Request aborted'),
  new errors.ResponseContentLengthMismatchError(),
  new errors.ClientDestroyedError(),
  // Only the kind of error that undici uses for it speaks for a proxy.
  new Error('Proxy response (502) !== 200 when HTTP Tunneling'),
  new Error('connect ECONNREFUSED'),
  failed('PROXY_HUNG_UP'),
  'connect',
  undefined,
  null,
])('%s: broken, the class that promises least', (error) => {
  expect(failureCause(error)).toBe('broken')
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
