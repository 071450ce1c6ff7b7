import { expect, test } from '@jest/globals'
import { cleanBlock, cleanName, cutBlock, fenced, MOST_FENCE_BYTES } from '../../src/shared/fence.ts'

test('a fence is longer than any run of backticks inside', () => {
  expect(fenced('a\n')).toBe('````text\na\n````')
  expect(fenced('```` and ``````\n')).toBe('```````text\n```` and ``````\n```````')
})

test('runs of backticks are cut, so that fences stay short, also those that stood around what does not show', () => {
  const long = '`'.repeat(100)
  for (const clean of [cleanBlock, cleanName]) {
    const [text, split] = [clean(long), clean('`'.repeat(20) + '\u200b' + '`'.repeat(20))]
    expect(fenced(`${text}\n`).length).toBeLessThanOrEqual(text.length + MOST_FENCE_BYTES + 'text\n\n'.length)
    expect(split).toBe('`'.repeat(32))
  }
})

test('a block keeps its lines and tabs, and loses colours', () => {
  expect(cleanBlock('a\tb\r\n\u001b[31mred\u001b[0m')).toBe('a\tb\nred')
})

test('a block is cut at the end of a line where one is near', () => {
  expect(cutBlock('1234\n56', 7)).toBe('1234\n')
  expect(cutBlock('1\n23456789', 7)).toBe('1\n2345\n')
})
