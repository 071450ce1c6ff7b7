import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { overTls } from '../support/network-fronts.ts'

test('a certificate that nobody trusts gets no prompt and no key, and the step says what helps', async () => {
  const run = await runBundle({ front: overTls, inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ No secure connection to the service',
    says: ['(DEPTH_ZERO_SELF_SIGNED_CERT)', 'NODE_EXTRA_CA_CERTS'],
    outputs: { outcome: 'error' },
    requests: [],
  })
})
