import { test, expect } from '@jest/globals'
import { timesFaster } from '../support/bundle-run.ts'
import { embedded, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('reads that fail in every way are tried again until the file is whole', async () => {
  const run = await runVisitors({
    service: embedded({ scenario: 'flaky', pages: 700, visits: 20_000 }),
    inputs: { top: '0' },
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(timesFaster(10))}` },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ The visitors are exported',
    outputs: {
      human: expect.stringMatching(/^\d+$/) as unknown as string,
      ai: expect.stringMatching(/^\d+$/) as unknown as string,
      total: expect.stringMatching(/^\d+$/) as unknown as string,
      rows: '700',
      file: 'visitors.csv',
      complete: 'true',
    },
    offsets: [0, 0, 250, 250, 250, 500, 500],
  })
})
