import { expect, test } from '@jest/globals'
import { formatDuration } from '../../src/text/duration.ts'

test.each([
  [-1, '0 s'],
  [0, '0 s'],
  [999, '0 s'],
  [1_000, '1 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [750_000, '12 min 30 s'],
  [3_599_999, '59 min 59 s'],
  [3_600_000, '1 h'],
  [3_723_000, '1 h 2 min 3 s'],
  [360 * 60_000, '6 h'],
])('%i ms are shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
