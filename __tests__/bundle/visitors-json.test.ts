import { expect, test } from '@jest/globals'
import { SITE_TOTALS, sitePage, siteRow } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('an export to JSON is one object with the range, the totals and all rows', async () => {
  const run = await runVisitors({
    service: answering((request) => ({ body: sitePage(600, request) })),
    inputs: { format: 'json', 'output-file': 'out/pages.json', 'date-from': '2026-01-01', top: '1' },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ The visitors are exported',
    outputs: {
      human: '30000',
      ai: '9000',
      total: '35000',
      rows: '600',
      file: 'out/pages.json',
      complete: 'true',
      'top-pages': JSON.stringify([siteRow(0)]),
    },
    offsets: [0, 250, 500],
  })
  expect(JSON.parse(run.files['out/pages.json'] ?? '')).toEqual({
    range: { dateFrom: '2026-01-01', dateTo: null },
    totals: SITE_TOTALS,
    rows: Array.from({ length: 600 }, (_, index) => siteRow(index)),
  })
})
