import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('the deadline of the step covers the waiting for checks, and the result of the job stands', async () => {
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true', 'timeout-minutes': '1' },
    gitHubScenarios: ['checks-pending'],
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', checks: 'pending' })
})
