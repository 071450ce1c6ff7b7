import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs, times } from '../support/bundle-expect.ts'
import { runBundle, timesFaster } from '../support/bundle-run.ts'

test('a rate limit makes the step slower, and a prompt that was not processed is sent again', async () => {
  const run = await runBundle({
    preload: timesFaster(10),
    scenario: 'rate-limited',
    secondsPerRequest: 5,
    inputs: { prompt: 'Fix the guide.' },
  })

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
    // The first POST, and the second and the fourth GET, are answered 429.
    requests: ['POST job', 'POST job', ...times(5, 'GET job/job_000001')],
  })
})
