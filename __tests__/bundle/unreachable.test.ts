import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle, timesFaster } from '../support/bundle-run.ts'

test('a service that cannot be reached got no prompt, and the step says so', async () => {
  const run = await runBundle({
    preload: timesFaster(10),
    // A port that nobody listens on, as no service may take it.
    inputs: { prompt: 'Fix the guide.', 'base-url': 'http://127.0.0.1:1' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ No answer from the service',
    says: ['(ECONNREFUSED)', 'Check `base-url`'],
    outputs: { outcome: 'error' },
    requests: [],
  })
})
