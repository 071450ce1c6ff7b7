import { expect, test } from '@jest/globals'
import { proxyAuthorization, proxyFor, proxySecrets } from '../../src/http/proxy.ts'

const HTTPS = new URL('https://docs.example.com/api')
const PROXY = 'http://proxy.example:3128'

const getProxyOrigin = (url: string | URL, env: NodeJS.ProcessEnv): string | undefined =>
  proxyFor(new URL(url), env)?.origin

test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
  ['no variable', {}, undefined],
  ['two empty variables', { HTTPS_PROXY: '', https_proxy: '  ' }, undefined],
  [
    'a variable for the scheme',
    { HTTPS_PROXY: 'http://a.example:1', http_proxy: 'http://b.example:2' },
    'http://a.example:1',
  ],
  ['a variable for another scheme', { http_proxy: 'http://b.example:2' }, undefined],
  [
    'lower case before upper case',
    { HTTPS_PROXY: 'http://a.example', https_proxy: 'http://b.example' },
    'http://b.example',
  ],
  ['upper case if lower case is empty', { HTTPS_PROXY: 'http://a.example', https_proxy: '' }, 'http://a.example'],
  ['a URL without a scheme', { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
  ['a URL without a scheme, with credentials', { HTTPS_PROXY: 'user:pass@proxy.example:3128' }, PROXY],
  ['a user of a Windows domain', { HTTPS_PROXY: 'http://CORP\\user:pass@proxy.example:3128' }, PROXY],
  ['a URL between spaces', { HTTPS_PROXY: '  http://proxy.example:3128/  ' }, PROXY],
  ['a URL in upper case', { HTTPS_PROXY: 'HTTPS://proxy.example' }, 'https://proxy.example'],
])('takes the proxy from the environment: %s', (_how, env, proxy) => {
  expect(getProxyOrigin(HTTPS, env)).toBe(proxy)
})

test.each([
  'http://',
  'proxy:pa55word:x',
  'socks5://user:pa55word@proxy.example',
  'socks5://pa55word/http://proxy.example',
  'http://pa55word proxy',
  'http://user:pa55word#1@proxy.example',
])('rejects the proxy URL %j, and does not quote it', (url) => {
  const quiet = expect.not.stringContaining('pa55word') as unknown
  expect(() => proxyFor(HTTPS, { HTTPS_PROXY: url })).toThrow(
    expect.objectContaining({ code: 'proxy', message: quiet, hint: quiet }),
  )
})

test.each<[string, readonly string[], readonly string[]]>([
  // Only alone: a list with an asterisk in it is most likely a mistake.
  ['https://docs.example.com', ['*', ' * '], ['a.test,*', '*,a.test', '* a.test', '*,', '**']],
  ['https://10.1.2.3', ['*'], ['a.test,*', '*,a.test']],
  ['https://docs.example.com', ['docs.example.com', 'DOCS.Example.com', 'docs.example.com:443'], ['', '.']],
  ['https://docs.example.com', ['example.com', '.example.com', '*.example.com'], ['ample.com', 'docs.example']],
  ['https://docs.example.com', ['example.com.', '.example.com.'], ['..example.com', 'example.com..', '*example.com']],
  ['https://docs.example.com', ['a.test, docs.example.com', 'a.test  docs.example.com'], ['a.docs.example.com']],
  ['https://docs.example.com', [' , docs.example.com , '], ['docs.example.com:8443']],
  ['https://docs.example.com:8443', ['docs.example.com:8443'], ['docs.example.com:443']],
  ['http://docs.example.com', ['.example.com:80'], ['.example.com:443']],
  ['https://example.com', ['.example.com'], ['docs.example.com']],
  // Loopback is not excluded by default.
  ['http://127.0.0.1:8080', ['127.0.0.1'], ['', ':8080']],
  ['http://localhost:8080', ['localhost'], ['']],
  ['http://[::1]:8080', ['[::1]', '[::1]:8080', '::1'], ['[::1]:9', '[::2]']],
  ['https://[2001:db8::7]', ['2001:db8::7', '2001:DB8:0:0::7'], ['2001:db8::8', '::7']],
  // CIDR blocks, and addresses, which match no suffix.
  [
    'https://10.1.2.3',
    ['10.0.0.0/8', '10.0.0.0/08', '10.1.2.3/32', '10.1.2.3'],
    ['10.1.2.0/31', '10.1.2.3/33', '10.1.2.3/-1', '10.1.2.3/', '10.1.2.3/abc', '10.1.2.3/8/8'],
  ],
  // A block of 0 bits is one address, as in curl.
  ['https://10.1.2.3', ['10.1.2.3/0', '10.1.2.3/00'], ['10.0.0.0/0', '0.0.0.0/0']],
  ['https://[2001:db8::7]', ['2001:db8::7/0'], ['::/0', '2001:db8::/0']],
  // Dots belong to domains.
  ['https://10.1.2.3', [], ['10.1.2.3.', '.10.1.2.3', '*.10.1.2.3', '.2.3', '.0.0.0/8']],
  ['https://10.1.2.3', ['10.1.2.3:443', '10.0.0.0/8:443'], ['2.3', '.2.3', '1.2.3', '11.0.0.0/8', '10.0.0.0/8:80']],
  ['https://[2001:db8::7]', ['2001:db8::/32'], ['2001:db9::/32', '2001:db8::/129', '10.0.0.0/0']],
  ['https://10.example.com', ['example.com'], ['10.0.0.0/8']],
  ['https://docs.example.com.', ['example.com', 'docs.example.com.'], ['docs.example']],
])('NO_PROXY excludes %s with %j, and not with %j', (url, directly, byProxy) => {
  const proxiesWith = (noProxy: string) =>
    ['NO_PROXY', 'no_proxy'].map((name) =>
      getProxyOrigin(url, { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, [name]: noProxy }),
    )
  for (const noProxy of directly) expect([noProxy, ...proxiesWith(noProxy)]).toEqual([noProxy, undefined, undefined])
  for (const noProxy of byProxy) expect([noProxy, ...proxiesWith(noProxy)]).toEqual([noProxy, PROXY, PROXY])
})

const encodeCredentials = (credentials: string): string => Buffer.from(credentials).toString('base64')

test('says how to write a password with special characters', () => {
  expect(() => proxyFor(HTTPS, { HTTPS_PROXY: 'http://user:a#b@proxy.example' })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('`#`, `/`, `?` and `@` as `%23`') as unknown }),
  )
})

test('sends the domain of a Windows user to the proxy', () => {
  const proxy = proxyFor(HTTPS, { HTTPS_PROXY: 'http://CORP\\user:pass@proxy.example' })
  expect(proxy && proxyAuthorization(proxy)).toBe(`Basic ${encodeCredentials('CORP\\user:pass')}`)
})

test.each([
  ['proxy.example:3128', []],
  ['user:p%40ss@proxy.example', ['p@ss', 'p%40ss', encodeCredentials('user:p@ss')]],
  ['token@proxy.example', ['token', encodeCredentials('token:')]],
  ['user:100%@proxy.example', ['100%', encodeCredentials('user:100%')]],
])('the secrets of the proxy http://%s are %j, in each variable', (url, secrets) => {
  const proxy = new URL(`http://${url}`)
  const header = secrets.at(-1)
  expect(proxyAuthorization(proxy)).toBe(header === undefined ? '' : `Basic ${header}`)
  for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'])
    expect(proxySecrets({ [name]: ` http://${url}\n` })).toEqual(secrets)
})
