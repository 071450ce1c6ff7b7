import { expect, test } from '@jest/globals'
import { createRedactor } from '../../src/text/redact.ts'
import { safeLine, safeLines } from '../../src/text/safe-lines.ts'

const KEY = 'dk_0123456789abcdef'
const redact = createRedactor([KEY])

test('lines are cleaned and hold no secret', () => {
  expect(safeLines(`a\u001b[31m ${KEY}\r\n##[error]b`, redact, 100)).toEqual(['a ***', '# #[error]b'])
})

test('one line is cut between characters', () => {
  expect(safeLine(` a\n${'😀'.repeat(9)}`, redact, 5)).toBe('a 😀😀…')
})

test.each([KEY, Array.from(KEY).join('\u200b'), Array.from(KEY).join('\u001b[0m')])(
  'no part of a secret is left, wherever it is cut: %j',
  (form) => {
    for (let before = 0; before <= 20; before++)
      for (const padding of ['x', '\u200b'.repeat(16)])
        expect(safeLine(`${padding.repeat(before)}${form}`, redact, 20)).toMatch(/^x*\**…?$/)
  },
)

test('a secret that only cleaning puts together is replaced', () => {
  expect(safeLine('pass\u2028word1', createRedactor(['pass word1']), 20)).toBe('***')
})

test('what does not show at the beginning of a long text is not looked through for the rest', () => {
  expect(safeLine(`${'\u200b'.repeat(1_000_000)}late`, redact, 300)).toBe('…')
})
