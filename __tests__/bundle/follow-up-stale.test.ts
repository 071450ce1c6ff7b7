import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs, times } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a follow-up does not take the end of the turn before for its own', async () => {
  const run = await runBundle({
    scenario: 'stale-follow-up',
    secondsPerRequest: 4,
    inputs: { prompt: 'And the index.', 'job-id': 'job_finished' },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    says: ['The turn of this prompt was seen.'],
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_finished',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 1),
    },
    // 8 seconds until the turn begins, and 20 until it ends.
    requests: ['GET job/job_finished', 'POST job/job_finished/message', ...times(7, 'GET job/job_finished')],
  })
})
