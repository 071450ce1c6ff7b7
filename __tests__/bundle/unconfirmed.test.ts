import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a follow-up whose turn is never seen ends red, although the job reads completed', async () => {
  const run = await runBundle({
    scenario: 'never-starts',
    inputs: { prompt: 'And the index.', 'job-id': 'job_finished', 'timeout-minutes': '0.02' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❓ The follow-up was sent, but its turn was never seen',
    says: ['never read as working on it', 'it may still begin', 'run the same step with `job-id: job_finished`'],
    outputs: {
      outcome: 'unconfirmed',
      status: 'completed',
      'job-id': 'job_finished',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 1),
    },
    requests: { posts: ['POST job/job_finished/message'], reads: 'GET job/job_finished' },
  })
})
