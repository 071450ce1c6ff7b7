import { test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('an empty answer that says that there is more ends red', async () => {
  const run = await runVisitors({
    service: answering((request) => ({ body: { ...sitePage(250, request), hasMore: true } })),
  })

  expectExport(run, {
    conclusion: 'failure',
    verdict: "❌ The service's answers make no sense",
    says: ['an empty part', 'No file was written.'],
    outputs: { human: '30000', ai: '9000', total: '35000' },
    offsets: [0, 250],
  })
})
