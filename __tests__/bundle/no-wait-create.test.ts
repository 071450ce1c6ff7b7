import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('without waiting, a step ends green as soon as the service has taken the prompt', async () => {
  const run = await runBundle({ inputs: { prompt: 'Fix the guide.', wait: 'false' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '🚀 The agent is at work',
    says: ['The service has taken the prompt.', 'run the same step with `job-id: job_000001` and without a prompt'],
    outputs: { outcome: 'submitted', changed: '', status: 'active', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job'],
  })
})
