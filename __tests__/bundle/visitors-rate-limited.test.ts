import { expect, test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { timesFaster } from '../support/bundle-run.ts'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('a rate limit in the middle is waited for, and then the same rows are asked for again', async () => {
  const run = await runVisitors({
    service: answering((request) =>
      request.nth === 2
        ? { status: 429, headers: { 'retry-after': '7' }, body: { error: 'Too many requests in one hour.' } }
        : { body: sitePage(500, request) },
    ),
    inputs: { top: '0' },
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(timesFaster(10))}` },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ The visitors are exported',
    outputs: { human: '30000', ai: '9000', total: '35000', rows: '500', file: 'visitors.csv', complete: 'true' },
    offsets: [0, 250, 250],
  })
  expect(run.log.map(({ text }) => text).join('\n')).toContain(
    'The service limits the rate of requests (429). It says: “Too many requests in one hour.” Asking again in 7 s.',
  )
})
