import { expect, test } from '@jest/globals'
import { jobIdOf, OUTCOMES, ownPullRequest } from '../../../src/agent/report/report.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { completed, withoutLink } from '../../support/fake-client.ts'
import { reportOf } from '../../support/report.ts'

test('the job is the one that was read, else the one that was asked for, else none', () => {
  expect(jobIdOf(reportOf({ task: CREATE }))).toBe('job_1')
  expect(jobIdOf(reportOf({ task: ATTACH, job: undefined }))).toBe('job_1')
  expect(jobIdOf(reportOf({ task: CREATE, job: undefined }))).toBeUndefined()
  expect(jobIdOf(reportOf({ task: undefined, job: undefined }))).toBeUndefined()
})

test.each(OUTCOMES)(
  'of a follow-up that is %s, the pull request is shown only if its turn came to a good end',
  (outcome) => {
    const isShown = outcome === 'pull-request' || outcome === 'no-changes'
    for (const turn of ['unsent', 'taken', 'seen'] as const)
      expect(ownPullRequest(reportOf({ task: FOLLOW_UP, outcome, progress: turn }))).toBe(
        isShown ? completed.prLink : undefined,
      )
  },
)

test('a pull request that is known to be of this turn is shown however the step ends', () => {
  const report = reportOf({ task: FOLLOW_UP, outcome: 'cancelled', progress: 'seen', operation: 'updated' })
  expect(ownPullRequest(report)).toBe(completed.prLink)
})

test.each([CREATE, ATTACH])('of %j, the pull request is shown however it ends, if there is one', (task) => {
  for (const outcome of OUTCOMES) expect(ownPullRequest(reportOf({ task, outcome }))).toBe(completed.prLink)
  expect(ownPullRequest(reportOf({ task, job: withoutLink }))).toBeUndefined()
})
