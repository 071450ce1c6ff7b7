import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

/** Windows has no signals that a program could get from another one. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

testWithSignals('a run that is cancelled while it waits leaves with its outputs and its summary written', async () => {
  const cancel = new AbortController()
  const run = await runBundle({
    scenario: 'slow',
    inputs: { prompt: 'Rewrite all pages.', 'poll-interval-seconds': '300', 'timeout-minutes': '60' },
    cancel: cancel.signal,
    onLine: ({ text }) => {
      if (text.endsWith(' is active.')) cancel.abort()
    },
  })

  expectStep(run, {
    conclusion: 'cancelled',
    verdict: '🛑 Cancelled',
    says: ['so the job still runs', 'run the same step with `job-id: job_000001` and without a prompt'],
    outputs: { outcome: 'cancelled', changed: '', status: 'active', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job'],
  })
})
