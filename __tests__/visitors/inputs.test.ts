import { expect, test } from '@jest/globals'
import type { VisitorsInputs } from '../../src/visitors/inputs.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'
import { parseInputs } from '../../testing/visitors-run.ts'

type Given = Readonly<Record<string, string>>

const parse = (given: Given): VisitorsInputs => parseInputs(given, createTemporaryFolder())

const WORDS = { 'output-file': 'out/pages.txt', 'timeout-minutes': '0.5', top: '0' }

test.each<[Given, object]>([
  [{}, { range: {}, format: 'csv', top: 20, compare: false, timeoutMs: 900_000 }],
  [WORDS, { place: { name: 'out/pages.txt' }, top: 0, timeoutMs: 30_000 }],
  ...['csv', ' json '].map((format): [Given, object] => [
    { format },
    { format: format.trim(), place: { name: `visitors.${format.trim()}` } },
  ]),
])('parses %j as %j', (given, inputs) => {
  expect(parse(given)).toMatchObject(inputs)
})

/** One after the other only because of their offsets. */
const TWO_TIMES = { dateFrom: '2026-01-01T10:00:00+02:00', dateTo: '2026-01-01T09:00:00Z' }

test.each<[Given, object]>([
  // A number of days ends before today.
  [{ days: '28' }, { dateFrom: '2026-02-01', dateTo: '2026-03-01' }],
  [{ days: '3660' }, { dateFrom: '2016-02-22', dateTo: '2026-03-01' }],
  [{ 'date-from': ' 2026-01-01 ' }, { dateFrom: '2026-01-01' }],
  [{ 'date-to': '2026-01-01' }, { dateTo: '2026-01-01' }],
  [{ 'date-from': TWO_TIMES.dateFrom, 'date-to': TWO_TIMES.dateTo }, TWO_TIMES],
  [
    { days: '1', 'date-from': ' ', 'date-to': '\n' },
    { dateFrom: '2026-02-28', dateTo: '2026-03-01' },
  ],
])('returns for %j the range %j', (given, range) => {
  expect(parse(given).range).toEqual(range)
})

const ONLY_LOOKS_LATER = { 'date-from': '2026-01-01T10:00:00Z', 'date-to': '2026-01-01T11:00:00+02:00' }
const WITHOUT_LENGTH = /^`compare` needs `days`, or both/

test.each<[string, Given, RegExp]>([
  ['an empty range', { 'date-from': '2026-02-01', 'date-to': '2026-02-01' }, /^`date-to` must be after `date-from`/],
  ['an end that only looks later', ONLY_LOOKS_LATER, /^`date-to` must be after/],
  ['days with a start', { days: '7', 'date-from': '2026-01-01' }, /^`days` cannot be combined/],
  ['days with an end', { days: '7', 'date-to': '2026-01-01' }, /^`days` cannot be combined/],
  ['too many days', { days: '3661' }, /^`days` must be a whole number from 1 to 3660/],
  ['too many pages at the top', { top: '1001' }, /^`top` must be a whole number from 0 to 1000/],
  ['a comparison without a length', { compare: 'true' }, WITHOUT_LENGTH],
  ['a comparison without an end', { compare: 'true', 'date-from': '2026-01-01' }, WITHOUT_LENGTH],
  ['a comparison without a start', { compare: 'true', 'date-to': '2026-01-01' }, WITHOUT_LENGTH],
])('rejects %s', (_name, given, problem) => {
  expect(() => parse(given)).toThrow(problem)
})

test('names every invalid input in one error', () => {
  const dates = { 'date-from': '2026-02-30', 'date-to': '1', days: '0' }
  const wrong = { ...dates, format: 'ndjson', 'output-file': '../x', top: '-1', compare: 'pages' }
  for (const name of Object.keys(wrong)) expect(() => parse(wrong)).toThrow(`\n- \`${name}\` `)
})
