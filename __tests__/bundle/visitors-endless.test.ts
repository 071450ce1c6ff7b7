import { test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('a service that sends the same rows for ever is found out at the second request', async () => {
  const run = await runVisitors({
    service: answering(({ limit }) => ({ body: sitePage(1_000, { offset: 0, limit }) })),
  })

  expectExport(run, {
    conclusion: 'failure',
    verdict: "❌ The service's answers make no sense",
    says: ['does not come to an end', 'every row had come before', 'No file was written.', 'Check `base-url`'],
    outputs: { human: '30000', ai: '9000', total: '35000' },
    offsets: [0, 250],
  })
})
