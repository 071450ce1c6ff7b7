import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('an answer without a valid id does not prove a job, and its id gets nowhere', async () => {
  const run = await runBundle({ scenario: 'bad-id', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The prompt may have been taken',
    says: ['the job may exist', 'answered 201 without a valid job id'],
    outputs: { outcome: 'error' },
    requests: ['POST job'],
  })
})
