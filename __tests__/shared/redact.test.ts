import { createHash } from 'node:crypto'
import * as vm from 'node:vm'
import { expect, test } from '@jest/globals'
import { escapeHtml, foldedText, inlineCode } from '../../src/shared/markdown.ts'
import { createRedactor, redactAll } from '../../src/shared/redact.ts'

const KEY = 'dk_Zm9v-b+a/r=="&<\\\'?0123456789'
const redact = createRedactor([KEY])

const lowerCaseEscapes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())

test.each([
  ['raw', KEY],
  ['in an address', encodeURIComponent(KEY)],
  ['in an address, with escapes in lower case', lowerCaseEscapes(encodeURIComponent(KEY))],
  ['in an address, as little escaped as it may be', encodeURI(KEY)],
  ['in an address, escaped to the last letter', Buffer.from(KEY).toString('hex').replace(/../g, '%$&')],
  ['in JSON', JSON.stringify(KEY).slice(1, -1)],
  ['in JSON with escaped slashes', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
  ['in JSON of ASCII letters', KEY.replace(/[<&'"+]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ['in HTML', escapeHtml(KEY)],
  ['in Markdown', inlineCode(KEY).replace(/^<code>|<\/code>$/g, '')],
  ['in HTML with hexadecimal entities', KEY.replace(/[^\w]/g, (c) => `&#x${c.charCodeAt(0).toString(16)};`)],
  ['in hexadecimal digits', Buffer.from(KEY).toString('hex')],
  ['in hexadecimal capitals', Buffer.from(KEY).toString('hex').toUpperCase()],
])('a secret %s is replaced', (_name, text) => {
  expect(redact(`before ${text} after`)).toBe('before *** after')
})

test.each([
  ['', ''],
  ['a', 'b'],
  ['ab', 'cd'],
  ['abc', ''],
  ['user:', '\n'],
  ['Bearer ', ' and more'],
])('a secret in a Base64 text between %j and %j is replaced', (before, after) => {
  for (const encoding of ['base64', 'base64url'] as const) {
    const text = Buffer.from(before + KEY + after).toString(encoding)
    const left = redact(text).split('***')

    expect(left).toHaveLength(2)
    // What stays belongs to the neighbours: at the edges up to six bits of the secret, less than a character.
    expect(left.join('').length).toBeLessThanOrEqual(Buffer.from(before + after).toString('base64').length + 4)
  }
})

test('a secret with many signs that Base64 writes in two ways is replaced in both', () => {
  const secret = '>>>>>>??????'
  const spellings = (['base64', 'base64url'] as const).map((encoding) => Buffer.from(secret).toString(encoding))
  expect(spellings.map(createRedactor([secret]))).toEqual(['***', '***'])
})

test('every occurrence is replaced', () => {
  expect(redact(`${KEY}${KEY} ${encodeURIComponent(KEY)}`)).toBe('****** ***')
})

test('where one secret contains another, the longer one goes first', () => {
  expect(createRedactor(['abcdef', 'abcdef-ghijkl'])('abcdef-ghijkl abcdef')).toBe('*** ***')
})

test('a secret of any length is replaced, whole and encoded', () => {
  const digest = (index: number): string => createHash('sha512').update(String(index)).digest('base64')
  const long = Array.from({ length: 300 }, (_, index) => digest(index))
    .join('')
    .slice(0, 20_000)
  const redactLong = createRedactor([long])
  const left = [long, encodeURIComponent(long), Buffer.from(long).toString('hex')].map(redactLong)

  expect(left).toEqual(Array<string>(3).fill('***'.repeat(20)))
  expect(redactLong(Buffer.from(long).toString('base64')).replaceAll('***', '').length).toBeLessThanOrEqual(4 * 20)
})

test.each([KEY, 'dk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'])(
  'a text with all of %s but its end is looked through without trying every way to spell it',
  (key) => {
    const text = `${key.slice(0, -1)}-`.repeat(100)
    const look = (): string => createRedactor([key])(text)
    // Runs it under a limit: what fails here fails by never ending.
    expect(vm.runInNewContext('look()', { look }, { timeout: 5_000 })).toBe(text)
  },
)

test('all texts in plain data are redacted, and everything else stays', () => {
  const data = { a: [`x ${KEY}`, 7, null, undefined, true], b: { c: KEY } }
  expect(redactAll(data, redact)).toEqual({ a: ['x ***', 7, null, undefined, true], b: { c: '***' } })
})

test('a secret is no pattern', () => {
  expect(createRedactor(['a.c*[x](y)$'])('abc a.c*[x](y)$')).toBe('abc ***')
  expect(createRedactor(['$&'])('a $& b')).toBe('a *** b')
})

test.each(['pässwörd', '密码密码', 'key😀key'])('a secret outside ASCII is replaced in its spellings: %s', (secret) => {
  const escaped = Array.from({ length: secret.length }, (_, at) => secret.charCodeAt(at).toString(16).padStart(4, '0'))
  const spellings = [secret, encodeURIComponent(secret), escaped.map((unit) => `\\u${unit}`).join('')]

  expect(spellings.map(createRedactor([secret]))).toEqual(['***', '***', '***'])
  expect(createRedactor([secret])(Buffer.from(secret).toString('base64'))).toMatch(/^\*\*\*.{0,3}$/)
})

test('encoded forms of a short secret are left alone where they would match by accident', () => {
  expect(createRedactor(['ab'])('YWI= 6162 ab')).toBe('YWI= 6162 ***')
})

test('an empty secret hides nothing', () => {
  expect(createRedactor([''])('text')).toBe('text')
  expect(createRedactor([])('text')).toBe('text')
})

test('a folded prompt that holds the key is redacted after it was escaped', () => {
  expect(redact(foldedText('The prompt', `use ${KEY} please`))).toContain('<pre>use *** please</pre>')
})
