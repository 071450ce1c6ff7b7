import { test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('a rate limit that lasts longer than the step may ends it at once, without a file', async () => {
  const run = await runVisitors({
    service: answering((request) =>
      request.nth === 3
        ? { status: 429, headers: { 'retry-after': '3000' }, body: {} }
        : { body: sitePage(10_000, request) },
    ),
  })

  expectExport(run, {
    conclusion: 'failure',
    verdict: '❌ Too many requests',
    says: ["which is after this step's deadline", '500 rows had been read. No file was written.', 'Run it later'],
    outputs: { human: '30000', ai: '9000', total: '35000' },
    offsets: [0, 250, 500],
  })
})
