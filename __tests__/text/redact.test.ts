import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createRedactor, redactAll } from '../../src/text/redact.ts'

const KEY = 'dk_Zm9v-b+a/r=="&<\\\'?0123456789'
const redact = createRedactor([KEY])

const lowerCaseEscapes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())
const json = (text: string): string => JSON.stringify(text).slice(1, -1)

test.each([
  ['in plain text', KEY],
  ['in a URL', encodeURIComponent(KEY)],
  ['in a URL, with escapes in lower case', lowerCaseEscapes(encodeURIComponent(KEY))],
  ['in a URL, with as few escapes as possible', encodeURI(KEY)],
  ['in a URL, with slashes as they are', encodeURIComponent(KEY).replaceAll('%2F', '/')],
  ['in a form', new URLSearchParams({ key: KEY }).toString().slice('key='.length)],
  ['in JSON', json(KEY)],
  ['in JSON with escaped slashes', json(KEY).replaceAll('/', '\\/')],
  [
    'in JSON that escapes what has a meaning in HTML',
    json(KEY).replace(/\\"|[<&'+]/g, (c) => `\\u00${c.slice(-1).charCodeAt(0).toString(16).toUpperCase()}`),
  ],
  ['in JSON that is safe in HTML', json(KEY).replace(/[<&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
])('replaces a secret %s completely', (_name, text) => {
  expect(redact(`before ${text} after`)).toBe('before *** after')
})

test.each([KEY, 's3cr3', 'pässwörd', '密码密码', 'key😀key'])('replaces %j anywhere in Base64', (secret) => {
  const redactSecret = createRedactor([secret])
  for (const encoding of ['base64', 'base64url'] as const)
    for (let before = 0; before <= 3; before++) {
      const text = Buffer.from(`${'x'.repeat(before)}${secret}${' and'.slice(0, before)}`).toString(encoding)
      const left = redactSecret(text).split('***')
      expect(left).toHaveLength(2)
      // What is left encodes the neighbours, and at each edge less than one character of the secret.
      expect(left.join('').replace(/=+$/, '').length).toBeLessThanOrEqual(Math.ceil((before * 8) / 3) + 4)
    }
})

test.each([
  ['every occurrence', [KEY], `${KEY}${KEY} ${encodeURIComponent(KEY)}`, '****** ***'],
  ['the longer of two secrets first', ['abcdef', 'abcdef-ghijkl'], 'abcdef-ghijkl abcdef', '*** ***'],
  ['the syntax of patterns literally', ['a.c*[x](y)$'], 'abc a.c*[x](y)$', 'abc ***'],
  ['the syntax of replacements literally', ['$&'], 'a $& b', 'a *** b'],
  ['no encoded form that would match by accident', ['ab'], 'YWI= ab', 'YWI= ***'],
  ['nothing for an empty secret', [''], 'text', 'text'],
  ['nothing without a secret', [], 'text', 'text'],
])('replaces %s', (_what, secrets, text, redacted) => {
  expect(createRedactor(secrets)(text)).toBe(redacted)
})

test('replaces a secret of any length', () => {
  const long = createHash('shake256', { outputLength: 15_000 }).digest('base64')
  expect([long, encodeURIComponent(long)].map(createRedactor([long]))).toEqual(['***', '***'])
})

test('redacts all texts in plain data, and changes nothing else', () => {
  const data = { a: [`x ${KEY}`, 7, null, undefined, true], b: { c: KEY } }
  expect(redactAll(data, redact)).toEqual({ a: ['x ***', 7, null, undefined, true], b: { c: '***' } })
})

test('redacts data that is deeper than the stack', () => {
  const depth = 100_000
  let data: unknown = KEY
  for (let level = 0; level < depth; level++) data = [data]
  let left = redactAll(data, redact)
  for (let level = 0; level < depth; level++) left = (left as unknown[])[0]
  expect(left).toBe('***')
})
