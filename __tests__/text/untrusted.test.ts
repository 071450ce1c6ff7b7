import { expect, test } from '@jest/globals'
import { cleanLines, cutRaw, cutText, cutToBytes, oneLine } from '../../src/text/untrusted.ts'

test.each(['\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'])('%j ends a line', (end) => {
  expect(cleanLines(`a${end}b`)).toEqual(['a', 'b'])
})

test('empty lines are kept', () => {
  expect(cleanLines('\na\n\n')).toEqual(['', 'a', '', ''])
})

test.each([
  ['colours', '\u001b[31mred\u001b[0m'],
  ['links of terminals', '\u001b]8;;https://docs.example.com\u0007red\u001b]8;;\u0007'],
  ['C0 controls', '\u0000r\u0007e\u0008d\u001f\u007f'],
  ['C1 controls', 'r\u0080e\u009fd'],
  ['characters that change the direction', '\u202er\u2066e\u200fd\u2069\u061c'],
  ['invisible characters', 'r\u200be\u00add\ufeff\u2060'],
  ['variation selectors', 'r\ufe0fe\u{e0100}d\u180b'],
  ['fillers without a shape', 'r\u3164e\u115fd\u034f'],
  ['other strings for terminals', '\u001bPq\u001b\\r\u001b_x\u009ce\u009d0;x\u0007d'],
  ['other escapes of terminals', '\u001bcr\u001b(Be\u009b1;2Hd'],
  ['invisible tags', 'r\u{e0041}e\u{e007f}d'],
])('%s are removed', (_name, text) => {
  expect(cleanLines(text)).toEqual(['red'])
})

test('a terminal sequence that never ends takes nothing else with it', () => {
  expect(cleanLines('\u001b]8;;red \u001b[0;1')).toEqual(['8;;red 0;1'])
})

test('a tab becomes a space', () => {
  expect(cleanLines('a\tb')).toEqual(['a b'])
})

test('letters, accents and emoji stay as they are', () => {
  expect(cleanLines('Grüße, 世界, שלום, e\u0301 👍🏽')).toEqual(['Grüße, 世界, שלום, e\u0301 👍🏽'])
})

test('half of a surrogate pair becomes a replacement character', () => {
  expect(cleanLines('a\ud83d')).toEqual(['a\ufffd'])
})

test.each([
  '##[error]x',
  'a ##[error]x',
  '###[error]x',
  '##[##[error]x',
  '#\u200b#[error]x',
  '##\u0000[error]x',
  '##\u001b[0m[error]x',
])('%j is no command in the middle of a line', (text) => {
  expect(cleanLines(text).join('\n')).not.toContain('##[')
  expect(cleanLines(text).join('\n')).toContain('[error]x')
})

test('one line is one line, trimmed', () => {
  expect(oneLine(' a\r\nb\u2028c ', 10)).toBe('a b c')
})

test('what is not looked at any more is cut off between characters, and shown to be', () => {
  expect(cutRaw('x'.repeat(32), 2)).toBe('x'.repeat(32))
  expect(cutRaw(`${'x'.repeat(30)}😀y`, 2)).toBe(`${'x'.repeat(30)}…`)
  expect(oneLine('\u001b[0m'.repeat(1_000) + 'text', 10)).toMatch(/…$/)
})

test('a text is cut between characters, and shows it', () => {
  expect(cutText('😀😀😀', 3)).toBe('😀😀😀')
  expect(cutText('😀😀😀😀', 3)).toBe('😀😀…')
  expect(oneLine('😀\n😀😀😀', 3)).toBe('😀 …')
})

test.each([
  [0, ''],
  [1, 'a'],
  [2, 'a'],
  [3, 'aü'],
  [6, 'aü'],
  [7, 'aü😀'],
  [8, 'aü😀'],
])('the first %i bytes of a text are %j', (maxBytes, expected) => {
  expect(cutToBytes('aü😀', maxBytes)).toBe(expected)
})
