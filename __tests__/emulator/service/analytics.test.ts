import { expect, test } from '@jest/globals'
import { HOSTILE_TEXT, addHostilePrefix } from '../../../src/emulator/service/hostile-text.ts'
import { countVisitors, createAnalytics, type Visit } from '../../../src/emulator/service/visitor-counts.ts'
import { parseDate, parseVisitorsQuery } from '../../../src/emulator/service/visitors-query.ts'
import { toBody, driveService } from '../drive-service.ts'

const END_MS = Date.UTC(2026, 0, 1)
const SITE = { pages: 30, visits: 32_000, endMs: END_MS }
const ALWAYS = { fromMs: -Infinity, toMs: Infinity }

test('an endless list exceeds the hourly rate limit without repeating a page', () => {
  const { get } = driveService({ scenario: 'endless-pages' })
  const parts = [0, 1, 100].map((part) => toBody(get(`/v1/analytics/docs/visitors?limit=250&offset=${part * 250}`)))
  expect(parts.map(({ hasMore }) => hasMore)).toEqual([true, true, true])
  const paths = parts.flatMap(({ visitors = [] }) => visitors.map(({ path }) => path))
  expect(new Set(paths).size).toBe(3 * 250)
  expect(paths.every((path) => path.length > 8_000 && path.length < 8 * 1024)).toBe(true)
})

const analytics = createAnalytics(SITE)
const rows = (offset: number, limit: number) => analytics({ range: ALWAYS, limit, offset })

function visit(visitor: number, kind: Visit['kind'], path: string, atMs = 0): Visit {
  return { visitor, kind, path, atMs }
}

test('counts a visitor once, and a visitor seen as human and as AI in both and once in the total', () => {
  const visits = [visit(1, 'human', '/a'), visit(1, 'human', '/a'), visit(1, 'ai', '/b')]
  expect(countVisitors(visits, ALWAYS)).toEqual({
    totals: { human: 1, ai: 1, total: 1 },
    visitors: [
      { path: '/a', human: 1, ai: 0, total: 1 },
      { path: '/b', human: 0, ai: 1, total: 1 },
    ],
  })
  const { totals } = rows(0, 1)
  expect(totals.total).toBeLessThan(totals.human + totals.ai)
})

test('includes the start of a range and excludes its end', () => {
  const visits = [9, 10, 19, 20].map((atMs, visitor) => visit(visitor, 'human', `/${atMs}`, atMs))
  const { visitors } = countVisitors(visits, { fromMs: 10, toMs: 20 })
  expect(visitors.map(({ path }) => path)).toEqual(['/10', '/19'])
})

test('sorts pages by visitors, then by path', () => {
  const visits = [visit(1, 'ai', '/b'), visit(1, 'ai', '/a'), visit(1, 'ai', '/c'), visit(2, 'ai', '/c')]
  expect(countVisitors(visits, ALWAYS).visitors.map(({ path }) => path)).toEqual(['/c', '/a', '/b'])
})

const day = (date: number, hour = 0): number => Date.UTC(2025, 11, date, hour)

test.each([
  ['', ALWAYS, 50, 0],
  ['limit=1&x=1', ALWAYS, 1, 0],
  ['limit=250&offset=7', ALWAYS, 250, 7],
  ['dateTo=2025-12-01', { fromMs: -Infinity, toMs: day(1) }, 50, 0],
  ['dateFrom=2025-12-01&dateTo=2025-12-02T00:00:00%2B02:00', { fromMs: day(1), toMs: day(1, 22) }, 50, 0],
  ['dateFrom=2025-12-01&dateTo=2025-12-01', { fromMs: day(1), toMs: day(1) }, 50, 0],
])('parses the query “%s” as the range %j, limit %d, offset %d', (query, range, limit, offset) => {
  expect(parseVisitorsQuery(query)).toEqual({ range, limit, offset })
})

const LIMIT = '`limit` must be an integer from 1 to 250.'
const OFFSET = '`offset` must be an integer of 0 or more.'
const FROM = '`dateFrom` must be YYYY-MM-DD or ISO 8601.'
const TO = '`dateTo` must be YYYY-MM-DD or ISO 8601.'

test.each([
  ...['0', '251', '-1', '1.5', '1e2', '0x10', '', ' 5', 'ten', '5&limit=5'].map((text) => [`limit=${text}`, LIMIT]),
  ...['-1', '0.5', '', '99999999999999999999'].map((text) => [`offset=${text}`, OFFSET]),
  ['dateFrom=2025-12-02&dateTo=2025-12-01', '`dateFrom` must not be after `dateTo`.'],
  ['dateFrom=x&dateTo=y&limit=0&offset=-1', FROM, TO, LIMIT, OFFSET],
])('refuses the query “%s” with every problem: %s', (query, ...problems) => {
  expect(parseVisitorsQuery(query)).toMatchObject({ status: 400, problems })
})

test.each([
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2025-12-01T13:30', '2025-12-01T13:30:00.000Z'],
  ['2025-12-01T13:30:15', '2025-12-01T13:30:15.000Z'],
  ['2025-12-01T13:30:15.123Z', '2025-12-01T13:30:15.123Z'],
  ['2025-12-01T01:00:00+02:00', '2025-11-30T23:00:00.000Z'],
  ['2025-12-01T01:00:00+0230', '2025-11-30T22:30:00.000Z'],
  ['2025-12-01T23:00:00-05', '2025-12-02T04:00:00.000Z'],
])('parses %s as %s', (text, time) => {
  expect(new Date(parseDate(text) ?? NaN).toISOString()).toBe(time)
})

test.each([
  '',
  'yesterday',
  '2025-1-1',
  '2025-02-29',
  '2025-12-01 13:30',
  '2025-12-01T25:00',
  '2025-12-01T13:30+99:00',
])('refuses the date %j', (text) => {
  expect(parseDate(text)).toBeUndefined()
})

test('the hostile text contains workflow commands, colors, control characters, HTML, a mention and a table', () => {
  const kinds = [
    '\n::error ',
    '\u2028::add-mask::',
    ' ##[error]',
    '\u001b[31m',
    '\0',
    '\u202e',
    '<img',
    '@everyone',
    ' | ',
  ]
  for (const kind of kinds) expect(HOSTILE_TEXT).toContain(kind)
})

test('hostile paths are distinct, end with the original path, and begin like formulas', () => {
  const paths = Array.from({ length: 50 }, (_, index) => addHostilePrefix(`/page-${index}`, index))
  expect(new Set(paths).size).toBe(50)
  expect(paths.every((path, index) => path.endsWith(`/page-${index}`) && !path.startsWith('/'))).toBe(true)
  expect(paths.map(([start]) => start)).toEqual(expect.arrayContaining(['=', '@', '+', '-', '\t', '\uff1d', '\n']))
})
