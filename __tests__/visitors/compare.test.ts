import { expect, test } from '@jest/globals'
import { failure } from '../support/fake-client.ts'
import { page, row, rows, runExport, TOTALS } from '../support/visitors-run.ts'

const FEBRUARY = { dateFrom: '2026-02-01', dateTo: '2026-03-01' }
const BEFORE = { dateFrom: '2026-01-04', dateTo: '2026-02-01' }
const MORE = { hasMore: true }
const NOW = [row('/up', 30), row('/new', 5), row('/same', 2)]
const THEN = [row('/up', 10), row('/same', 2), row('/gone', 7)]
const THEN_TOTALS = { human: 12, ai: 7, total: 19 }

test('nothing is compared unless it is asked for', async () => {
  const { report, queries } = await runExport({ answers: [page(NOW)], inputs: { range: FEBRUARY } })
  expect(report.comparison).toBeUndefined()
  expect(queries).toHaveLength(1)
})

test('for the totals one row of the period before is asked for', async () => {
  const answers = [page(NOW), page([row('/up')], { totals: THEN_TOTALS, ...MORE })]
  const { report, queries } = await runExport({ answers, inputs: { range: FEBRUARY, compare: 'true' } })
  expect(report).toMatchObject({ totals: TOTALS, rows: 3 })
  expect(report.comparison).toEqual({ name: 'the 28 days before', totals: THEN_TOTALS })
  expect(queries).toEqual([
    { ...FEBRUARY, limit: 250, offset: 0 },
    { ...BEFORE, limit: 1, offset: 0 },
  ])
})

const PAGES = { range: FEBRUARY, compare: 'pages' } as const

test('for the pages the whole list before is read, and no row of it gets into the file', async () => {
  const answers = [
    page(NOW),
    page(THEN, { totals: THEN_TOTALS, ...MORE }),
    page([row('/gone-too', 3)], { totals: THEN_TOTALS }),
  ]
  const { report, queries, written } = await runExport({ answers, inputs: PAGES })
  expect(report.comparison).toMatchObject({
    totals: THEN_TOTALS,
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
  expect(queries.slice(1)).toEqual([
    { ...BEFORE, limit: 250, offset: 0 },
    { ...BEFORE, limit: 250, offset: 3 },
  ])
  expect(written()).not.toContain('gone')
})

test.each([
  ['now', [page(NOW, MORE), page([row('/up', 30)]), page(THEN)], { gained: 2, lost: 0 }],
  ['before', [page(NOW), page(THEN, MORE), page([row('/up', 10)])], { gained: 1, lost: 1 }],
])('where rows moved %s, a page that this list lacks is left out', async (_when, answers, { gained, lost }) => {
  const { report } = await runExport({ answers, inputs: PAGES })
  const pages = report.comparison?.pages
  expect([pages?.isWhole, pages?.gained.length, pages?.lost.length]).toEqual([false, gained, lost])
})

test.each<[string, Parameters<typeof runExport>[0]]>([
  ['an error', { answers: [page(NOW), failure('forbidden')] }],
  ['an error in the middle', { answers: [page(NOW), page(rows(250), MORE), failure('forbidden')] }],
  ['the deadline', { answers: [page(NOW), failure('rate-limited', 3_600_000)] }],
  ['a cancelled run', { answers: [page(NOW), failure('unreachable')], cancelAtRequest: 2 }],
])('%s costs the comparison, and the file stays', async (_name, script) => {
  const { report, written, host } = await runExport({ ...script, inputs: PAGES })
  expect(report).toMatchObject({ ending: 'complete', rows: 3, comparison: { error: expect.any(Error) as unknown } })
  expect(written()).toContain('/new')
  expect(host.said.filter((line) => line.startsWith('notice:'))).toHaveLength(1)
})

test('an export that fails is not compared', async () => {
  const { report, queries } = await runExport({ answers: [failure('forbidden')], inputs: PAGES })
  expect([report.ending, report.comparison, queries.length]).toEqual(['error', undefined, 1])
})
