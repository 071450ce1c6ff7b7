import { expect, test } from '@jest/globals'
import { pullOf, runWithGitHub } from '../support/github-run.ts'

test('a commit that comes while the step waits is the one that is checked and reported', async () => {
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true' },
    gitHubScenarios: ['head-moves'],
    secondsPerRequest: 1,
  })

  const { headSha, pushes } = pullOf(run)
  expect(pushes).toBe(2)
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', checks: 'success', 'pr-head-sha': headSha })
  expect(run.log.map(({ text }) => text).join('\n')).toContain(`a new commit, ${headSha.slice(0, 7)}`)
})
