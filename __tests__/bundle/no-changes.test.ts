import { test } from '@jest/globals'
import { expectStep, times } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a job that changes no file ends green, after a few more looks for a pull request', async () => {
  const run = await runBundle({ scenario: 'no-changes', inputs: { prompt: 'Fix the typos.' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ Nothing had to change',
    says: ['changed no file', 'send a follow-up that names the pages'],
    outputs: { outcome: 'no-changes', status: 'completed', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job', ...times(6, 'GET job/job_000001')],
  })
})
