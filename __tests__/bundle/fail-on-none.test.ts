import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a failed job leaves the step green where nothing is to fail it', async () => {
  const run = await runBundle({ scenario: 'failed', inputs: { prompt: 'Fix the guide.', 'fail-on': 'none' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '⚪ The agent failed',
    says: ['an error that it could not recover from'],
    outputs: { outcome: 'failed', status: 'failed', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
