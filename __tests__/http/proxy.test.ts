import { expect, test } from '@jest/globals'
import { proxyAuthorization, proxyFor, proxySecrets } from '../../src/http/proxy.ts'

const HTTPS = new URL('https://docs.example.com/api')
const PROXY = 'http://proxy.example:3128'

const proxyOf = (url: string | URL, env: NodeJS.ProcessEnv): string | undefined => proxyFor(new URL(url), env)?.origin

test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
  ['without one', {}, undefined],
  ['where both spellings are empty', { HTTPS_PROXY: '', https_proxy: '  ' }, undefined],
  ['of the scheme', { HTTPS_PROXY: 'http://a.example:1', http_proxy: 'http://b.example:2' }, 'http://a.example:1'],
  ['of another scheme', { http_proxy: 'http://b.example:2' }, undefined],
  ['in lower case first', { HTTPS_PROXY: 'http://a.example', https_proxy: 'http://b.example' }, 'http://b.example'],
  ['in upper case beside an empty one', { HTTPS_PROXY: 'http://a.example', https_proxy: '' }, 'http://a.example'],
  ['without a scheme', { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
  ['without a scheme, with a name', { HTTPS_PROXY: 'user:pass@proxy.example:3128' }, PROXY],
  ['between blanks', { HTTPS_PROXY: '  http://proxy.example:3128/  ' }, PROXY],
  ['in capitals', { HTTPS_PROXY: 'HTTPS://proxy.example' }, 'https://proxy.example'],
])('the proxy of an address is that of the environment: %s', (_how, env, proxy) => {
  expect(proxyOf(HTTPS, env)).toBe(proxy)
})

test.each([
  'http://',
  'proxy:pa55word:x',
  'socks5://user:pa55word@proxy.example',
  'socks5://pa55word/http://proxy.example',
  'http://pa55word proxy',
])('the address %j cannot be used, and the error does not repeat it', (address) => {
  const quiet = expect.not.stringContaining('pa55word') as unknown
  expect(() => proxyFor(HTTPS, { HTTPS_PROXY: address })).toThrow(
    expect.objectContaining({ code: 'proxy', message: quiet, hint: quiet }),
  )
})

test.each<[string, readonly string[], readonly string[]]>([
  ['https://docs.example.com', ['*', 'docs.example.com', 'DOCS.Example.com', 'docs.example.com:443'], ['', '.']],
  ['https://docs.example.com', ['example.com', '.example.com', '*.example.com'], ['ample.com', 'docs.example']],
  ['https://docs.example.com', ['a.test, docs.example.com', 'a.test  docs.example.com'], ['a.docs.example.com']],
  ['https://docs.example.com', [' , docs.example.com , '], ['docs.example.com:8443']],
  ['https://docs.example.com:8443', ['docs.example.com:8443'], ['docs.example.com:443']],
  ['http://docs.example.com', ['.example.com:80'], ['.example.com:443']],
  ['https://example.com', ['.example.com'], ['docs.example.com']],
  // Loopback is no exception by itself.
  ['http://127.0.0.1:8080', ['127.0.0.1'], ['', ':8080']],
  ['http://localhost:8080', ['localhost'], ['']],
  ['http://[::1]:8080', ['[::1]', '[::1]:8080', '::1'], ['[::1]:9', '[::2]']],
  ['https://[2001:db8::7]', ['2001:db8::7', '2001:DB8:0:0::7'], ['2001:db8::8', '::7']],
  // Blocks of addresses, which have no suffixes.
  [
    'https://10.1.2.3',
    ['10.0.0.0/8', '10.1.2.3/32', '10.1.2.3'],
    ['10.1.2.0/31', '10.1.2.3/33', '10.1.2.3/', '10.1.2.3/8/8'],
  ],
  ['https://10.1.2.3', ['10.1.2.3:443', '10.0.0.0/8:443'], ['2.3', '.2.3', '1.2.3', '11.0.0.0/8', '10.0.0.0/8:80']],
  ['https://[2001:db8::7]', ['2001:db8::/32'], ['2001:db9::/32', '2001:db8::/129', '10.0.0.0/0']],
  ['https://10.example.com', ['example.com'], ['10.0.0.0/8']],
  ['https://docs.example.com.', ['example.com', 'docs.example.com.'], ['docs.example']],
])('NO_PROXY lets %s go directly: with %j, and not with %j', (url, directly, byProxy) => {
  const proxiesWith = (noProxy: string) =>
    ['NO_PROXY', 'no_proxy'].map((name) => proxyOf(url, { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, [name]: noProxy }))
  for (const noProxy of directly) expect([noProxy, ...proxiesWith(noProxy)]).toEqual([noProxy, undefined, undefined])
  for (const noProxy of byProxy) expect([noProxy, ...proxiesWith(noProxy)]).toEqual([noProxy, PROXY, PROXY])
})

const headerOf = (credentials: string): string => Buffer.from(credentials).toString('base64')

test.each([
  ['proxy.example:3128', []],
  ['user:p%40ss@proxy.example', ['p@ss', 'p%40ss', headerOf('user:p@ss')]],
  ['token@proxy.example', ['token', headerOf('token:')]],
  ['user:100%@proxy.example', ['100%', headerOf('user:100%')]],
])('of the proxy http://%s these are secret, in whichever variable: %j', (address, secrets) => {
  const proxy = new URL(`http://${address}`)
  const header = secrets.at(-1)
  expect(proxyAuthorization(proxy)).toBe(header === undefined ? '' : `Basic ${header}`)
  for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'])
    expect(proxySecrets({ [name]: ` http://${address}\n` })).toEqual(secrets)
})
