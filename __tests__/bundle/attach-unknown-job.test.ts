import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('attaching to a job that the service does not know ends red at once', async () => {
  const run = await runBundle({ inputs: { 'job-id': 'job_of_nobody' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ Not found',
    says: ['(404)', 'There is no such job in this project.', 'Check `project-id`, `job-id` and `base-url`.'],
    outputs: { outcome: 'error', 'job-id': 'job_of_nobody' },
    requests: ['GET job/job_of_nobody'],
  })
})
