import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('the address comes from the environment where the input is left out', async () => {
  const run = await runBundle({
    inputs: { 'base-url': '', 'job-id': 'job_running' },
    env: (url) => ({ DOCS_AGENT_BASE_URL: url }),
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ Pull request opened',
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
