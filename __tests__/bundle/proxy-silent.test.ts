import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { besideProxy } from '../support/network-fronts.ts'

test('a proxy that never answers does not hold the step past its deadline', async () => {
  const proxy = besideProxy(undefined, true)
  const run = await runBundle({
    front: proxy.front,
    env: () => ({ HTTP_PROXY: proxy.url() }),
    inputs: { prompt: 'Fix the guide.', 'timeout-minutes': '0.1' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '⏰ Out of time',
    says: ['before the prompt was sent', 'did not answer in time', 'proxy settings'],
    outputs: { outcome: 'timed-out' },
    requests: [],
  })
  expect(proxy.asked).toHaveLength(1)
})
