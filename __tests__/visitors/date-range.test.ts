import { expect, test } from '@jest/globals'
import {
  dateInput,
  describeRange,
  getPrecedingPeriod,
  lastDays,
  namePrecedingPeriod,
  parseTime,
} from '../../src/visitors/date-range.ts'

test.each([
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  [' 2024-02-29 ', Date.UTC(2024, 1, 29)],
  ['2026-01-31T09:30Z', Date.UTC(2026, 0, 31, 9, 30)],
  ['2026-01-31T09:30:15.5Z', Date.UTC(2026, 0, 31, 9, 30, 15, 500)],
  ['2026-01-31T00:30:00+02:00', Date.UTC(2026, 0, 30, 22, 30)],
  ['2026-01-31T09:30', Date.UTC(2026, 0, 31, 9, 30)],
])('reads %j as a time', (text, atMs) => {
  expect([dateInput(text.trim(), {}, '.'), parseTime(text)]).toEqual([text.trim(), atMs])
})

test.each([
  ['is not a valid date', '2026-02-30 2026-13-01 2026-04-31T10:00:00Z'],
  ['must be `YYYY-MM-DD`', '2026-01-01T24:00:00Z 2026-01-01T10:60:00Z 0000-01-01 2026-1-1 01/02/2026 5 the2026-01-01'],
  ['must be `YYYY-MM-DD`', '-002026-01-01 +002026-01-01 2026-01-01&limit=1 2026-01-01T10:00:00.1234567890Z'],
  ['has a UTC offset that does not exist', '2026-01-01T10:00:00+99:00'],
])('rejects dates with “%s”: %s', (problem, texts) => {
  for (const text of texts.split(' ')) expect(() => dateInput(text, {}, '.')).toThrow(problem)
})

test.each([
  [30, '2026-03-01T23:59:59.999Z', '2026-01-30', '2026-03-01'],
  // The local time zone of a runner changes nothing.
  [1, '2026-03-01T23:30:00-05:00', '2026-03-01', '2026-03-02'],
])('ends the last %i days before %s at midnight in UTC', (days, now, dateFrom, dateTo) => {
  expect(lastDays(days, new Date(now))).toEqual({ dateFrom, dateTo })
})

test.each([
  ['2026-03-01', '2026-03-31', '2026-01-30', 'the 30 days before'],
  ['2026-03-01', '2026-03-02', '2026-02-28', 'the day before'],
  ['2026-03-01T06:00:00Z', '2026-03-03T06:00:00Z', '2026-02-27T06:00:00.000Z', 'the 2 days before'],
  ['2026-03-01T02:00:00+02:00', '2026-03-01T01:30:00Z', '2026-02-28T22:30:00.000Z', 'the period before'],
  ['2026-03-01', '2026-03-01T12:00', '2026-02-28T12:00:00.000Z', 'the period before'],
])('starts the period that precedes %s to %s on %s and names it “%s”', (dateFrom, dateTo, start, name) => {
  const period = { dateFrom, dateTo }
  expect(getPrecedingPeriod(period)).toEqual({ dateFrom: start, dateTo: dateFrom })
  expect(namePrecedingPeriod(period)).toBe(name)
})

test('begins no preceding period before the year 1', () => {
  const endless = { dateFrom: '2026-01-01', dateTo: '9999-12-31' }
  expect(getPrecedingPeriod(endless)).toEqual({ dateFrom: '0001-01-01', dateTo: '2026-01-01' })
})

test.each([
  ['2025-12-02', '2026-01-01', '2 to 31 December 2025'],
  ['2025-11-28', '2025-12-28', '28 November to 27 December 2025'],
  ['2025-12-05', '2026-01-04', '5 December 2025 to 3 January 2026'],
  ['2025-12-31', '2026-01-01', '31 December 2025'],
  ['2026-01-01T02:00:00+02:00', '2026-01-03T00:00Z', '1 to 2 January 2026'],
  ['2026-01-01T09:30Z', '2026-01-03', '1 January 2026, 09:30 UTC until 3 January 2026'],
  ['2026-01-01', '2026-01-01T18:00:15.5Z', '1 January 2026 until 1 January 2026, 18:00:15.500 UTC'],
  ['2026-01-01', '', 'from 1 January 2026'],
  ['2026-01-01T00:30', '', 'from 1 January 2026, 00:30 UTC'],
  ['', '2026-02-01', 'until 31 January 2026'],
  ['', '2026-02-01T12:00', 'until 1 February 2026, 12:00 UTC'],
  ['', '', 'the days that the service chooses'],
])('describes %s to %s as “%s”', (dateFrom, dateTo, words) => {
  expect(describeRange({ ...(dateFrom && { dateFrom }), ...(dateTo && { dateTo }) })).toBe(words)
})
