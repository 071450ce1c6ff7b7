import { describe, expect, test } from '@jest/globals'
import { visitorsPageSchema } from '../../../src/docs-service/schemas.ts'
import { createAnalytics } from '../../../src/emulator/service/analytics.ts'
import { HOSTILE_TEXT, hostilePath } from '../../../src/emulator/service/hostile-text.ts'
import { parseDate } from '../../../src/emulator/service/parse-date.ts'
import type { ScenarioName } from '../../../src/emulator/service/scenarios.ts'
import { countVisitors } from '../../../src/emulator/service/visitor-counts.ts'
import { parseVisitorsQuery } from '../../../src/emulator/service/visitors-query.ts'
import { generateVisits, pagePath, type Visit, VISITS_DAYS } from '../../../src/emulator/service/visits.ts'
import { bodyOf, driveService } from '../drive-service.ts'

const END_MS = Date.UTC(2026, 0, 1)
const OPTIONS = { pages: 30, visits: 4_000, seed: 1, endMs: END_MS }

test('the same options give the same visits, another seed gives others', () => {
  expect(generateVisits(OPTIONS)).toEqual(generateVisits(OPTIONS))
  expect(generateVisits(OPTIONS)).not.toEqual(generateVisits({ ...OPTIONS, seed: 2 }))
})

test('the visits lie in the 90 days before the end, and fill them', () => {
  const times = generateVisits(OPTIONS).map(({ atMs }) => atMs)
  const startMs = END_MS - VISITS_DAYS * 86_400_000
  expect(times.every((atMs) => atMs >= startMs && atMs < END_MS)).toBe(true)
  const days = new Set(times.map((atMs) => Math.floor((atMs - startMs) / 86_400_000)))
  expect(days.size).toBe(VISITS_DAYS)
})

test('every page is visited, and the first ones most', () => {
  const counts = new Map<string, number>()
  for (const { path } of generateVisits(OPTIONS)) counts.set(path, (counts.get(path) ?? 0) + 1)
  expect(counts.size).toBe(30)
  expect(counts.get(pagePath(0))).toBe(Math.max(...counts.values()))
})

test('some visitors are seen as human and as AI', () => {
  const kinds = new Map<number, Set<string>>()
  for (const { visitor, kind } of generateVisits(OPTIONS)) {
    kinds.set(visitor, (kinds.get(visitor) ?? new Set()).add(kind))
  }
  expect([...kinds.values()].filter(({ size }) => size === 2).length).toBeGreaterThan(10)
})

test('distinct pages have distinct paths', () => {
  const paths = Array.from({ length: 1_000 }, (_, index) => pagePath(index))
  expect(new Set(paths).size).toBe(1_000)
  expect(paths.slice(0, 3)).toEqual(['/', '/reference/install', '/concepts/install'])
})

test('a site without visits is possible', () => {
  expect(generateVisits({ ...OPTIONS, visits: 0 })).toEqual([])
})

describe('page listing', () => {
  /** Reads the list as the export does, in the largest parts, up to so many of them. */
  function readParts(scenario: ScenarioName, most: number): { paths: string[]; hasMore: boolean | undefined }[] {
    const { get } = driveService({ scenario })
    const parts: { paths: string[]; hasMore: boolean | undefined }[] = []
    for (
      let offset = 0;
      parts.length < most && parts.at(-1)?.hasMore !== false;
      offset += parts.at(-1)?.paths.length ?? 0
    ) {
      const { visitors = [], hasMore } = bodyOf(get(`/v1/analytics/docs/visitors?limit=250&offset=${offset}`))
      parts.push({ paths: visitors.map(({ path }) => path), hasMore })
    }
    return parts
  }

  const [usual = { paths: [], hasMore: true }] = readParts('pull-request', 1)

  test('as it should be, the list comes as it is asked for', () => {
    expect(usual).toMatchObject({ paths: { length: 30 }, hasMore: false })
  })

  test('a list that moves has every page, and one of them twice', () => {
    const parts = readParts('moving-pages', 10)
    expect(parts.map(({ paths }) => paths.length)).toEqual([10, 10, 10, 1])
    const paths = parts.flatMap((part) => part.paths)
    expect([...new Set(paths)]).toEqual(usual.paths)
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([usual.paths[9]])
  })

  test('a list that is stuck begins anew with every part, and says that there is more', () => {
    expect(readParts('stuck-pages', 3)).toEqual(Array(3).fill({ ...usual, hasMore: true }))
  })

  test('one path is longer than 8 KiB', () => {
    const [{ paths: [long = '', ...others] } = usual] = readParts('long-path', 1)
    expect(long.length).toBeGreaterThan(8 * 1024)
    expect(others).toEqual(usual.paths.slice(1))
  })

  test('a list without end has more than an hour would allow, and no page twice', () => {
    const parts = readParts('endless-pages', 101)
    expect(parts).toHaveLength(101)
    const paths = parts.flatMap((part) => part.paths)
    expect(new Set(paths).size).toBe(101 * 250)
    expect(paths.every((path) => path.length > 8_000 && path.length < 8 * 1024)).toBe(true)
  })
})

describe('analytics', () => {
  const END_MS = Date.UTC(2026, 0, 1)
  const ALWAYS = { fromMs: -Infinity, toMs: Infinity }
  const SITE = { pages: 30, visits: 4_000, seed: 1, endMs: END_MS }

  test('pages follow each other without a gap or an overlap, and the last one says so', () => {
    const analytics = createAnalytics(SITE)
    const whole = analytics.page({ range: ALWAYS, limit: 250, offset: 0 })
    const pages = [0, 7, 14, 21, 28].map((offset) => analytics.page({ range: ALWAYS, limit: 7, offset }))
    expect(pages.flatMap(({ visitors }) => visitors)).toEqual(whole.visitors)
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, true, true, false])
  })

  test('there is no more after a page that ends with the last row', () => {
    const analytics = createAnalytics(SITE)
    expect(analytics.page({ range: ALWAYS, limit: 30, offset: 0 }).hasMore).toBe(false)
    expect(analytics.page({ range: ALWAYS, limit: 29, offset: 0 }).hasMore).toBe(true)
  })

  test('an offset behind the last row gives no rows, and the same totals', () => {
    const analytics = createAnalytics(SITE)
    const behind = analytics.page({ range: ALWAYS, limit: 50, offset: 1_000 })
    expect(behind).toEqual({
      totals: analytics.page({ range: ALWAYS, limit: 1, offset: 0 }).totals,
      visitors: [],
      hasMore: false,
    })
  })

  test('a range counts fewer visitors than all time, and each range its own', () => {
    const analytics = createAnalytics(SITE)
    const dayMs = 86_400_000
    const total = (fromMs: number, toMs: number): number =>
      analytics.page({ range: { fromMs, toMs }, limit: 1, offset: 0 }).totals.total
    const [day, week, all] = [total(END_MS - dayMs, END_MS), total(END_MS - 7 * dayMs, END_MS), total(0, END_MS)]
    expect(day).toBeGreaterThan(0)
    expect(week).toBeGreaterThan(day)
    expect(all).toBeGreaterThan(week)
    expect(total(END_MS - dayMs, END_MS)).toBe(day)
    expect(total(END_MS, END_MS + dayMs)).toBe(0)
  })

  test('what is answered is what the interface says', () => {
    const page = createAnalytics({ ...SITE, pages: 400, visits: 20_000 }).page({ range: ALWAYS, limit: 250, offset: 0 })
    expect(visitorsPageSchema.parse(page)).toEqual(page)
    expect(page.visitors).toHaveLength(250)
    expect(page.hasMore).toBe(true)
  })
})

const ALWAYS = { fromMs: -Infinity, toMs: Infinity }

function visit(visitor: number, kind: Visit['kind'], path: string, atMs = 0): Visit {
  return { visitor, kind, path, atMs }
}

test('who comes twice counts once', () => {
  const { totals } = countVisitors([visit(1, 'human', '/a'), visit(1, 'human', '/a')], ALWAYS)
  expect(totals).toEqual({ human: 1, ai: 0, total: 1 })
})

test('who is seen as human and as AI counts in both, and once in the total', () => {
  const { totals, visitors } = countVisitors([visit(1, 'human', '/a'), visit(1, 'ai', '/b')], ALWAYS)
  expect(totals).toEqual({ human: 1, ai: 1, total: 1 })
  expect(visitors).toEqual([
    { path: '/a', human: 1, ai: 0, total: 1 },
    { path: '/b', human: 0, ai: 1, total: 1 },
  ])
})

test('a range holds its start and not its end', () => {
  const visits = [9, 10, 19, 20].map((atMs, visitor) => visit(visitor, 'human', `/${atMs}`, atMs))
  const { visitors } = countVisitors(visits, { fromMs: 10, toMs: 20 })
  expect(visitors.map(({ path }) => path)).toEqual(['/10', '/19'])
})

test('pages with most visitors come first, and equal ones by path', () => {
  const visits = [visit(1, 'ai', '/b'), visit(1, 'ai', '/a'), visit(1, 'ai', '/c'), visit(2, 'ai', '/c')]
  expect(countVisitors(visits, ALWAYS).visitors.map(({ path }) => path)).toEqual(['/c', '/a', '/b'])
})

test('for any visits, totals lie between the larger kind and the sum, and rows do not add up to the site', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const visits = generateVisits({ pages: 1 + (seed % 12), visits: 40 * seed, seed, endMs: 0 })
    const { totals, visitors } = countVisitors(visits, ALWAYS)
    for (const { human, ai, total } of [totals, ...visitors]) {
      expect(total).toBeGreaterThanOrEqual(Math.max(human, ai))
      expect(total).toBeLessThanOrEqual(human + ai)
    }
    const sum = visitors.reduce((before, { total }) => before + total, 0)
    const most = Math.max(0, ...visitors.map(({ total }) => total))
    expect(totals.total).toBeGreaterThanOrEqual(most)
    expect(totals.total).toBeLessThanOrEqual(sum)
  }
})

test('with the usual visits the sum of the rows is not the total, and the kinds overlap', () => {
  const { totals, visitors } = countVisitors(generateVisits({ pages: 30, visits: 4_000, seed: 1, endMs: 0 }), ALWAYS)
  expect(visitors.reduce((before, { total }) => before + total, 0)).not.toBe(totals.total)
  expect(totals.total).toBeLessThan(totals.human + totals.ai)
})

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

test.each([
  ['2025-12-01', '2025-12-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2025-12-01T13:30', '2025-12-01T13:30:00.000Z'],
  ['2025-12-01T13:30:15', '2025-12-01T13:30:15.000Z'],
  ['2025-12-01T13:30:15.123Z', '2025-12-01T13:30:15.123Z'],
  ['2025-12-01T01:00:00+02:00', '2025-11-30T23:00:00.000Z'],
  ['2025-12-01T01:00:00+0230', '2025-11-30T22:30:00.000Z'],
  ['2025-12-01T23:00:00-05', '2025-12-02T04:00:00.000Z'],
])('%s is %s', (text, time) => {
  const atMs = parseDate(text)
  expect(atMs === undefined ? undefined : new Date(atMs).toISOString()).toBe(time)
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
  '2025-02-29',
  '2025-02-30',
  '2025-04-31',
  '2025-13-01',
  '2025-00-10',
  '2025-12-01T',
  '2025-12-01 13:30',
  '2025-12-01T24:00',
  '2025-12-01T25:00',
  '2025-12-01T13:61',
  '2025-12-01T13:30:15 02:00',
  '2025-12-01T13:30+99:00',
  '01/12/2025',
  'Mon, 01 Dec 2025 00:00:00 GMT',
])('%j is no date', (text) => {
  expect(parseDate(text)).toBeUndefined()
})

test.each([
  ['a command at the start of a line', /\n::error /],
  ['a command that masks', /\u2028::add-mask::/],
  ['a command anywhere in a line', /[^\n]##\[error\]/],
  ['a colour', /\u001b\[31m/],
  ['a null character', /\0/],
  ['text that runs backwards', /\u202e/],
  ['HTML', /<img/],
  ['a mention', /@everyone/],
  ['a table cell', / \| /],
])('the hostile text holds %s', (_, pattern) => {
  expect(HOSTILE_TEXT).toMatch(pattern)
})

test('hostile paths stay distinct and keep the path', () => {
  const paths = Array.from({ length: 50 }, (_, index) => hostilePath(`/page-${index}`, index))
  expect(new Set(paths).size).toBe(50)
  expect(paths.every((path, index) => path.endsWith(`/page-${index}`) && !path.startsWith('/'))).toBe(true)
})

test('hostile paths begin as formulas do', () => {
  const starts = Array.from({ length: 10 }, (_, index) => hostilePath('/', index).slice(0, 1))
  expect(starts).toEqual(expect.arrayContaining(['=', '@', '+', '-', '\t', '\uff1d', '\n']))
})
