import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs, times } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a follow-up to a finished job waits for its own turn', async () => {
  const run = await runBundle({ inputs: { prompt: 'And the index.', 'job-id': 'job_finished' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_finished',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 1),
    },
    requests: ['GET job/job_finished', 'POST job/job_finished/message', ...times(2, 'GET job/job_finished')],
  })
})
