import { expect, test } from '@jest/globals'
import type { DateRange } from '../../src/visitors/date-range.ts'
import { EXPORT_FORMATS, type Format, type VisitorRow } from '../../src/visitors/export-format.ts'

const HEAD = { range: { dateFrom: '2026-01-01' }, totals: { human: 3, ai: 2, total: 4 } }
const ROWS: VisitorRow[] = [
  { path: '/', human: 2, ai: 1, total: 3 },
  { path: '/a,"b"', human: 1, ai: 0, total: 1 },
]

function render(format: Format, rows: readonly VisitorRow[], range: DateRange = HEAD.range): string {
  const { head, row, between, tail } = EXPORT_FORMATS[format]
  return head({ ...HEAD, range }) + rows.map(row).join(between) + tail
}

test('CSV has a heading, a row a line, and ends its lines as RFC 4180 says', () => {
  expect(render('csv', ROWS)).toBe('path,human,ai,total\r\n/,2,1,3\r\n"/a,""b""",1,0,1\r\n')
})

test('JSON is one object with the range, the totals and the rows', () => {
  expect(JSON.parse(render('json', ROWS))).toEqual({
    range: { dateFrom: '2026-01-01', dateTo: null },
    totals: { human: 3, ai: 2, total: 4 },
    rows: ROWS,
  })
})

test.each([
  [{}, { dateFrom: null, dateTo: null }],
  [{ dateTo: '2026-02-01' }, { dateFrom: null, dateTo: '2026-02-01' }],
])('JSON says of a range as open as %j that it is', (range, told) => {
  expect(JSON.parse(render('json', [], range))).toMatchObject({ range: told })
})

test('NDJSON is one row a line', () => {
  const lines = render('ndjson', ROWS).split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(ROWS)
})

test('no rows are a file that can be read, too', () => {
  expect(render('csv', [])).toBe('path,human,ai,total\r\n')
  expect(JSON.parse(render('json', []))).toMatchObject({ rows: [] })
  expect(render('ndjson', [])).toBe('')
})

test('what else a row may carry one day is left out', () => {
  const row = { ...ROWS[0], secret: 1 } as VisitorRow
  for (const format of ['csv', 'json', 'ndjson'] as const) expect(render(format, [row])).not.toContain('secret')
})
