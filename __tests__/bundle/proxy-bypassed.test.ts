import { expect, test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { besideProxy } from '../support/network-fronts.ts'

test('a service that NO_PROXY names is asked directly', async () => {
  const proxy = besideProxy()
  const run = await runBundle({
    front: proxy.front,
    env: () => ({ HTTP_PROXY: proxy.url(), NO_PROXY: 'example.com, 127.0.0.1' }),
    inputs: { prompt: 'Fix the guide.' },
  })

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
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
  expect(proxy.asked).toEqual([])
})
