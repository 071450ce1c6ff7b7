import { expect, test } from '@jest/globals'
import { failedByChange, failedChecks, newestChecks } from '../../../src/agent/pull-request/failing-checks.ts'
import type { Check } from '../../../src/github/checks.ts'

const check = (name: string, state: Check['state'], fields: Partial<Check> = {}): Check => ({ name, state, ...fields })

test('of several check runs with one name the newest counts, whatever their order', () => {
  const [old, young] = [check('build', 'failure', { id: 3 }), check('build', 'success', { id: 5 })]
  expect(newestChecks([old, young])).toEqual([young])
  expect(failedChecks([young, old])).toEqual([])
})

test('two apps may have a check of one name each', () => {
  const checks = [check('build', 'failure', { id: 3, app: 'a' }), check('build', 'success', { id: 5, app: 'b' })]
  expect(failedChecks(checks)).toEqual([checks[0]])
})

test('check runs and commit statuses count alike, and only those that failed', () => {
  const checks = [check('build', 'failure', { id: 1 }), check('preview', 'failure'), check('links', 'pending')]
  expect(failedChecks(checks)).toEqual(checks.slice(0, 2))
})

test('what failed before under the same name is not of this change, and what passed or waited is', () => {
  const failed = ['old', 'passed', 'waited', 'mended', 'new'].map((name) => check(name, 'failure'))
  const before = [
    check('old', 'failure'),
    check('passed', 'success'),
    check('waited', 'pending'),
    check('mended', 'failure', { id: 1 }),
    check('mended', 'success', { id: 2 }),
  ]
  expect(failedByChange(failed, before)).toEqual(failed.slice(1))
})
