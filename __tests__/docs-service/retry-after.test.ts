import { expect, test } from '@jest/globals'
import { parseRetryAfter } from '../../src/docs-service/retry-after.ts'

const NOW = 'Wed, 21 Oct 2026 07:28:00 GMT'

test.each([
  ['0', 0],
  ['5', 5_000],
  [' 120 ', 120_000],
  ['007', 7_000],
])('%j is a number of seconds', (value, expected) => {
  expect(parseRetryAfter(value, NOW)).toBe(expected)
})

test.each([['Wed, 21 Oct 2026 07:28:30 GMT'], ['Wednesday, 21-Oct-26 07:28:30 GMT'], ['Wed Oct 21 07:28:30 2026']])(
  'the date %s is read against the date of the answer',
  (value) => {
    expect(parseRetryAfter(value, NOW)).toBe(30_000)
  },
)

test('a clock that is off here does not matter', () => {
  expect(parseRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT')).toBe(60_000)
})

test.each(['-1', '-99999999999999999999', 'Wed, 21 Oct 2026 07:27:59 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
  '%j is past, so there is nothing to wait for',
  (value) => {
    expect(parseRetryAfter(value, NOW)).toBe(0)
  },
)

test.each(['9'.repeat(10), '9'.repeat(400), 'Wed, 21 Oct 9999 07:28:00 GMT'])(
  '%j is longer than any step lasts, and short enough to reckon a date from',
  (value) => {
    const delayMs = parseRetryAfter(value, NOW) ?? 0

    expect(delayMs).toBeGreaterThan(360 * 60_000)
    expect(() => new Date(Date.now() + delayMs).toISOString()).not.toThrow()
  },
)

test.each([
  undefined,
  '',
  ' ',
  '5.5',
  '1e400',
  '1e3',
  '+5',
  '0x10',
  '5s',
  'soon',
  'soon 5',
  'after 2099',
  'after Wed, 21 Oct 2026 07:28:30 GMT',
  '2026-10-21T07:28:30Z',
  'Wed, 99 Oct 2026 07:28:00 GMT',
  'Infinity',
  'NaN',
])('%j says nothing usable', (value) => {
  expect(parseRetryAfter(value, NOW)).toBeUndefined()
})

test.each([undefined, '', '5', 'junk'])('a date cannot be read against the date %j', (date) => {
  expect(parseRetryAfter('Wed, 21 Oct 2026 07:28:30 GMT', date)).toBeUndefined()
})
