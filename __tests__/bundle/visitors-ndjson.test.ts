import { expect, test } from '@jest/globals'
import { sitePage, siteRow } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('an export to NDJSON has a row a line', async () => {
  const run = await runVisitors({
    service: answering((request) => ({ body: sitePage(251, request) })),
    inputs: { format: 'ndjson', top: '0' },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ The visitors are exported',
    outputs: { human: '30000', ai: '9000', total: '35000', rows: '251', file: 'visitors.ndjson', complete: 'true' },
    offsets: [0, 250],
  })
  const lines = run.files['visitors.ndjson']?.trimEnd().split('\n') ?? []
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    Array.from({ length: 251 }, (_, index) => siteRow(index)),
  )
})
