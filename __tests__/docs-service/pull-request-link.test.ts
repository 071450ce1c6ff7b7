import { expect, test } from '@jest/globals'
import {
  isSamePullRequest,
  parsePullRequestLink,
  type PullRequestLink,
} from '../../src/docs-service/pull-request-link.ts'

test.each([
  ['https://git.example.com/acme/docs/pull/7', 'git.example.com', '7', 'acme/docs'],
  ['https://git.example.com/acme/docs/pull/7/', 'git.example.com', '7', 'acme/docs'],
  ['https://git.example.com/acme/docs/pull/7/files', 'git.example.com', '7', 'acme/docs'],
  ['https://git.example.com:8443/a.b-c/d_e/pull/120', 'git.example.com:8443', '120', 'a.b-c/d_e'],
  ['https://git.example.com/group/sub/docs/-/merge_requests/7', 'git.example.com', '7', 'group/sub/docs'],
  ['http://127.0.0.1:4010/acme/docs/pull/7', '127.0.0.1:4010', '7', 'acme/docs'],
  ['http://[::1]:4010/acme/docs/pull/7', '[::1]:4010', '7', 'acme/docs'],
])('reads host, number and repository of %s', (raw, host, number, repository) => {
  expect(parsePullRequestLink(raw)).toEqual({ href: raw, host, number, repository })
})

test.each([
  'https://git.example.com/acme/docs/pull/007',
  'https://git.example.com/acme/docs/pull/7/anything',
  'https://git.example.com/acme/docs/pull/x',
  'https://git.example.com/changes/42',
  'https://git.example.com/git/acme/docs/pull/7',
  'https://git.example.com/a+b/acme/docs/-/merge_requests/7',
])('keeps %s, whose shape it does not know, without guessing', (raw) => {
  expect(parsePullRequestLink(raw)).toEqual({
    href: raw,
    host: 'git.example.com',
    number: undefined,
    repository: undefined,
  })
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
  ['too much', `${'https://git.example.com/'.padEnd(2_000, 'a')}a`],
])('refuses %s', (_name, raw) => {
  expect(parsePullRequestLink(raw)).toBeUndefined()
})

test('keeps what is as long as it may be', () => {
  expect(parsePullRequestLink('https://git.example.com/'.padEnd(2_000, 'a'))).toBeDefined()
})

test('encodes what could end a link in Markdown or HTML', () => {
  const link = parsePullRequestLink(`https://git.example.com/a(b)[c]'d|e*f~g?x=<i>"h"\``)
  expect(link?.href).not.toMatch(/[()[\]<>"'`|*~]/)
  expect(link?.href).toContain('/a%28b%29%5Bc%5D%27d%7Ce%2Af%7Eg')
  expect(parsePullRequestLink("https://git's.example.com/c")?.href).toBe('https://git%27s.example.com/c')
})

function linkOf(raw: string): PullRequestLink {
  const link = parsePullRequestLink(raw)
  if (link === undefined) throw new Error(`${raw} is no link.`)
  return link
}

const isSame = (a: string, b: string): boolean => isSamePullRequest(linkOf(a), linkOf(b))

const PULL = 'https://git.example.com/acme/docs/pull/7'
const CHANGE = 'https://git.example.com/changes/42'

test.each([
  [PULL, PULL],
  [PULL, 'https://GIT.Example.com:443/Acme/Docs/pull/7'],
  [PULL, `${PULL}/`],
  [PULL, `${PULL}?tab=files#top`],
  [PULL, `${PULL}/files`],
  [`${PULL}/checks`, `${PULL}/commits`],
  [`${CHANGE}/?a=b`, `${CHANGE}#c`],
])('%s and %s are one pull request', (a, b) => {
  expect([isSame(a, b), isSame(b, a)]).toEqual([true, true])
})

test.each([
  [PULL, 'https://git.example.com/acme/docs/pull/8'],
  [PULL, 'https://git.example.com/acme/other/pull/7'],
  [PULL, 'https://git.example.com/other/docs/pull/7'],
  [PULL, 'https://other.example.com/acme/docs/pull/7'],
  [PULL, 'https://git.example.com:8443/acme/docs/pull/7'],
  [PULL, CHANGE],
  [CHANGE, 'https://git.example.com/changes/43'],
  [CHANGE, 'https://git.example.com/Changes/42'],
])('%s and %s are two', (a, b) => {
  expect([isSame(a, b), isSame(b, a)]).toEqual([false, false])
})
