import { expect, test } from '@jest/globals'
import { formatDuration, joinSentences, readableTime } from '../../src/text/format.ts'
import { cutBlock } from '../../src/agent/prompt.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { cleanLines, cutToBytes, oneLine, takeFitting } from '../../src/text/untrusted.ts'

test('cuts a block at the end of a line if one is near', () => {
  expect(cutBlock('one\ntwo\nthree', 10)).toBe('one\ntwo\n')
  expect(cutBlock('a\nlongword', 8)).toBe('a\nlongw\n')
  expect(cutBlock('a\n', 0)).toBe('')
})

test.each([
  ['2026-01-31T23:30:00+02:00', '2026-01-31 21:30:00 UTC'],
  ['2026-01-31T03:00:05.123Z', '2026-01-31 03:00:05 UTC'],
  // No zone, no valid day, no time at all.
  ['2026-01-31T03:00:05', '2026-01-31T03:00:05'],
  ['2026-99-31T03:00:05Z', '2026-99-31T03:00:05Z'],
  ['<b>5', '<b>5'],
])('formats the untrusted time %j as %j', (text, shown) => {
  expect(readableTime(text)).toBe(shown)
})

test('formats a duration in full seconds, minutes and hours', () => {
  const hour = 3_600_000
  const ms = [-1, 0, 999, 1_000, 59_999, 60_000, 750_000, hour - 1, hour, hour + 123_000, 6 * hour]
  expect(ms.map(formatDuration).join()).toBe('0 s,0 s,0 s,1 s,59 s,1 min,12 min 30 s,59 min 59 s,1 h,1 h 2 min 3 s,6 h')
})

test.each([
  [['Done.', 'Is it there?', 'Stop!', 'One of:'], 'Done. Is it there? Stop! One of:'],
  [['It says: “No.”', 'Cut…'], 'It says: “No.” Cut…'],
  [['Done', 'It is `a.b`', 'It says: “No”'], 'Done. It is `a.b`. It says: “No”.'],
  [['One', undefined, '', 'Two?'], 'One. Two?'],
  // With a list, each sentence gets its own line.
  [['Two are wrong:\n- a.\n- b.', 'Correct them'], 'Two are wrong:\n- a.\n- b.\nCorrect them.'],
  [[], ''],
])('joins %j, each with a period or its own punctuation', (sentences, text) => {
  expect(joinSentences(sentences)).toBe(text)
})

const KEY = 'dk_0123456789abcdef'
const redact = createRedactor([KEY])

test('cleans lines and redacts secrets', () => {
  expect(cleanLines(`a\u001b[31m ${KEY}\r\n##[error]b`, 100, redact)).toEqual(['a ***', '# #[error]b'])
})

test('leaves no part of a secret, wherever it is cut', () => {
  for (let before = 0; before <= 20; before++)
    for (const padding of ['x', '\u200b'.repeat(16)])
      expect(oneLine(`${padding.repeat(before)}${KEY}`, 20, redact)).toMatch(/^x*\**…?$/)
})

test.each(['\u200b', '\u001b[0m'])('redacts a secret that %j splits', (between) => {
  expect(oneLine(`a ${Array.from(KEY).join(between)} b`, 400, redact)).toBe('a *** b')
})

test('redacts a secret whose parts cleaning joins', () => {
  expect(oneLine('pass\u2028word1', 20, createRedactor(['pass word1']))).toBe('***')
})

test.each(['pass##[word', 'pass\tword', 'pass\u200bword'])(
  'redacts the secret %j before cleaning changes it',
  (secret) => {
    expect(cleanLines(`before ${secret} after`, 100, createRedactor([secret]))).toEqual(['before *** after'])
  },
)

test('reads only the beginning of a long text, even if it is invisible', () => {
  expect(oneLine(`${'\u200b'.repeat(1_000_000)}late`, 300, redact)).toBe('…')
})

test.each([
  ['colours', '\u001b[31mred\u001b[0m'],
  ['terminal links', '\u001b]8;;https://docs.example.com\u0007red\u001b]8;;\u0007'],
  ['C0 controls', '\u0000r\u0007e\u0008d\u001f\u007f'],
  ['C1 controls', 'r\u0080e\u009fd'],
  ['characters that change the direction', '\u202er\u2066e\u200fd\u2069\u061c'],
  ['invisible characters', 'r\u200be\u00add\ufeff\u2060'],
  ['variation selectors', 'r\ufe0fe\u{e0100}d\u180b'],
  ['invisible fillers', 'r\u3164e\u115fd\u034f'],
  ['other terminal strings', '\u001bPq\u001b\\r\u001b_x\u009ce\u009d0;x\u0007d'],
  ['other terminal escapes', '\u001bcr\u001b(Be\u009b1;2Hd'],
  ['invisible tags', 'r\u{e0041}e\u{e007f}d'],
])('removes %s', (_name, text) => {
  expect(cleanLines(text)).toEqual(['red'])
})

test.each([
  ['a tab', 'a\tb', ['a b']],
  ['line ends', '\na\r\nb\rc\vd\fe\u0085f\u2028g\u2029', ['', 'a', 'b', 'c', 'd', 'e', 'f', 'g', '']],
  ['letters, accents and emoji', 'Grüße, 世界, שלום, e\u0301 👍🏽', ['Grüße, 世界, שלום, e\u0301 👍🏽']],
  ['half of a surrogate pair', 'a\ud83d', ['a\ufffd']],
  ['a terminal sequence that never ends', '\u001b]8;;red \u001b[0;1', ['8;;red 0;1']],
])('cleans %s', (_what, text, lines) => {
  expect(cleanLines(text)).toEqual(lines)
})

const MARKS = ['##', 'a ##', '###', '##[##', '#\u200b#', '##\u0000', '##\u001b[0m']

test.each(MARKS)('breaks a workflow command with %j before it', (marks) => {
  const [line] = cleanLines(`${marks}[error]x`)
  expect(line).not.toContain('##[')
  expect(line).toContain('[error]x')
})

test('cuts an overlong text between characters, and marks the cut', () => {
  expect(cleanLines('x'.repeat(32), 2)).toEqual(['x'.repeat(32)])
  expect(cleanLines(`${'x'.repeat(30)}😀y`, 2)).toEqual([`${'x'.repeat(30)}…`])
  expect(oneLine('\u001b[0m'.repeat(1_000) + 'text', 10)).toMatch(/…$/)
})

test.each([
  ['😀😀😀', '😀😀😀'],
  ['😀😀😀😀', '😀😀…'],
  [' 😀\n😀😀😀 ', '😀 …'],
  [' a\r\nb ', 'a b'],
])('makes one line of %j, trimmed and cut between characters: %j', (text, line) => {
  expect(oneLine(text, 3)).toBe(line)
})

test('cuts a text to bytes between characters', () => {
  const beginnings = [-1, 0, 1, 2, 3, 6, 7, 8].map((maxBytes) => cutToBytes('aü😀', maxBytes))
  expect(beginnings).toEqual(['', '', 'a', 'a', 'aü', 'aü', 'aü😀', 'aü😀'])
})

test('takes texts in order until one does not fit', () => {
  const fitting = [0, 2, 3, 5].map((maxBytes) => takeFitting(['a', 'ü', 'b'], String, maxBytes))
  expect(fitting).toEqual([
    { texts: [], bytesLeft: 0, isComplete: false },
    { texts: ['a'], bytesLeft: 1, isComplete: false },
    { texts: ['a', 'ü'], bytesLeft: 0, isComplete: false },
    { texts: ['a', 'ü', 'b'], bytesLeft: 1, isComplete: true },
  ])
})
