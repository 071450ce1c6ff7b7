import { expect, test } from '@jest/globals'
import { describeRange, lastDays } from '../../src/visitors/date-range.ts'

test('the last days end before today, in UTC', () => {
  expect(lastDays(1, new Date('2026-03-01T00:00:00Z'))).toEqual({ dateFrom: '2026-02-28', dateTo: '2026-03-01' })
  expect(lastDays(30, new Date('2026-03-01T23:59:59.999Z'))).toEqual({ dateFrom: '2026-01-30', dateTo: '2026-03-01' })
})

test('a day in the local time of a runner changes nothing', () => {
  expect(lastDays(1, new Date('2026-03-01T23:30:00-05:00'))).toEqual({ dateFrom: '2026-03-01', dateTo: '2026-03-02' })
})

test.each([
  [{ dateFrom: '2026-01-01', dateTo: '2026-02-01' }, 'from 2026-01-01, before 2026-02-01'],
  [{ dateFrom: '2026-01-01' }, 'from 2026-01-01'],
  [{ dateTo: '2026-02-01' }, 'before 2026-02-01'],
  [{}, 'the days that the service chooses'],
])('%j is told as “%s”', (range, words) => {
  expect(describeRange(range)).toBe(words)
})
