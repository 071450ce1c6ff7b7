import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('a failed check makes the step red where `fail-on` says so, with one error and the pull request', async () => {
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true', 'fail-on': 'checks' },
    gitHubScenarios: ['checks-fail'],
  })

  expect(run.conclusion).toBe('failure')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', changed: 'true', checks: 'failure' })
  const errors = run.annotations.filter(({ level }) => level === 'error')
  expect(errors.map(({ title }) => title)).toEqual(['The pull request has not passed its checks'])
  expect(errors[0]?.message).toContain('/acme/docs/pull/4')
})
