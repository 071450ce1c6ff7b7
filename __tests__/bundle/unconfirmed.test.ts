import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a follow-up whose turn is never seen ends red, although the job reads completed', async () => {
  const run = await runBundle({
    scenario: 'never-starts',
    inputs: { prompt: 'And the index.', 'job-id': 'job_finished', 'timeout-minutes': '0.1' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❓ The follow-up was sent, but its turn was never seen',
    says: ['never seen to work on it', 'it may still begin'],
    outputs: {
      outcome: 'unconfirmed',
      changed: '',
      status: 'completed',
      'job-id': 'job_finished',
      model: 'docs-writer-1',
    },
    requests: { posts: ['POST job/job_finished/message'], reads: 'GET job/job_finished' },
  })
  // Attaching would read the end of the turn before, and be green.
  expect(run.rawOutput).not.toContain('job-id: job_finished')
})
