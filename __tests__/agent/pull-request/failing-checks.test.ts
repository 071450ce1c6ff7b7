import { expect, test } from '@jest/globals'
import { failedByChange, failedChecks } from '../../../src/agent/pull-request/failing-checks.ts'
import type { Check } from '../../../src/github/commit-checks.ts'

const check = (name: string, state: Check['state'], fields: Partial<Check> = {}): Check => ({ name, state, ...fields })

test('two workflows, or two apps, may have a check of one name each', () => {
  const of = (state: Check['state'], app: string) => check('build', state, { id: 5, app })
  const checks = [of('failure', 'a'), of('success', 'a'), of('success', 'b')]
  expect(failedChecks(checks)).toEqual([checks[0]])
})

test('check runs and commit statuses count alike, and only those that failed', () => {
  const checks = [check('build', 'failure', { id: 1 }), check('preview', 'failure'), check('links', 'pending')]
  expect(failedChecks(checks)).toEqual(checks.slice(0, 2))
})

test('what failed before under the same name is not of this change, and what passed or waited is', () => {
  const failed = ['old', 'passed', 'waited', 'new'].map((name) => check(name, 'failure'))
  const before = [check('old', 'failure'), check('passed', 'success'), check('waited', 'pending')]
  expect(failedByChange(failed, before)).toEqual(failed.slice(1))
})
