import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('no check at all is told apart from all passed', async () => {
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true', 'fail-on': 'checks' },
    gitHubScenarios: ['checks-none'],
  })

  expect(run.conclusion).toBe('failure')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', checks: 'none' })
  expect(run.summary).toContain('No check is registered for it.')
})
