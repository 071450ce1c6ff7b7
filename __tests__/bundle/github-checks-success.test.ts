import { expect, test } from '@jest/globals'
import { pullOf, runWithGitHub } from '../support/github-run.ts'

test('the step waits until check runs and commit statuses are in', async () => {
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true', 'fail-on': 'failed, checks' },
    secondsPerRequest: 3,
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', checks: 'success' })
  expect(run.outputs['pr-head-sha']).toBe(pullOf(run).headSha)
  expect(run.github.requests.filter((name) => name === 'checks/list-for-ref').length).toBeGreaterThanOrEqual(2)
  expect(run.log.at(-1)?.text).toContain('All its checks have passed.')
})
