import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('without waiting, attaching to a job that runs reads it once', async () => {
  const run = await runBundle({ inputs: { 'job-id': 'job_running', wait: 'false' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '🚀 The agent is at work',
    says: ['The job runs. This step does not wait for it.'],
    outputs: { outcome: 'submitted', changed: '', status: 'active', 'job-id': 'job_running', model: 'docs-writer-1' },
    requests: ['GET job/job_running'],
  })
})
