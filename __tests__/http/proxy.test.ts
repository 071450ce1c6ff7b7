import { expect, test } from '@jest/globals'
import { proxyAuthorization, proxyFor, proxySecrets } from '../../src/http/proxy.ts'
import type { Environment } from '../../src/runtime/environment.ts'
import { ActionError } from '../../src/runtime/errors.ts'

const HTTPS = new URL('https://docs.example.com/api')
const PROXY = 'http://proxy.example:3128'

const proxyOf = (url: string | URL, env: Environment): string | undefined => proxyFor(new URL(url), env)?.origin

test('without a proxy in the environment a request goes directly', () => {
  expect(proxyOf(HTTPS, {})).toBeUndefined()
  expect(proxyOf(HTTPS, { HTTPS_PROXY: '', https_proxy: '  ' })).toBeUndefined()
})

test('each scheme has its own variable, in upper and lower case', () => {
  const env = { HTTPS_PROXY: 'http://a.example:1', http_proxy: 'http://b.example:2' }

  expect(proxyOf('https://docs.example.com', env)).toBe('http://a.example:1')
  expect(proxyOf('http://docs.example.com', env)).toBe('http://b.example:2')
})

test('lower case wins, unless it is empty', () => {
  expect(proxyOf(HTTPS, { HTTPS_PROXY: 'http://upper.example', https_proxy: 'http://lower.example' })).toBe(
    'http://lower.example',
  )
  expect(proxyOf(HTTPS, { HTTPS_PROXY: 'http://upper.example', https_proxy: '' })).toBe('http://upper.example')
})

test.each([
  ['proxy.example:3128', 'http://proxy.example:3128'],
  ['user:pass@proxy.example', 'http://proxy.example'],
  ['  http://proxy.example:3128/  ', 'http://proxy.example:3128'],
  ['HTTPS://proxy.example', 'https://proxy.example'],
])('the address %j is read as %s', (address, expected) => {
  expect(proxyOf(HTTPS, { HTTPS_PROXY: address })).toBe(expected)
})

test.each([
  'http://',
  'proxy:pa55word:x',
  'socks5://user:pa55word@proxy.example',
  'socks5://pa55word/http://proxy.example',
  'http://pa55word proxy',
])('the address %j cannot be used, and the error does not repeat it', (address) => {
  let error: unknown
  try {
    proxyFor(HTTPS, { HTTPS_PROXY: address })
  } catch (caught) {
    error = caught
  }

  expect(error).toBeInstanceOf(ActionError)
  const { code, message, hint } = error as ActionError
  expect(code).toBe('proxy')
  expect(`${message} ${String(hint)}`).not.toContain('pa55word')
})

test.each([
  ['*', 'https://docs.example.com'],
  ['docs.example.com', 'https://docs.example.com'],
  ['DOCS.Example.com', 'https://docs.example.com'],
  ['example.com', 'https://docs.example.com'],
  ['.example.com', 'https://docs.example.com'],
  ['.example.com', 'https://example.com'],
  ['*.example.com', 'https://docs.example.com'],
  ['docs.example.com:443', 'https://docs.example.com'],
  ['docs.example.com:8443', 'https://docs.example.com:8443'],
  ['.example.com:80', 'http://docs.example.com'],
  ['other.example, docs.example.com', 'https://docs.example.com'],
  ['other.example  docs.example.com', 'https://docs.example.com'],
  [' , docs.example.com , ', 'https://docs.example.com'],
  ['127.0.0.1', 'http://127.0.0.1:8080'],
  ['localhost', 'http://localhost:8080'],
  ['[::1]', 'http://[::1]:8080'],
  ['[::1]:8080', 'http://[::1]:8080'],
  ['::1', 'http://[::1]:8080'],
  ['2001:db8::7', 'https://[2001:db8::7]'],
])('NO_PROXY %j lets %s go directly', (noProxy, url) => {
  const env = { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY }

  expect(proxyOf(url, { ...env, NO_PROXY: noProxy })).toBeUndefined()
  expect(proxyOf(url, { ...env, no_proxy: noProxy })).toBeUndefined()
})

test.each([
  ['', 'https://docs.example.com'],
  ['ample.com', 'https://docs.example.com'],
  ['docs.example', 'https://docs.example.com'],
  ['a.docs.example.com', 'https://docs.example.com'],
  ['docs.example.com:8443', 'https://docs.example.com'],
  ['[::1]:9', 'http://[::1]:8080'],
  ['[::2]', 'http://[::1]:8080'],
  [':8080', 'http://127.0.0.1:8080'],
  ['.', 'https://docs.example.com'],
])('NO_PROXY %j lets %s go through the proxy', (noProxy, url) => {
  expect(proxyOf(url, { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: noProxy })).toBe(PROXY)
})

test('loopback is no exception by itself', () => {
  expect(proxyOf('http://127.0.0.1:8080', { HTTP_PROXY: PROXY })).toBe(PROXY)
})

test('a proxy without user information has no secret', () => {
  expect(proxySecrets({ https_proxy: PROXY })).toEqual([])
  expect(proxyAuthorization(new URL(PROXY))).toBeUndefined()
})

test('the secrets of a proxy are its password, as written and decoded, and its header', () => {
  const header = Buffer.from('user:p@ss').toString('base64')

  expect(proxySecrets({ https_proxy: 'http://user:p%40ss@proxy.example' })).toEqual(['p@ss', 'p%40ss', header])
  expect(proxyAuthorization(new URL('http://user:p%40ss@proxy.example'))).toBe(`Basic ${header}`)
})

test.each(['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'])('the password in %s is secret', (name) => {
  expect(proxySecrets({ [name]: 'http://user:pa55word@proxy.example' })).toContain('pa55word')
})

test('a name without a password is a token, and secret', () => {
  expect(proxySecrets({ https_proxy: 'http://token@proxy.example' })).toEqual([
    'token',
    Buffer.from('token:').toString('base64'),
  ])
})

test('a stray % in a password is taken as it is', () => {
  expect(proxySecrets({ https_proxy: 'http://user:100%@proxy.example' })).toContain('100%')
})

test('blanks around the address of a proxy do not hide its password from the mask', () => {
  expect(proxySecrets({ https_proxy: ' http://user:pa55word@proxy.example\n' })).toContain('pa55word')
})
