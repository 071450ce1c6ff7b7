import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('while GitHub is down the result of the job stands', async () => {
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true' },
    gitHubScenarios: ['github-down'],
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'pr-state': '' })
  expect(run.notices).toEqual([expect.stringContaining('GitHub answered 503.')])
})
