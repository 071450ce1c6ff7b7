import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a prompt whose answer is lost is not sent again: red, and the job may exist', async () => {
  const run = await runBundle({ scenario: 'lost-answer', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The prompt may have been taken',
    says: ['the job may exist', 'Look for the job on the service', 'dashboard'],
    outputs: { outcome: 'error', changed: '' },
    requests: ['POST job'],
  })
})
