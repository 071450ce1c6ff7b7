import { expect, test } from '@jest/globals'
import { formatDuration } from '../../src/shared/duration.ts'

test.each([
  [-1, '0:00'],
  [0, '0:00'],
  [999, '0:00'],
  [1_000, '0:01'],
  [59_999, '0:59'],
  [60_000, '1:00'],
  [750_000, '12:30'],
  [3_599_999, '59:59'],
  [3_600_000, '1:00:00'],
  [3_723_000, '1:02:03'],
  [360 * 60_000, '6:00:00'],
])('%i ms are shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
