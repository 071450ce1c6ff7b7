import { createHash } from 'node:crypto'
import * as vm from 'node:vm'
import { expect, test } from '@jest/globals'
import { escapeHtml, inlineCode } from '../../src/text/markdown.ts'
import { createRedactor, redactAll } from '../../src/text/redact.ts'

const KEY = 'dk_Zm9v-b+a/r=="&<\\\'?0123456789'
const redact = createRedactor([KEY])

const wrapped = (text: string, columns: number, end: string): string =>
  (text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).join(end)
/** Without its last character, which depends on what comes next. */
const ENCODED = Buffer.from(KEY).toString('base64').replace(/.=*$/, '')
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
  ['in Base64 of 20 columns', wrapped(ENCODED, 20, '\n')],
  ['in Base64 of 16 columns, indented', wrapped(ENCODED, 16, '\r\n\t  ')],
  ['in an address, with line ends in its escapes', wrapped(encodeURIComponent(KEY), 2, '\n')],
  ['in JSON, escaped twice', JSON.stringify(JSON.stringify(KEY).slice(1, -1)).slice(1, -1)],
])('a secret %s is replaced whole', (_name, text) => {
  expect(redact(`before ${text} after`)).toBe('before *** after')
})

const FILLERS = ['\n\n', '\t', '\u00a0', '\u00ad', '\u200b\u2060\ufeff', '\ufe0f', '\u{e0100}', '\u0000\u009f']

test.each([...FILLERS, '\u001b[31m', '\u001b]8;;x\u0007'])('a secret with %j in it is replaced', (filler) => {
  expect(redact(`before ${Array.from(KEY).join(filler)} after`)).toBe('before *** after')
})

test.each([64, 76, 1_000])('a secret anywhere in Base64 of %i columns is replaced whole', (columns) => {
  for (const encoding of ['base64', 'base64url'] as const)
    for (let before = 0; before <= 160; before++) {
      const text = Buffer.from(`${'x'.repeat(before)}${KEY}${' and'.slice(0, before % 5)}`).toString(encoding)
      const left = redact(wrapped(text, columns, '\r\n')).split('***')
      expect(left).toHaveLength(2)
      // What stays belongs to the neighbours: at the edges up to six bits of the secret, less than a character.
      expect(left.join('').replace(/\s/g, '').length).toBeLessThanOrEqual(text.length - ENCODED.length + 4)
    }
})

/** As JSON of ASCII letters may write it. */
const inUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

const SECRETS = ['pass word\\with\tmuch', `a&b<c>d"e'f`, '>>>>>>??????', 'pässwörd', '密码密码', 'key😀key']

test.each(SECRETS)('every spelling of %j is replaced', (secret) => {
  const spelled = [secret, secret.replaceAll(/\s|\\/g, ''), encodeURIComponent(secret), inUnits(secret)]
  spelled.push(JSON.stringify(secret).slice(1, -1), escapeHtml(secret), escapeHtml(secret).replace('#39', 'apos'))
  expect(new Set(spelled.map(createRedactor([secret])))).toEqual(new Set(['***']))
  for (const encoding of ['base64', 'base64url'] as const)
    expect(createRedactor([secret])(Buffer.from(secret).toString(encoding))).toMatch(/^\*{3}.{0,3}$/)
})

test('what begins like a terminal sequence does not hide a secret that stands in it', () => {
  expect(redact(`\u001b[${KEY}`)).toBe('\u001b[***')
  expect(redact(`\u001b]${KEY}\u0007`)).toBe('\u001b]***\u0007')
})

const FILLED = ['\\'.repeat(40), `${'\\'.repeat(40)}key`, '\\"'.repeat(20), ' \u200b ']

test.each(FILLED)('a secret of little but filler is replaced: %j', (secret) => {
  const redactIt = createRedactor([secret])

  expect(redactIt(`a ${secret} key "`)).toBe('a *** key "')
  expect(redactIt(`a${encodeURIComponent(secret)}z`)).toMatch(/^a(?:%5C)?\*\*\*z$/)
})

test.each([
  ['every occurrence', [KEY], `${KEY}${KEY} ${encodeURIComponent(KEY)}`, '****** ***'],
  ['first the longer of two', ['abcdef', 'abcdef-ghijkl'], 'abcdef-ghijkl abcdef', '*** ***'],
  ['what is no pattern', ['a.c*[x](y)$'], 'abc a.c*[x](y)$', 'abc ***'],
  ['what means something in a replacement', ['$&'], 'a $& b', 'a *** b'],
  ['no encoded form that would match by accident', ['ab'], 'YWI= 6162 ab', 'YWI= 6162 ***'],
  ['no words of a sentence for a short one in pieces', ['isit'], 'is it isit', 'is it ***'],
  ['none for one of seven letters', ['sevenof'], 'seven of sevenof', 'seven of ***'],
  ['words for one of eight letters', ['eightofa'], 'eight of a', '***'],
  ['nothing for an empty one', [''], 'text', 'text'],
  ['nothing without one', [], 'text', 'text'],
])('of secrets it replaces %s', (_what, secrets, text, redacted) => {
  expect(createRedactor(secrets)(text)).toBe(redacted)
})

test('a secret of any length is replaced, whole and encoded', () => {
  const long = createHash('shake256', { outputLength: 15_000 }).digest('base64')
  const redactLong = createRedactor([long])
  const left = [long, encodeURIComponent(long), Buffer.from(long).toString('hex')].map(redactLong)

  expect(left).toEqual(Array<string>(3).fill('***'.repeat(20)))
  expect(redactLong(Buffer.from(long).toString('base64')).replaceAll('***', '').length).toBeLessThanOrEqual(4 * 20)
})

const LONGER_KEY = 'dk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

test.each([KEY, LONGER_KEY])('a text with all of %s but its end is looked through without every spelling', (key) => {
  const text = `${key.slice(0, -1)}-`.repeat(100)
  const look = (): string => createRedactor([key])(text)
  // Runs it under a limit: what fails here fails by never ending.
  expect(vm.runInNewContext('look()', { look }, { timeout: 5_000 })).toBe(text)
})

test('all texts in plain data are redacted, and everything else stays', () => {
  const data = { a: [`x ${KEY}`, 7, null, undefined, true], b: { c: KEY } }
  expect(redactAll(data, redact)).toEqual({ a: ['x ***', 7, null, undefined, true], b: { c: '***' } })
})

test('data may be deeper than the stack', () => {
  const depth = 100_000
  let data: unknown = KEY
  for (let level = 0; level < depth; level++) data = [data]
  let left = redactAll(data, redact)
  for (let level = 0; level < depth; level++) left = (left as unknown[])[0]
  expect(left).toBe('***')
})
