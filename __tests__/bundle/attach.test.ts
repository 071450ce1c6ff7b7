import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('attaching to a job that runs waits for it and sends nothing', async () => {
  const run = await runBundle({ inputs: { 'job-id': 'job_running' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_running',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 2, 'attach'),
    },
    requests: ['GET job/job_running', 'GET job/job_running'],
  })
})
