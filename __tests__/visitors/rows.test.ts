import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import type { VisitorsPage } from '../../src/docs-service/schemas.ts'
import { dateInput, describeRange, lastDays, periodBefore, timeOf } from '../../src/visitors/date-range.ts'
import { comparePages } from '../../src/visitors/compare.ts'
import { csvCell, type VisitorRow } from '../../src/visitors/export-format.ts'
import { bar, renderTopPages } from '../../src/visitors/page-tables.ts'
import { shortenPath, VisitorList } from '../../src/visitors/visitor-list.ts'
import { SEED } from '../support/seed.ts'
import { page, row, rows, TOTALS } from '../support/visitors-run.ts'

const CHANGED = "The service's totals changed while the pages were read."
const MOVED = 'Rows moved while the pages were read: some came twice and were written once, so others may be missing.'

test.each([
  [{}, 0, ''],
  [{}, 1, MOVED],
  ...['human', 'ai', 'total'].map((name) => [{ [name]: 99 }, 0, CHANGED] as const),
  [{ ai: 99 }, 2, `${CHANGED} ${MOVED}`],
])('other totals (%j) and rows that came before (%i) leave the doubts “%s”', async (other, repeated, doubts) => {
  const list = new VisitorList()
  const parts = [TOTALS, { ...TOTALS, ...other }, TOTALS].map((totals, nth) => {
    const again = nth === 0 ? Array<VisitorRow>(repeated).fill(row('/0')) : []
    return page([row(`/${nth}`), ...again], { totals, hasMore: nth < 2 })
  })
  await list.read(() => Promise.resolve(parts.shift() ?? page([])))
  expect([list.totals, list.doubts]).toEqual([TOTALS, doubts])
})

test('in whatever order they come, the pages with the most visitors are kept first, and ties go by path', async () => {
  const rows = fc.uniqueArray(fc.record({ path: fc.string({ maxLength: 2 }), total: fc.nat(5) }), {
    selector: ({ path }) => path,
  })
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(6), async (given, most) => {
      const all = given.map(({ path, total }) => row(path, total))
      const list = new VisitorList()
      await list.read(() => Promise.resolve(page(all)), most)
      const sorted = all.toSorted((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
      expect([list.topPages, list.pageTotals.size]).toEqual([sorted.slice(0, most), 0])
    }),
    { seed: SEED },
  )
})

test.each([
  [100, 100, '█'.repeat(16)],
  [50, 100, '█'.repeat(8)],
  [47, 100, '███████▌'],
  ...['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'].map((drawn, index) => [index + 1, 128, drawn] as const),
  [1, 1_000_000, '▏'],
  [0, 100, ''],
  [0, 0, ''],
])('the bar of %i is in proportion to %i, and who was there at all is seen', (value, greatest, drawn) => {
  expect(bar(value, greatest)).toBe(drawn)
})

test('a site without totals has no shares, and a long path is cut', () => {
  const html = renderTopPages([row('x'.repeat(5_000))], 0, 10_000)
  expect(html).not.toMatch(/%|in the file/)
  expect(html).toContain(`${'x'.repeat(119)}…</code>`)
})

test('what does not fit is counted', () => {
  expect(renderTopPages(rows(2), 0, 200)).toContain('\n\n1 more page is in the file.')
  for (let maxBytes = 2_000; maxBytes < 2_200; maxBytes++) {
    const html = renderTopPages(rows(100), 100, maxBytes)
    const lines = html.match(/<tr><td>.*\n/g) ?? []
    expect(lines.length).toBeGreaterThan(5)
    expect(Buffer.byteLength(lines.join(''))).toBeLessThanOrEqual(maxBytes)
    expect(html).toContain(`${100 - lines.length} more pages are in the file.`)
  }
})

const FORMULAS = ['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\uff1d1', '\uff0b1', '\uff0d1', '\uff201']
const UNSEEN = ['\n', '\0', '\ufeff', ' ', '\u00a0', '\u3000', '\u200b', '\u2028', '\u00ad', '\u3164', ' \t\n']
const PLAIN = ['/guides', 'a=1', '/=1', "'quoted", ' a=1', '', '/a b', '\n::error::x', 'ü/日本']

test('what a spreadsheet may take for a formula is not left as one, and all else stays as it is', () => {
  const formulas = [...FORMULAS, ...UNSEEN.map((unseen) => `${unseen}=1`), '\n\uff0b1']
  expect(formulas.map((text) => parse(csvCell(text)))).toEqual(formulas.map((text) => [[`'${text}`]]))
  expect(PLAIN.map((text) => parse(`${csvCell(text)},x`))).toEqual(PLAIN.map((text) => [[text, 'x']]))
})

test('quotes a cell with a comma, quote or line end, and with another separator of spreadsheets', () => {
  const quoted = ['"/a,b"', '"/a""b"', '"/a\nb"', '"/a\rb"', '"/a;=1+1"', '"/a\t=1+1"']
  expect(['/a', '/a,b', '/a"b', '/a\nb', '/a\rb', '/a;=1+1', '/a\t=1+1'].map(csvCell)).toEqual(['/a', ...quoted])
})

test('whatever a text holds, a reader of CSV reads one cell, and no spreadsheet a formula', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('=', '"', ',', '\r', '\n', '\t', ' ', '\0', '\ufeff', "'", '-', 'a', '\uff1d')),
      (characters) => {
        const text = characters.join('')
        const rows: string[][] = parse(`${csvCell(text)},last\r\n`)
        const [[cell = '', last] = []] = rows
        expect(last).toBe('last')
        expect([text, `'${text}`]).toContain(cell)
        expect(cell).not.toMatch(/^(?:[\t\r]|[\s\0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20])/)
      },
    ),
    { seed: SEED },
  )
})

type Totals = Readonly<Record<string, number>>

const pageOf = (pages: Totals): VisitorsPage => page(Object.entries(pages).map(([path, total]) => row(path, total)))

test('the ten that gained and lost the most are those of all pages of both periods, of which one list is kept', async () => {
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
      await list.read(() => Promise.resolve(pageOf(now)))
      const { pages } = await comparePages(list, () => Promise.resolve(pageOf(before)))
      const gained = all.filter((page) => gain(page) > 0).toSorted((a, b) => gain(b) - gain(a))
      const lost = all.filter((page) => gain(page) < 0).toSorted((a, b) => gain(a) - gain(b))
      expect(pages).toEqual({ gained: gained.slice(0, 10), lost: lost.slice(0, 10), isWhole: true })
      expect([...list.pageTotals.keys()]).toEqual(Object.keys(now).filter((path) => before[path] === undefined))
    }),
    { seed: SEED },
  )
})

test('of a long path little is kept, and two that begin alike are two', () => {
  const long = `/${'é'.repeat(8_000)}`
  expect(shortenPath(`${long}1`)).toHaveLength(120 + 64)
  expect(shortenPath(`${long}1`)).not.toBe(shortenPath(`${long}2`))
  expect(shortenPath('x'.repeat(120))).toBe('x'.repeat(120))
})

test.each([
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  [' 2024-02-29 ', Date.UTC(2024, 1, 29)],
  ['2026-01-31T09:30Z', Date.UTC(2026, 0, 31, 9, 30)],
  ['2026-01-31T09:30:15.5Z', Date.UTC(2026, 0, 31, 9, 30, 15, 500)],
  ['2026-01-31T00:30:00+02:00', Date.UTC(2026, 0, 30, 22, 30)],
  ['2026-01-31T09:30', Date.UTC(2026, 0, 31, 9, 30)],
])('%j is a time', (text, atMs) => {
  expect([dateInput(text.trim(), {}, '.'), timeOf(text)]).toEqual([text.trim(), atMs])
})

test.each([
  ['is not a day of the calendar', '2026-02-30 2026-13-01 2026-04-31T10:00:00Z'],
  ['must be `YYYY-MM-DD`', '2026-01-01T24:00:00Z 2026-01-01T10:60:00Z 2026-1-1 01/02/2026 5 the2026-01-01'],
  ['must be `YYYY-MM-DD`', '2026-01-01&limit=1 2026-01-01T10:00:00.1234567890Z'],
  ['has a UTC offset that does not exist', '2026-01-01T10:00:00+99:00'],
])('each of these %s: %s', (problem, texts) => {
  for (const text of texts.split(' ')) expect(() => dateInput(text, {}, '.')).toThrow(problem)
})

test.each([
  [30, '2026-03-01T23:59:59.999Z', '2026-01-30', '2026-03-01'],
  // A day in the local time of a runner changes nothing.
  [1, '2026-03-01T23:30:00-05:00', '2026-03-01', '2026-03-02'],
])('the last %i days at %s end before today, in UTC', (days, now, dateFrom, dateTo) => {
  expect(lastDays(days, new Date(now))).toEqual({ dateFrom, dateTo })
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
