import { expect, test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { besideProxy } from '../support/network-fronts.ts'

test('with HTTP_PROXY every request takes a tunnel through the proxy', async () => {
  const proxy = besideProxy()
  const run = await runBundle({
    front: proxy.front,
    env: () => ({ HTTP_PROXY: proxy.url() }),
    inputs: { prompt: 'Fix the guide.' },
  })

  expectPullRequest(run)
  const tunnel = `CONNECT ${new URL(run.serviceUrl).host} HTTP/1.1`
  expect(proxy.asked).toEqual([tunnel, tunnel, tunnel])
})
