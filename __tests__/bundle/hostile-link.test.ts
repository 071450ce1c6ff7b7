import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a usable link that carries markup and a command is handed on with all of it encoded', async () => {
  const run = await runBundle({ scenario: 'hostile-link', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_000001',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 4),
      'pr-link': `${run.serviceUrl}/acme/docs/pull/4?a=%5D%28b%29%7C%3Ci%3E@all&c=##%5Berror%5Dd%27%22%60`,
    },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
