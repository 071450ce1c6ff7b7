import { createHash } from 'node:crypto'
import * as vm from 'node:vm'
import { expect, test } from '@jest/globals'
import { escapeHtml, inlineCode } from '../../src/text/markdown.ts'
import { createRedactor, redactAll } from '../../src/text/redact.ts'

const KEY = 'dk_Zm9v-b+a/r=="&<\\\'?0123456789'
const redact = createRedactor([KEY])

const wrapLines = (text: string, columns: number, end: string): string =>
  (text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).join(end)
/** Without its last character, which depends on what comes next. */
const ENCODED = Buffer.from(KEY).toString('base64').replace(/.=*$/, '')
const lowerCaseEscapes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())

test.each([
  ['in plain text', KEY],
  ['in a URL', encodeURIComponent(KEY)],
  ['in a URL, with escapes in lower case', lowerCaseEscapes(encodeURIComponent(KEY))],
  ['in a URL, with as few escapes as possible', encodeURI(KEY)],
  ['in a URL, with every character escaped', Buffer.from(KEY).toString('hex').replace(/../g, '%$&')],
  ['in JSON', JSON.stringify(KEY).slice(1, -1)],
  ['in JSON with escaped slashes', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
  ['in JSON with Unicode escapes', KEY.replace(/[<&'"+]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ['in HTML', escapeHtml(KEY)],
  ['in Markdown', inlineCode(KEY).replace(/^<code>|<\/code>$/g, '')],
  ['in HTML with hexadecimal entities', KEY.replace(/[^\w]/g, (c) => `&#x${c.charCodeAt(0).toString(16)};`)],
  ['in hexadecimal', Buffer.from(KEY).toString('hex')],
  ['in hexadecimal in upper case', Buffer.from(KEY).toString('hex').toUpperCase()],
  ['in Base64 of 20 columns', wrapLines(ENCODED, 20, '\n')],
  ['in Base64 of 16 columns, indented', wrapLines(ENCODED, 16, '\r\n\t  ')],
  ['in a URL, with line ends in its escapes', wrapLines(encodeURIComponent(KEY), 2, '\n')],
  ['in JSON, escaped twice', JSON.stringify(JSON.stringify(KEY).slice(1, -1)).slice(1, -1)],
])('replaces a secret %s completely', (_name, text) => {
  expect(redact(`before ${text} after`)).toBe('before *** after')
})

const FILLERS = ['\n\n', '\t', '\u00a0', '\u00ad', '\u200b\u2060\ufeff', '\ufe0f', '\u{e0100}', '\u0000\u009f']

test.each([...FILLERS, '\u001b[31m', '\u001b]8;;x\u0007'])('replaces a secret with %j in it', (filler) => {
  expect(redact(`before ${Array.from(KEY).join(filler)} after`)).toBe('before *** after')
})

test.each([64, 76, 1_000])('replaces a secret anywhere in Base64 of %i columns', (columns) => {
  for (const encoding of ['base64', 'base64url'] as const)
    for (let before = 0; before <= 160; before++) {
      const text = Buffer.from(`${'x'.repeat(before)}${KEY}${' and'.slice(0, before % 5)}`).toString(encoding)
      const left = redact(wrapLines(text, columns, '\r\n')).split('***')
      expect(left).toHaveLength(2)
      // What is left encodes the neighbours, and at each edge less than one character of the secret.
      expect(left.join('').replace(/\s/g, '').length).toBeLessThanOrEqual(text.length - ENCODED.length + 4)
    }
})

/** Escapes every code unit, as JSON can. */
const escapeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

const SECRETS = ['pass word\\with\tmuch', `a&b<c>d"e'f`, '>>>>>>??????', 'pässwörd', '密码密码', 'key😀key']

test.each(SECRETS)('replaces every spelling of %j', (secret) => {
  const spelled = [secret, secret.replaceAll(/\s|\\/g, ''), encodeURIComponent(secret), escapeUnits(secret)]
  spelled.push(JSON.stringify(secret).slice(1, -1), escapeHtml(secret), escapeHtml(secret).replace('#39', 'apos'))
  expect(new Set(spelled.map(createRedactor([secret])))).toEqual(new Set(['***']))
  for (const encoding of ['base64', 'base64url'] as const)
    expect(createRedactor([secret])(Buffer.from(secret).toString(encoding))).toMatch(/^\*{3}.{0,3}$/)
})

test('replaces a short secret in Base64, at each position', () => {
  for (const before of ['', 'x', 'xx', 'xxx'])
    expect(createRedactor(['s3cr3'])(Buffer.from(`${before}s3cr3`).toString('base64'))).toContain('***')
})

test('replaces a secret in what could be a terminal sequence', () => {
  expect(redact(`\u001b[${KEY}`)).toBe('\u001b[***')
  expect(redact(`\u001b]${KEY}\u0007`)).toBe('\u001b]***\u0007')
})

const FILLED = ['\\'.repeat(40), `${'\\'.repeat(40)}key`, '\\"'.repeat(20), ' \u200b ']

test.each(FILLED)('replaces a secret that is mostly filler: %j', (secret) => {
  const redactSecret = createRedactor([secret])

  expect(redactSecret(`a ${secret} key "`)).toBe('a *** key "')
  expect(redactSecret(`a${encodeURIComponent(secret)}z`)).toMatch(/^a(?:%5C)?\*\*\*z$/)
})

test.each([
  ['every occurrence', [KEY], `${KEY}${KEY} ${encodeURIComponent(KEY)}`, '****** ***'],
  ['the longer of two secrets first', ['abcdef', 'abcdef-ghijkl'], 'abcdef-ghijkl abcdef', '*** ***'],
  ['the syntax of patterns literally', ['a.c*[x](y)$'], 'abc a.c*[x](y)$', 'abc ***'],
  ['the syntax of replacements literally', ['$&'], 'a $& b', 'a *** b'],
  ['no encoded form that would match by accident', ['ab'], 'YWI= 6162 ab', 'YWI= 6162 ***'],
  ['an encoded form of six characters', ['abc'], '616263 6162', '*** 6162'],
  ['no spaced form of a short secret', ['isit'], 'is it isit', 'is it ***'],
  ['no spaced form of seven letters', ['sevenof'], 'seven of sevenof', 'seven of ***'],
  ['the spaced form of eight letters', ['eightofa'], 'eight of a', '***'],
  ['nothing for an empty secret', [''], 'text', 'text'],
  ['nothing without a secret', [], 'text', 'text'],
])('replaces %s', (_what, secrets, text, redacted) => {
  expect(createRedactor(secrets)(text)).toBe(redacted)
})

test('replaces a secret of any length, plain and encoded', () => {
  const long = createHash('shake256', { outputLength: 15_000 }).digest('base64')
  const redactLong = createRedactor([long])
  const left = [long, encodeURIComponent(long), Buffer.from(long).toString('hex')].map(redactLong)

  expect(left).toEqual(Array<string>(3).fill('***'.repeat(20)))
  expect(redactLong(Buffer.from(long).toString('base64')).replaceAll('***', '').length).toBeLessThanOrEqual(4 * 20)
})

const LONGER_KEY = 'dk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

test.each([KEY, LONGER_KEY])('does not backtrack exponentially in a text with all of %s except its end', (key) => {
  const text = `${key.slice(0, -1)}-`.repeat(100)
  const redactText = (): string => createRedactor([key])(text)
  // Runs with a time limit, because a failure would never end.
  expect(vm.runInNewContext('redactText()', { redactText }, { timeout: 5_000 })).toBe(text)
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
