import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a job that changes no file ends red where that is wanted', async () => {
  const run = await runBundle({
    scenario: 'no-changes',
    // The deadline also ends the looks for a link that may come late.
    inputs: { prompt: 'Fix the typos.', 'fail-on': 'no-changes', 'timeout-minutes': '0.03' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ Nothing had to change',
    says: ['changed no file', 'send a follow-up that names the pages'],
    outputs: { outcome: 'no-changes', status: 'completed', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: { posts: ['POST job'], reads: 'GET job/job_000001' },
  })
})
