import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs, times } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a status that nobody lists counts as still running, with one warning', async () => {
  const run = await runBundle({
    scenario: 'unlisted-status',
    secondsPerRequest: 3,
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
    warnings: ['“paused”'],
    requests: ['POST job', ...times(7, 'GET job/job_000001')],
  })
})
