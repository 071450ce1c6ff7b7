import { expect, test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { besideProxy, CERTIFICATE_PATH, overTls } from '../support/network-fronts.ts'

test('with HTTPS_PROXY a service over TLS is reached through the proxy, and its certificate still counts', async () => {
  const proxy = besideProxy(overTls)
  const run = await runBundle({
    front: proxy.front,
    env: () => ({ HTTPS_PROXY: proxy.url(), NODE_EXTRA_CA_CERTS: CERTIFICATE_PATH }),
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
  expect(proxy.asked.map((line) => line.split(' ')[0])).toEqual(['CONNECT', 'CONNECT', 'CONNECT'])
})
