import { expect, test } from '@jest/globals'
import { formatUtc, readableTime } from '../../src/text/utc-time.ts'

test('a point in time is told in UTC, with its day', () => {
  expect(formatUtc(new Date('2026-01-31T03:00:05.999Z'))).toBe('2026-01-31 03:00:05')
})

test.each([
  ['2026-01-31T23:30:00+02:00', '2026-01-31 21:30:00 UTC'],
  ['2026-01-31T03:00:05.123Z', '2026-01-31 03:00:05 UTC'],
  // No zone, no such day, no time at all.
  ['2026-01-31T03:00:05', '2026-01-31T03:00:05'],
  ['2026-99-31T03:00:05Z', '2026-99-31T03:00:05Z'],
  ['<b>5', '<b>5'],
])('what somebody else wrote as %j is shown as %j', (text, shown) => {
  expect(readableTime(text)).toBe(shown)
})
