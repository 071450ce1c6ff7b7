import { expect, test } from '@jest/globals'
import { HOSTILE_TEXT, addHostilePrefix } from '../../../src/emulator/service/hostile-text.ts'
import type { ScenarioName } from '../../../src/emulator/service/scenarios.ts'
import {
  countVisitors,
  createAnalytics,
  generateVisits,
  getPagePath,
  type Visit,
  VISIT_HISTORY_DAYS,
} from '../../../src/emulator/service/visitor-counts.ts'
import { parseDate, parseVisitorsQuery } from '../../../src/emulator/service/visitors-query.ts'
import { toBody, driveService } from '../drive-service.ts'

const DAY_MS = 86_400_000
const END_MS = Date.UTC(2026, 0, 1)
const SITE = { pages: 30, visits: 32_000, endMs: END_MS }
const VISITS = generateVisits(SITE)
const ALWAYS = { fromMs: -Infinity, toMs: Infinity }

test('spreads visits over every day of the two years before the end', () => {
  const days = new Set(VISITS.map(({ atMs }) => Math.ceil((END_MS - atMs) / DAY_MS)))
  expect([days.size, Math.min(...days), Math.max(...days)]).toEqual([VISIT_HISTORY_DAYS, 1, VISIT_HISTORY_DAYS])
  expect(generateVisits({ ...SITE, visits: 0 })).toEqual([])
})

test('increases AI visitors over the two years, and keeps human visitors constant', () => {
  const quarters = [8, 6, 4, 2].map((age) => ({
    fromMs: END_MS - age * 90 * DAY_MS,
    toMs: END_MS - (age - 1) * 90 * DAY_MS,
  }))
  const totals = quarters.map((range) => countVisitors(VISITS, range).totals)
  const ai = totals.map((one) => one.ai)
  const human = totals.map((one) => one.human)
  expect(ai).toEqual(ai.toSorted((a, b) => a - b))
  expect((ai.at(-1) ?? 0) / (ai[0] ?? 1)).toBeGreaterThan(3)
  expect(Math.max(...human) / Math.min(...human)).toBeLessThan(1.1)
})

test('visits every page, the first one most often, and creates distinct paths', () => {
  const { visitors } = countVisitors(VISITS, ALWAYS)
  expect([visitors.length, visitors[0]?.path]).toEqual([30, '/'])
  const paths = Array.from({ length: 1_000 }, (_, index) => getPagePath(index))
  expect(new Set(paths).size).toBe(1_000)
  expect(paths.slice(0, 3)).toEqual(['/', '/reference/install', '/concepts/install'])
})

/** Reads the list as the export does, in parts of the maximum size. Returns the paths of each part. */
function readParts(scenario: ScenarioName, maxParts: number): { parts: string[][]; ends: boolean } {
  const { get } = driveService({ scenario })
  const parts: string[][] = []
  for (let ends = false; ;) {
    if (ends || parts.length === maxParts) return { parts, ends }
    const { visitors = [], hasMore } = toBody(
      get(`/v1/analytics/docs/visitors?limit=250&offset=${parts.flat().length}`),
    )
    parts.push(visitors.map(({ path }) => path))
    ends = hasMore === false
  }
}

const [DEFAULT_PATHS = []] = readParts('pull-request', 1).parts

test('a moving list contains every page, and one page twice', () => {
  const { parts } = readParts('moving-pages', 10)
  expect(parts.map(({ length }) => length)).toEqual([250, 11])
  const paths = parts.flat()
  expect(paths.slice(0, 30)).toEqual(DEFAULT_PATHS)
  expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([paths[249]])
})

test('a stuck list always repeats the first part with `hasMore`', () => {
  expect(readParts('stuck-pages', 3)).toEqual({ parts: [DEFAULT_PATHS, DEFAULT_PATHS, DEFAULT_PATHS], ends: false })
})

test('the long-path list contains a path of more than 8 KiB', () => {
  const [[long = '', ...others] = []] = readParts('long-path', 1).parts
  expect(long.length).toBeGreaterThan(8 * 1024)
  expect(others).toEqual(DEFAULT_PATHS.slice(1))
})

test('an endless list exceeds the hourly rate limit without repeating a page', () => {
  const { get } = driveService({ scenario: 'endless-pages' })
  const parts = [0, 1, 100].map((part) => toBody(get(`/v1/analytics/docs/visitors?limit=250&offset=${part * 250}`)))
  expect(parts.map(({ hasMore }) => hasMore)).toEqual([true, true, true])
  const paths = parts.flatMap(({ visitors = [] }) => visitors.map(({ path }) => path))
  expect(new Set(paths).size).toBe(3 * 250)
  expect(paths.every((path) => path.length > 8_000 && path.length < 8 * 1024)).toBe(true)
})

test('a short history refuses days that are older than 100 days, and not an open start', () => {
  const get = (dateFrom: string) =>
    driveService({ scenario: 'short-history' }).get(`/v1/analytics/docs/visitors?dateTo=2026-01-01${dateFrom}`)
  expect(get('&dateFrom=2025-09-23').status).toBe(200)
  expect(get('').status).toBe(200)
  const refused = get('&dateFrom=2025-09-22')
  expect(refused.status).toBe(400)
  expect(toBody(refused)).toMatchObject({ error: '`dateFrom` must be within the last 100 days.' })
})

const analytics = createAnalytics(SITE)
const rows = (offset: number, limit: number) => analytics({ range: ALWAYS, limit, offset })

test('returns parts without gaps or overlaps, with the same totals, and `hasMore` except for the last one', () => {
  const whole = rows(0, 250)
  const pages = [0, 10, 20].map((offset) => rows(offset, 10))
  expect(pages.flatMap(({ visitors }) => visitors)).toEqual(whole.visitors)
  expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false])
  expect(rows(1_000, 50)).toEqual({ totals: whole.totals, visitors: [], hasMore: false })
})

test('counts fewer visitors in shorter ranges', () => {
  const total = (fromMs: number, toMs: number): number =>
    analytics({ range: { fromMs, toMs }, limit: 1, offset: 0 }).totals.total
  const [day, week, all] = [1, 7, 90].map((days) => total(END_MS - days * DAY_MS, END_MS))
  expect([day, week, all]).toEqual([day, week, all].sort((a = 0, b = 0) => a - b))
  expect(new Set([0, day, week, all]).size).toBe(4)
  expect(total(END_MS - DAY_MS, END_MS)).toBe(day)
  expect(total(END_MS, END_MS + DAY_MS)).toBe(0)
})

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
  ' 2025-12-01',
  'yesterday',
  '5',
  '2025',
  '2025-12',
  '20251201',
  '2025-1-1',
  '01/12/2025',
  '2025-02-29',
  '2025-02-30',
  '2025-04-31',
  '2025-13-01',
  '2025-00-10',
  'Mon, 01 Dec 2025 00:00:00 GMT',
  '2025-12-01T',
  '2025-12-01 13:30',
  '2025-12-01T24:00',
  '2025-12-01T25:00',
  '2025-12-01T13:61',
  '2025-12-01T13:30:15 02:00',
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
