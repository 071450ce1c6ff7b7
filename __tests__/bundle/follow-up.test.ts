import { test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a follow-up to a finished job waits for its own turn', async () => {
  const run = await runBundle({
    preload: timesFaster(20),
    inputs: { prompt: 'And the index.', 'job-id': 'job_finished', 'timeout-minutes': '10' },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ Pull request may have changed',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_finished',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 1, 'follow-up'),
    },
    requests: { posts: ['POST job/job_finished/message'], reads: 'GET job/job_finished' },
  })
})
