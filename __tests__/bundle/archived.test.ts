import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a job that somebody archives meanwhile ends red', async () => {
  const run = await runBundle({ scenario: 'archived', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The job is archived',
    says: ['Somebody archived it', 'run the same step without `job-id`'],
    outputs: { outcome: 'archived', status: 'archived', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
