import { test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('totals that change while the pages are read leave a file that is not known to be whole', async () => {
  const run = await runVisitors({
    service: answering((request) => ({
      body: { ...sitePage(500, request), totals: { human: 10, ai: 5, total: 11 + request.nth } },
    })),
    inputs: { top: '0' },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '⚠️ The visitors are exported, but they changed meanwhile',
    says: ["The service's totals changed while the pages were read."],
    remarks: ["The service's totals changed"],
    outputs: { human: '10', ai: '5', total: '12', rows: '500', file: 'visitors.csv', complete: 'false' },
    offsets: [0, 250],
  })
})
