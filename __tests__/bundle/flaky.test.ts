import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs, times } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('reads that fail are tried again until one tells the end', async () => {
  const run = await runBundle({ scenario: 'flaky', secondsPerRequest: 3, inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_000001',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 4),
    },
    // 503, active, reset, HTML, active, half an answer, completed.
    requests: ['POST job', ...times(7, 'GET job/job_000001')],
  })
})
