import { expect, test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { besideProxy } from '../support/network-fronts.ts'

test('with HTTP_PROXY every request takes a tunnel through the proxy', async () => {
  const proxy = besideProxy()
  const run = await runBundle({
    front: proxy.front,
    env: () => ({ HTTP_PROXY: proxy.url() }),
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
  const tunnel = `CONNECT ${new URL(run.serviceUrl).host} HTTP/1.1`
  expect(proxy.asked).toEqual([tunnel, tunnel, tunnel])
})
