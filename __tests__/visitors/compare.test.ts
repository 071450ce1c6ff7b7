import { expect, test } from '@jest/globals'
import { inTurn, page, type PageAnswer, refusal, row, rows, runExport } from '../support/visitors-run.ts'

const FEBRUARY = { dateFrom: '2026-02-01', dateTo: '2026-03-01' }
const BEFORE = { dateFrom: '2026-01-04', dateTo: '2026-02-01' }
const PAGES = { 'date-from': FEBRUARY.dateFrom, 'date-to': FEBRUARY.dateTo, compare: 'pages' }
const MORE = { hasMore: true }
const NOW = page([row('/up', 30), row('/new', 5), row('/same', 2)])
const THEN = page([row('/up', 10), row('/same', 2), row('/gone', 7)], { totals: { human: 12, ai: 7, total: 19 } })

test('for the totals one row of the period before is asked for', async () => {
  const { report, requests } = await runExport(inTurn(NOW, THEN), { ...PAGES, compare: 'true' })
  expect(report).toMatchObject({ totals: NOW.totals, rows: 3 })
  expect(report.comparison).toEqual({ name: 'the 28 days before', totals: THEN.totals })
  expect(requests).toMatchObject([
    { ...FEBRUARY, limit: 250, offset: 0 },
    { ...BEFORE, limit: 1, offset: 0 },
  ])
})

test('for the pages the whole list before is read, and no row of it gets into the file', async () => {
  const { report, requests, written } = await runExport(
    inTurn(NOW, { ...THEN, ...MORE }, page([row('/gone-too', 3)], { totals: THEN.totals })),
    PAGES,
  )
  expect(report.comparison).toMatchObject({
    totals: THEN.totals,
    pages: {
      gained: [
        { path: '/up', before: 10, now: 30 },
        { path: '/new', before: 0, now: 5 },
      ],
      lost: [
        { path: '/gone', before: 7, now: 0 },
        { path: '/gone-too', before: 3, now: 0 },
      ],
    },
  })
  expect(requests.slice(1)).toMatchObject([0, 3].map((offset) => ({ ...BEFORE, limit: 250, offset })))
  expect(written).not.toContain('gone')
})

const AGAIN = page([row('/up', 10)])

test.each([
  ['now', [{ ...NOW, ...MORE }, AGAIN, THEN], 2, 0],
  ['before', [NOW, { ...THEN, ...MORE }, AGAIN], 1, 1],
])('where rows moved %s, a page that this list lacks is left out', async (_when, answers, gained, lost) => {
  const { pages } = (await runExport(inTurn(...answers), PAGES)).report.comparison ?? {}
  expect([pages?.isWhole, pages?.gained.length, pages?.lost.length]).toEqual([false, gained, lost])
})

const FULL = page(rows(250), MORE)

test.each<[string, readonly PageAnswer[]]>([
  ['an error', [NOW, refusal(403)]],
  ['an error in the middle', [NOW, FULL, refusal(403)]],
  ['the deadline', [NOW, refusal(429, 3_600)]],
  ['a cancelled run', [NOW, { delivery: 'never' }]],
])('%s costs the comparison, and the file stays', async (_name, answers) => {
  const { report, written, said } = await runExport(inTurn(...answers), PAGES, { cancelAtMs: 1 })
  expect(report).toMatchObject({ ending: 'complete', rows: 3, comparison: { error: expect.any(Error) as unknown } })
  expect(written).toContain('/new')
  expect(said.filter((line) => line.startsWith('notice:'))).toHaveLength(1)
})
