import { expect, test } from '@jest/globals'
import { cleanPullRequestLink } from '../../src/service/pull-request-link.ts'

test.each([
  ['https://git.example.com/acme/docs/pull/7', '7', 'acme/docs'],
  ['https://git.example.com/acme/docs/pull/7/', '7', 'acme/docs'],
  ['https://git.example.com:8443/a.b-c/d_e/pull/120', '120', 'a.b-c/d_e'],
  ['https://git.example.com/group/sub/docs/-/merge_requests/7', '7', 'group/sub/docs'],
  ['http://127.0.0.1:4010/acme/docs/pull/7', '7', 'acme/docs'],
  ['http://[::1]:4010/acme/docs/pull/7', '7', 'acme/docs'],
])('reads number and repository of %s', (raw, number, repository) => {
  expect(cleanPullRequestLink(raw)).toEqual({ href: raw, number, repository })
})

test.each([
  'https://git.example.com/acme/docs/pull/007',
  'https://git.example.com/acme/docs/pull/7/files',
  'https://git.example.com/acme/docs/pull/x',
  'https://git.example.com/changes/42',
])('keeps %s, whose shape it does not know, without guessing', (raw) => {
  expect(cleanPullRequestLink(raw)).toEqual({ href: raw, number: undefined, repository: undefined })
})

test.each([
  ['http beyond loopback', 'http://git.example.com/acme/docs/pull/7'],
  ['another scheme', 'javascript:alert(1)'],
  ['user information', 'https://user:secret@git.example.com/acme/docs/pull/7'],
  ['a line end, which URL parsing would delete', 'https://git.example.com/acme/docs/pull/1\n::error::x'],
  ['a tab', 'https://git.example.com/acme/docs/pull/1\t2'],
  ['a space', 'https://git.example.com/acme/docs/pull/1 2'],
  ['a character that turns the direction of text', 'https://git.example.com/acme/\u202edocs/pull/1'],
  ['no address at all', 'pull/7'],
  ['nothing', ''],
  ['too much', `https://git.example.com/${'a'.repeat(3_000)}`],
])('refuses %s', (_name, raw) => {
  expect(cleanPullRequestLink(raw)).toBeUndefined()
})

test('encodes what could end a link in Markdown or HTML', () => {
  const link = cleanPullRequestLink(`https://git.example.com/a(b)[c]'d|e*f~g?x=<i>"h"\``)
  expect(link?.href).not.toMatch(/[()[\]<>"'`|*~]/)
  expect(link?.href).toContain('/a%28b%29%5Bc%5D%27d%7Ce%2Af%7Eg')
})
