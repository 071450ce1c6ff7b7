import { expect, test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { besideProxy } from '../support/network-fronts.ts'

test('a service that NO_PROXY names is asked directly', async () => {
  const proxy = besideProxy()
  const run = await runBundle({
    front: proxy.front,
    env: () => ({ HTTP_PROXY: proxy.url(), NO_PROXY: 'example.com, 127.0.0.1' }),
    inputs: { prompt: 'Fix the guide.' },
  })

  expectPullRequest(run)
  expect(proxy.asked).toEqual([])
})
