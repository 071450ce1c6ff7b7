import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs, times } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a follow-up to a job that is busy is sent when its present turn has ended', async () => {
  const run = await runBundle({ inputs: { prompt: 'And the index.', 'job-id': 'job_running' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_running',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 2),
    },
    requests: [...times(2, 'GET job/job_running'), 'POST job/job_running/message', ...times(2, 'GET job/job_running')],
  })
})
