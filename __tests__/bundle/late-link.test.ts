import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs, times } from '../support/bundle-expect.ts'
import { runBundle, timesFaster } from '../support/bundle-run.ts'

test('a pull request that shows a moment after the end is found', async () => {
  const run = await runBundle({
    preload: timesFaster(10),
    scenario: 'late-link',
    secondsPerRequest: 2.5,
    inputs: { 'job-id': 'job_running' },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_running',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 2, 'attach'),
    },
    // Completed after 20 seconds, and with a link after 23.
    requests: times(10, 'GET job/job_running'),
  })
})
