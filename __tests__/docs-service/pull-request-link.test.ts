import { expect, test } from '@jest/globals'
import { isSamePullRequest, parsePullRequestLink } from '../../src/docs-service/schemas.ts'

test.each([
  ['https://git.example.com/acme/docs/pull/7', 'git.example.com', '7', 'acme/docs'],
  ['https://git.example.com/acme/docs/pull/7/', 'git.example.com', '7', 'acme/docs'],
  ['https://git.example.com/acme/docs/pull/7/files', 'git.example.com', '7', 'acme/docs'],
  ['https://git.example.com/acme/docs/pull/7/changes', 'git.example.com', '7', 'acme/docs'],
  ['https://git.example.com:8443/a.b-c/d_e/pull/120', 'git.example.com:8443', '120', 'a.b-c/d_e'],
  ['https://git.example.com/group/sub/docs/-/merge_requests/7', 'git.example.com', '7', 'group/sub/docs'],
  ['http://127.0.0.1:4010/acme/docs/pull/7', '127.0.0.1:4010', '7', 'acme/docs'],
  ['http://[::1]:4010/acme/docs/pull/7', '[::1]:4010', '7', 'acme/docs'],
  // Unknown shapes: nothing is guessed.
  ['https://git.example.com/acme/docs/pull/007', 'git.example.com', undefined, undefined],
  ['https://git.example.com/acme/docs/pull/7/anything', 'git.example.com', undefined, undefined],
  ['https://git.example.com/acme/docs/pull/x', 'git.example.com', undefined, undefined],
  ['https://git.example.com/git/acme/docs/pull/7', 'git.example.com', undefined, undefined],
  ['https://git.example.com/a+b/acme/docs/-/merge_requests/7', 'git.example.com', undefined, undefined],
])('reads host, number and repository of %s', (raw, host, number, repository) => {
  expect(parsePullRequestLink(raw)).toEqual({ href: raw, host, number, repository })
})

const MAX_LENGTH_URL = 'https://git.example.com/'.padEnd(2_000, 'a')

test.each([
  ['http beyond loopback', 'http://git.example.com/acme/docs/pull/7'],
  ['another scheme', 'javascript:alert(1)'],
  ['a user name or a password', 'https://user:secret@git.example.com/acme/docs/pull/7'],
  ['a line end, which the URL parser would remove', 'https://git.example.com/acme/docs/pull/1\n::error::x'],
  ['a tab', 'https://git.example.com/acme/docs/pull/1\t2'],
  ['a space', 'https://git.example.com/acme/docs/pull/1 2'],
  ['a character that changes the direction of text', 'https://git.example.com/acme/\u202edocs/pull/1'],
  ['no absolute URL', 'pull/7'],
  ['a URL that is too long', `${MAX_LENGTH_URL}a`],
])('rejects %s', (_name, raw) => {
  expect(parsePullRequestLink(raw)).toBeUndefined()
  expect(parsePullRequestLink(MAX_LENGTH_URL)).toBeDefined()
})

test('encodes characters that could end a link in Markdown or HTML', () => {
  const link = parsePullRequestLink(`https://git.example.com/a(b)[c]'d|e*f~g?x=<i>"h"\``)
  expect(link?.href).not.toMatch(/[()[\]<>"'`|*~]/)
  expect(link?.href).toContain('/a%28b%29%5Bc%5D%27d%7Ce%2Af%7Eg')
  expect(parsePullRequestLink("https://git's.example.com/c")?.href).toBe('https://git%27s.example.com/c')
})

function isSame(...raws: readonly [string, string]): boolean {
  const [a, b] = raws.map(parsePullRequestLink)
  if (a === undefined || b === undefined) throw new Error(`Not both are links: ${raws.join(' ')}`)
  return isSamePullRequest(a, b)
}

const PULL = 'https://git.example.com/acme/docs/pull/7'
const CHANGE = 'https://git.example.com/changes/42'

test.each([
  [true, PULL, PULL],
  [true, PULL, 'https://GIT.Example.com:443/Acme/Docs/pull/7'],
  [true, PULL, `${PULL}/`],
  [true, PULL, `${PULL}?tab=files#top`],
  [true, `${PULL}/checks`, `${PULL}/commits`],
  [true, `${PULL}/files`, `${PULL}/changes`],
  [true, `${CHANGE}/?a=b`, `${CHANGE}#c`],
  [false, PULL, 'https://git.example.com/acme/docs/pull/8'],
  [false, PULL, 'https://git.example.com/acme/other/pull/7'],
  [false, PULL, 'https://other.example.com/acme/docs/pull/7'],
  [false, PULL, 'https://git.example.com:8443/acme/docs/pull/7'],
  [false, PULL, CHANGE],
  [false, CHANGE, 'https://git.example.com/changes/43'],
  [false, CHANGE, 'https://git.example.com/Changes/42'],
])('returns %j for whether %s and %s are the same pull request', (expected, a, b) => {
  expect([isSame(a, b), isSame(b, a)]).toEqual([expected, expected])
})
