import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a job that takes longer than the step may ends red and says how to go on', async () => {
  const run = await runBundle({
    scenario: 'slow',
    inputs: { prompt: 'Rewrite all pages.', 'timeout-minutes': '0.1' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '⏰ The agent did not finish in time',
    says: ['The job still runs.', 'run the same step with `job-id: job_000001` and without a prompt'],
    outputs: { outcome: 'timed-out', changed: '', status: 'active', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: { posts: ['POST job'], reads: 'GET job/job_000001' },
  })
})
