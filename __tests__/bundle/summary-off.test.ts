import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a step that is to write no summary writes none', async () => {
  const run = await runBundle({ inputs: { prompt: 'Fix the guide.', summary: 'false' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_000001',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 4),
    },
    summary: 'none',
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
