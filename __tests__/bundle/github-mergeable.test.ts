import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('a conflict with the base branch is told, although GitHub knows of it late', async () => {
  const run = await runWithGitHub({ inputs: {}, gitHubScenarios: ['github-lagging', 'conflict'] })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'pr-state': 'open', 'pr-mergeable': 'false' })
  expect(run.summary).toContain('It conflicts with its base branch, so it cannot be merged.')
})

test('a required check that is never registered is told, although all others have passed', async () => {
  const inputs = { 'wait-for-checks': 'true' }
  const run = await runWithGitHub({ inputs, gitHubScenarios: ['blocked'] })

  expect(run.outputs).toMatchObject({ checks: 'success', 'pr-mergeable': 'true' })
  expect(run.summary).toContain('a required check that was never registered')
})
