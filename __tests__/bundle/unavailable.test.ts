import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a prompt that is answered 503 is not sent again, since a gateway may have passed it on', async () => {
  const run = await runBundle({ scenario: 'unavailable', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The prompt may have been taken',
    says: ['the job may exist', '(503)', 'The service is unavailable.'],
    outputs: { outcome: 'error' },
    requests: ['POST job'],
  })
})
