import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a redirect is not followed: no prompt and no key go to another address', async () => {
  const run = await runBundle({ scenario: 'redirecting', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The prompt may have been taken',
    says: ['the job may exist', 'redirects to another address, which is not followed (307)', 'Check `base-url`'],
    outputs: { outcome: 'error' },
    requests: ['POST job'],
  })
})
