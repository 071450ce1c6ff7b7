import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a job that opens a pull request ends green and hands its address on', async () => {
  const run = await runBundle({ scenario: 'pull-request', inputs: { prompt: 'Document the --dry-run flag.' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    says: ['its changes are in a pull request'],
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_000001',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 4),
    },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
