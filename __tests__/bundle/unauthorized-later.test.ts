import { test } from '@jest/globals'
import { expectStep, times } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a key that is revoked while the step waits ends it red and says that the job goes on', async () => {
  const run = await runBundle({
    scenario: 'unauthorized-later',
    secondsPerRequest: 5,
    inputs: { prompt: 'Fix the guide.' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The key was refused',
    says: ['(401)', 'The job itself goes on.', 'run the same step with `job-id: job_000001` and without a prompt'],
    outputs: { outcome: 'error', status: 'active', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job', ...times(3, 'GET job/job_000001')],
  })
})
