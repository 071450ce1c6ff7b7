import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a job that fails ends red', async () => {
  const run = await runBundle({ scenario: 'failed', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The agent failed',
    says: ['an error that it could not recover from', 'send a follow-up or start a new job'],
    outputs: { outcome: 'failed', status: 'failed', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
