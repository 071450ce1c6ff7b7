import { expect, test } from '@jest/globals'
import { redirectHost } from '../../src/docs-service/redirect-host.ts'

test.each([
  ['https://login.example.com/sso?key=1', 'login.example.com'],
  ['HTTP://user:pass@Login.Example.com:8080', 'login.example.com:8080'],
  ['//login.example.com/sso', 'login.example.com'],
  ['https://[::1]:9/', '[::1]:9'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
])('%s leads to %s', (location, host) => {
  expect(redirectHost(location)).toBe(host)
})

test.each([
  undefined,
  '',
  '/v2/agent',
  'login',
  'javascript:alert(1)',
  'ftp://files.example.com',
  'https://',
  'https://a`b.example.com',
  `https://${'a'.repeat(300)}.example.com`,
  `https://a.example.com/${'x'.repeat(3_000)}`,
])('%s names no host that is fit to be shown', (location) => {
  expect(redirectHost(location)).toBeUndefined()
})
