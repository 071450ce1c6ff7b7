import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('answers that hold only what is promised are enough', async () => {
  const run = await runBundle({ scenario: 'sparse', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_000001',
      ...pullRequestOutputs(run, 4),
    },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
