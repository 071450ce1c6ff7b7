import { expect, test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { besideProxy, certificateFile, overTls } from '../support/network-fronts.ts'

test('with HTTPS_PROXY a service over TLS is reached through the proxy, and its certificate still counts', async () => {
  const proxy = besideProxy(overTls)
  const run = await runBundle({
    front: proxy.front,
    env: () => ({ HTTPS_PROXY: proxy.url(), NODE_EXTRA_CA_CERTS: certificateFile() }),
    inputs: { prompt: 'Fix the guide.' },
  })

  expectPullRequest(run)
  expect(proxy.asked.map((line) => line.split(' ')[0])).toEqual(['CONNECT', 'CONNECT', 'CONNECT'])
})
