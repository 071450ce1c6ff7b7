import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { VisitorsPage } from '../../src/docs-service/interface.ts'
import { comparePages } from '../../src/visitors/earlier-periods.ts'
import { VisitorList } from '../../src/visitors/visitor-list.ts'
import { SEED } from '../support/seed.ts'
import {
  respondInOrder,
  createPage,
  type PageResult,
  createRefusal,
  createRow,
  createRows,
  runExport,
} from '../support/visitors-run.ts'

const FEBRUARY = { dateFrom: '2026-02-01', dateTo: '2026-03-01' }
const BEFORE = { dateFrom: '2026-01-04', dateTo: '2026-02-01' }
const PAGES = { 'date-from': FEBRUARY.dateFrom, 'date-to': FEBRUARY.dateTo, compare: 'pages' }
const MORE = { hasMore: true }
const NOW = createPage([createRow('/up', 30), createRow('/new', 5), createRow('/same', 2)])
const THEN = createPage([createRow('/up', 10), createRow('/same', 2), createRow('/gone', 7)], {
  totals: { human: 12, ai: 7, total: 19 },
})

test('reads the totals of the period before in one request for one row', async () => {
  const { report, requests } = await runExport(respondInOrder(NOW, THEN), { ...PAGES, compare: 'true' })
  expect(report).toMatchObject({ totals: NOW.totals, rows: 3 })
  expect(report.earlier?.periods).toEqual([
    { period: BEFORE, totals: THEN.totals },
    { period: FEBRUARY, totals: NOW.totals },
  ])
  expect(requests).toMatchObject([
    { ...FEBRUARY, limit: 250, offset: 0 },
    { ...BEFORE, limit: 1, offset: 0 },
  ])
})

test('reads all pages of the period before, and writes none of them to the file', async () => {
  const { report, requests, written } = await runExport(
    respondInOrder(NOW, { ...THEN, ...MORE }, createPage([createRow('/gone-too', 3)], { totals: THEN.totals })),
    PAGES,
  )
  expect(report.earlier).toMatchObject({
    periods: [{ totals: THEN.totals }, { totals: NOW.totals }],
    pages: {
      gained: [
        { path: '/up', before: 10, now: 30 },
        { path: '/new', before: 0, now: 5 },
      ],
      lost: [
        { path: '/gone', before: 7, now: 0 },
        { path: '/gone-too', before: 3, now: 0 },
      ],
      topBefore: new Map([
        ['/up', 10],
        ['/same', 2],
        ['/new', 0],
      ]),
    },
  })
  expect(requests.slice(1)).toMatchObject([0, 3].map((offset) => ({ ...BEFORE, limit: 250, offset })))
  expect(written).not.toContain('gone')
})

const repeatFirstRow = (page: VisitorsPage): VisitorsPage => ({
  ...page,
  visitors: [...page.visitors, ...page.visitors.slice(0, 1)],
})

test.each([
  ['now', [repeatFirstRow(NOW), THEN], 2, 0],
  ['before', [NOW, repeatFirstRow(THEN)], 1, 1],
])('leaves out pages in only one list if rows moved %s', async (_when, responses, gained, lost) => {
  const { pages } = (await runExport(respondInOrder(...responses), PAGES)).report.earlier ?? {}
  expect([pages?.isComplete, pages?.gained.length, pages?.lost.length]).toEqual([false, gained, lost])
})

const FULL = createPage(createRows(250), MORE)

test.each<[string, readonly PageResult[]]>([
  ['an error', [NOW, createRefusal(403)]],
  ['an error in the middle', [NOW, FULL, createRefusal(403)]],
  ['the deadline', [NOW, createRefusal(429, 3_600)]],
  ['a cancelled run', [NOW, { delivery: 'never' }]],
])('keeps the file if the comparison fails: %s', async (_name, responses) => {
  const { report, written, hostCalls } = await runExport(respondInOrder(...responses), PAGES, { cancelAtMs: 1 })
  expect(report).toMatchObject({ ending: 'complete', rows: 3, earlier: { error: expect.any(Error) as unknown } })
  expect(written).toContain('/new')
  expect(hostCalls.filter((line) => line.startsWith('notice:'))).toHaveLength(1)
})

test('keeps the totals of the period before, and reads the trend, if only its second page cannot be read', async () => {
  const second = { ...FULL, totals: THEN.totals }
  const { outputs, report, line, hostCalls, requests } = await runExport(
    respondInOrder(NOW, second, small(20), createRefusal(403)),
    { ...PAGES, trend: '3' },
  )
  expect(outputs).toMatchObject({ 'previous-human': '12', 'previous-ai': '7', 'previous-total': '19' })
  expect(report.earlier?.periods.map(({ totals }) => totals?.human)).toEqual([20, 12, NOW.totals.human])
  expect(requests).toHaveLength(4)
  expect(line).toContain('The pages were not compared: The service denied access')
  expect(line).toContain('more than the 28 days before')
  expect(hostCalls.filter((call) => call.startsWith('notice:'))).toEqual([
    expect.stringContaining('The pages were not compared'),
  ])
})

test.each([
  ['gained', 1, 2],
  ['lost', 2, 1],
] as const)('prefers, of equal pages that %s visitors, the first ones by path', async (kind, before, now) => {
  const paths = Array.from('abcdefghijkl')
  const listAll = (total: number) => createPage(paths.toReversed().map((path) => createRow(path, total)))
  const { report } = await runExport(respondInOrder(listAll(now), listAll(before)), PAGES)
  expect(report.earlier?.pages?.[kind].map(({ path }) => path)).toEqual(paths.slice(0, 10))
})

type Totals = Readonly<Record<string, number>>

const toPage = (pages: Totals): VisitorsPage =>
  createPage(Object.entries(pages).map(([path, total]) => createRow(path, total)))

test('lists the ten pages of both periods that gained and lost the most, and keeps one list in memory', async () => {
  const periods = fc.dictionary(
    fc.string({ maxLength: 2, unit: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
    fc.integer({ min: 1, max: 9 }),
  )
  await fc.assert(
    fc.asyncProperty(periods, periods, async (now, before) => {
      const all = [...new Set([...Object.keys(now), ...Object.keys(before)])]
        .map((path) => ({ path, before: before[path] ?? 0, now: now[path] ?? 0 }))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      const gain = ({ now, before }: (typeof all)[number]): number => now - before
      const list = new VisitorList(true)
      await list.read(() => Promise.resolve(toPage(now)))
      const pages = await comparePages(list, () => Promise.resolve(toPage(before)))
      const gained = all.filter((page) => gain(page) > 0).toSorted((a, b) => gain(b) - gain(a))
      const lost = all.filter((page) => gain(page) < 0).toSorted((a, b) => gain(a) - gain(b))
      expect(pages).toMatchObject({ gained: gained.slice(0, 10), lost: lost.slice(0, 10), isComplete: true })
      expect([...list.pageTotals.keys()]).toEqual(Object.keys(now).filter((path) => before[path] === undefined))
    }),
    { seed: SEED },
  )
})

const TREND = { 'date-from': FEBRUARY.dateFrom, 'date-to': FEBRUARY.dateTo, trend: '4' }
/** January and before, in periods of 28 days, newest first. */
const EARLIER = [
  ['2026-01-04', '2026-02-01'],
  ['2025-12-07', '2026-01-04'],
  ['2025-11-09', '2025-12-07'],
]
const createTotals = (human: number) => ({ human, ai: 1, total: human + 1 })
const small = (human: number) => createPage([], { totals: createTotals(human) })

const parseTrend = (text = ''): unknown => JSON.parse(text)
const entry = (dates: readonly string[] | undefined, human: number) => ({
  from: dates?.[0],
  to: dates?.[1],
  ...createTotals(human),
})

test('reads the trend newest first in one request for one row each, and outputs it oldest first', async () => {
  const { requests, outputs, log } = await runExport(respondInOrder(small(40), small(30), small(20), small(10)), TREND)
  expect(requests.slice(1)).toMatchObject(
    EARLIER.map(([dateFrom, dateTo]) => ({ dateFrom, dateTo, limit: 1, offset: 0 })),
  )
  expect(parseTrend(outputs['trend'])).toEqual([
    entry(EARLIER[2], 10),
    entry(EARLIER[1], 20),
    entry(EARLIER[0], 30),
    entry([FEBRUARY.dateFrom, FEBRUARY.dateTo], 40),
  ])
  expect(log).toContain('Reading 3 earlier periods of the same length.')
})

test.each(['true', 'pages'])('reads no period twice for a comparison (%s) and a trend', async (compare) => {
  const { requests, outputs } = await runExport(respondInOrder(small(40), small(30), small(20), small(10)), {
    ...TREND,
    compare,
  })
  expect(requests).toHaveLength(4)
  expect(parseTrend(outputs['trend'])).toHaveLength(4)
  expect(outputs['previous-human']).toBe('30')
})

test.each<[string, readonly PageResult[], number]>([
  ['an error', [small(40), small(30), createRefusal(400)], 2],
  ['a rate limit that outlasts the step', [small(40), createRefusal(429, 3_600)], 1],
  ['a cancelled run', [small(40), small(30), { delivery: 'never' }], 2],
])('reports a gap in the trend and requests no older period: %s', async (_name, responses, known) => {
  const { report, outputs, requests, written, hostCalls } = await runExport(respondInOrder(...responses), TREND, {
    cancelAtMs: 1,
  })
  expect(report).toMatchObject({ ending: 'complete', earlier: { error: expect.any(Error) as unknown } })
  expect(report.earlier?.periods.map(({ totals }) => totals === undefined)).toEqual(
    Array.from({ length: 4 }, (_, index) => index < 4 - known),
  )
  expect(parseTrend(outputs['trend'])).toHaveLength(known)
  expect(requests).toHaveLength(responses.length)
  expect(written).toBeDefined()
  expect(hostCalls.filter((line) => line.startsWith('notice:'))).toHaveLength(1)
})

test.each<[string, PageResult, number]>([
  ['not after a cancelled run', { delivery: 'never' }, 3],
  ['not after a rate limit that outlasts the step', createRefusal(429, 3_600), 3],
  ['even after an older period was refused', createRefusal(400), 4],
])('reads the other pages of a comparison: %s', async (_when, response, count) => {
  const first = { ...FULL, totals: createTotals(30) }
  const last = createPage([createRow('/last', 1)], { totals: createTotals(30) })
  const { report, requests, hostCalls } = await runExport(
    respondInOrder(small(40), first, response, last),
    { ...TREND, compare: 'pages' },
    { cancelAtMs: 1 },
  )
  expect([requests.length, report.earlier?.pages !== undefined]).toEqual([count, count === 4])
  expect(hostCalls.filter((line) => line.startsWith('notice:'))).toHaveLength(1)
})

test('reads nothing more if the period directly before cannot be read, and gives one notice', async () => {
  const { report, requests, hostCalls } = await runExport(respondInOrder(small(40), createRefusal(400)), {
    ...TREND,
    compare: 'pages',
  })
  expect(report.earlier?.periods.map(({ totals }) => totals?.human)).toEqual([undefined, undefined, undefined, 40])
  expect(requests).toHaveLength(2)
  expect(hostCalls.filter((line) => line.startsWith('notice:'))).toHaveLength(1)
})

test('reads no trend after a failed export', async () => {
  const { report, outputs, requests } = await runExport(respondInOrder(createRefusal(403)), TREND)
  expect([report.earlier, outputs['trend'], requests.length]).toEqual([undefined, '', 1])
})
