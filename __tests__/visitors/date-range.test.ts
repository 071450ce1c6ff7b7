import { expect, test } from '@jest/globals'
import { describeRange, lastDays, periodBefore } from '../../src/visitors/date-range.ts'

test('the last days end before today, in UTC', () => {
  expect(lastDays(1, new Date('2026-03-01T00:00:00Z'))).toEqual({ dateFrom: '2026-02-28', dateTo: '2026-03-01' })
  expect(lastDays(30, new Date('2026-03-01T23:59:59.999Z'))).toEqual({ dateFrom: '2026-01-30', dateTo: '2026-03-01' })
})

test('a day in the local time of a runner changes nothing', () => {
  expect(lastDays(1, new Date('2026-03-01T23:30:00-05:00'))).toEqual({ dateFrom: '2026-03-01', dateTo: '2026-03-02' })
})

test.each([
  ['2026-03-01', '2026-03-31', '2026-01-30', 'the 30 days before'],
  ['2026-03-01', '2026-03-02', '2026-02-28', 'the day before'],
  ['2026-03-01T06:00:00Z', '2026-03-03T06:00:00Z', '2026-02-27T06:00:00.000Z', 'the 2 days before'],
  ['2026-03-01T02:00:00+02:00', '2026-03-01T01:30:00Z', '2026-02-28T22:30:00.000Z', 'the period before'],
  ['2026-03-01', '2026-03-01T12:00', '2026-02-28T12:00:00.000Z', 'the period before'],
])('before %s to %s comes as much from %s, %s', (dateFrom, dateTo, start, name) => {
  expect(periodBefore({ dateFrom, dateTo })).toEqual({ range: { dateFrom: start, dateTo: dateFrom }, name })
})

test.each([{}, { dateFrom: '2026-01-01' }, { dateTo: '2026-01-01' }])('nothing is before %j', (range) => {
  expect(periodBefore(range)).toBeUndefined()
})

test.each([
  [{ dateFrom: '2026-01-01', dateTo: '2026-02-01' }, 'from 2026-01-01, before 2026-02-01'],
  [{ dateFrom: '2026-01-01' }, 'from 2026-01-01'],
  [{ dateTo: '2026-02-01' }, 'before 2026-02-01'],
  [{}, 'the days that the service chooses'],
])('%j is told as “%s”', (range, words) => {
  expect(describeRange(range)).toBe(words)
})
