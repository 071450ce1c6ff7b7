import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('without waiting, a follow-up reads the job once and is sent', async () => {
  const run = await runBundle({ inputs: { prompt: 'And the index.', 'job-id': 'job_finished', wait: 'false' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '🚀 The agent is at work',
    says: ['The service has taken the prompt.', 'run the same step with `job-id: job_finished` and without a prompt'],
    outputs: { outcome: 'submitted', changed: '', status: 'active', 'job-id': 'job_finished', model: 'docs-writer-1' },
    requests: ['GET job/job_finished', 'POST job/job_finished/message'],
  })
})
