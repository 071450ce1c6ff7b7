import { expect, test } from '@jest/globals'
import { SITE_TOTALS, siteRow } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, pathsIn, runVisitors } from '../support/visitors-bundle.ts'

test('rows that move while they are read are written once, and the step says that others may be missing', async () => {
  const before = Array.from({ length: 400 }, (_, index) => siteRow(index))
  const after = [{ path: '/new', human: 99_999, ai: 0, total: 99_999 }, ...before]
  const run = await runVisitors({
    service: answering(({ nth, offset, limit }) => {
      const rows = nth === 1 ? before : after
      const visitors = rows.slice(offset, offset + limit)
      return { body: { totals: SITE_TOTALS, visitors, hasMore: offset + limit < rows.length } }
    }),
    inputs: { top: '0' },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '⚠️ The visitors are exported, but they changed meanwhile',
    says: ['Rows moved while the pages were read'],
    remarks: ['Rows moved while the pages were read'],
    outputs: { human: '30000', ai: '9000', total: '35000', rows: '400', file: 'visitors.csv', complete: 'false' },
    offsets: [0, 250],
  })
  const paths = pathsIn(run.files['visitors.csv'])
  expect(paths).toEqual(before.map(({ path }) => path))
})
