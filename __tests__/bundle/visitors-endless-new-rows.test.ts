import { expect, test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('a service that has more rows for ever is asked until the deadline, and no file is left', async () => {
  const run = await runVisitors({
    service: answering(({ offset, limit }) => ({ body: sitePage(Infinity, { offset, limit: limit / 25 }) })),
    inputs: { 'timeout-minutes': '0.01' },
  })

  expect(run.offsets.length).toBeGreaterThan(1)
  expectExport(run, {
    conclusion: 'failure',
    verdict: '❌ Out of time',
    says: ['before all pages were read', 'No file was written.', 'Allow more time in `timeout-minutes`'],
    outputs: { human: '30000', ai: '9000', total: '35000' },
    offsets: Array.from(run.offsets, (_, index) => index * 10),
  })
})
