import { expect, test } from '@jest/globals'
import { newestLines } from '../../src/rehearse/newest-lines.ts'

test('a short log is shown whole', () => {
  expect(newestLines('a\nb\n', 2)).toBe('a\nb')
  expect(newestLines('a\r\nb', 2)).toBe('a\nb')
})

test('of a long log the newest lines are shown, and how many are left out', () => {
  expect(newestLines('a\nb\nc\nd\n', 2)).toBe('(2 earlier lines are left out)\nc\nd')
})
