import { expect, test } from '@jest/globals'

import { parseVisitorsQuery } from '../../../src/emulator/service/visitors-query.ts'

const OPEN = { fromMs: -Infinity, toMs: Infinity }

test('asks for the first 50 rows of all time unless told otherwise', () => {
  expect(parseVisitorsQuery('')).toEqual({ kind: 'query', query: { range: OPEN, limit: 50, offset: 0 } })
})

test('reads what is given, and ignores what it does not know', () => {
  expect(parseVisitorsQuery('dateFrom=2025-12-01&dateTo=2025-12-02T00:00:00%2B02:00&limit=250&offset=7&x=1')).toEqual({
    kind: 'query',
    query: {
      range: { fromMs: Date.UTC(2025, 11, 1), toMs: Date.UTC(2025, 11, 1, 22) },
      limit: 250,
      offset: 7,
    },
  })
})

test('one date alone leaves the other side open', () => {
  expect(parseVisitorsQuery('dateTo=2025-12-01')).toMatchObject({
    query: { range: { fromMs: -Infinity, toMs: Date.UTC(2025, 11, 1) } },
  })
})

test.each(['0', '251', '-1', '1.5', '1e2', '0x10', '', ' 5', 'ten', 'NaN'])('refuses the limit %j', (limit) => {
  expect(parseVisitorsQuery(`limit=${limit}`)).toEqual({
    kind: 'invalid',
    problems: ['`limit` must be an integer from 1 to 250.'],
  })
})

test.each(['1', '250'])('takes the limit %s', (limit) => {
  expect(parseVisitorsQuery(`limit=${limit}`)).toMatchObject({ query: { limit: Number(limit) } })
})

test.each(['-1', '0.5', '', '99999999999999999999'])('refuses the offset %j', (offset) => {
  expect(parseVisitorsQuery(`offset=${offset}`)).toMatchObject({ kind: 'invalid' })
})

test('refuses a parameter that comes twice', () => {
  expect(parseVisitorsQuery('limit=5&limit=5')).toMatchObject({ kind: 'invalid' })
})

test('refuses a range that ends before it starts, and takes an empty one', () => {
  expect(parseVisitorsQuery('dateFrom=2025-12-02&dateTo=2025-12-01')).toEqual({
    kind: 'invalid',
    problems: ['`dateFrom` must not be after `dateTo`.'],
  })
  expect(parseVisitorsQuery('dateFrom=2025-12-01&dateTo=2025-12-01')).toMatchObject({ kind: 'query' })
})

test('names every problem', () => {
  expect(parseVisitorsQuery('dateFrom=x&dateTo=y&limit=0&offset=-1')).toMatchObject({
    problems: [
      expect.stringContaining('dateFrom'),
      expect.stringContaining('dateTo'),
      expect.stringContaining('limit'),
      expect.stringContaining('offset'),
    ],
  })
})
