import { expect, test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, pathsIn, runVisitors } from '../support/visitors-bundle.ts'

const ROWS = 12_000

test('a large site takes one request for 250 rows, and each row is there once', async () => {
  const run = await runVisitors({
    service: answering((request) => ({ body: sitePage(ROWS, request) })),
    inputs: { top: '0' },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ The visitors are exported',
    outputs: { human: '30000', ai: '9000', total: '35000', rows: '12000', file: 'visitors.csv', complete: 'true' },
    offsets: Array.from({ length: ROWS / 250 }, (_, index) => index * 250),
  })
  const paths = pathsIn(run.files['visitors.csv'])
  expect(paths).toHaveLength(ROWS)
  expect(new Set(paths).size).toBe(ROWS)
})
