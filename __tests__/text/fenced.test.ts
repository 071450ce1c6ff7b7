import { expect, test } from '@jest/globals'
import { cutBlock, fenced } from '../../src/text/fenced.ts'

test('a fence is longer than any run of backticks inside', () => {
  expect(fenced('a\n``````\n')).toBe('```````text\na\n``````\n```````')
})

test('a text is cut at the end of a line where one is near', () => {
  expect(cutBlock('one\ntwo\nthree', 10)).toBe('one\ntwo\n')
  expect(cutBlock('a\nlongword', 8)).toBe('a\nlongw\n')
  expect(cutBlock('a\n', 0)).toBe('')
})
