import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a follow-up to an archived job sends nothing and ends red', async () => {
  const run = await runBundle({ inputs: { prompt: 'And the index.', 'job-id': 'job_archived' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The job is archived',
    says: ['The prompt was not sent', 'run the same step without `job-id`'],
    outputs: { outcome: 'archived', status: 'archived', 'job-id': 'job_archived', model: 'docs-writer-1' },
    requests: ['GET job/job_archived'],
  })
})
