import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle, timesFaster } from '../support/bundle-run.ts'

test('a follow-up to a job that is busy is sent when its present turn has ended', async () => {
  const run = await runBundle({
    preload: timesFaster(20),
    inputs: { prompt: 'And the index.', 'job-id': 'job_running' },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_running',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 2, 'follow-up'),
    },
    requests: { posts: ['POST job/job_running/message'], reads: 'GET job/job_running' },
  })
})
