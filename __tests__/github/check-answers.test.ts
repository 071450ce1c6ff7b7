import { expect, test } from '@jest/globals'
import {
  checkRunSchema,
  checkSuiteSchema,
  commitStatusSchema,
  stateOf,
  stateOfStatus,
  workflowRunSchema,
} from '../../src/github/check-answers.ts'

test.each([
  ['success', 'success'],
  ['neutral', 'success'],
  ['skipped', 'success'],
  ['failure', 'failure'],
  ['cancelled', 'failure'],
  ['timed_out', 'failure'],
  ['action_required', 'failure'],
  ['startup_failure', 'failure'],
  ['a word of tomorrow', 'failure'],
  [undefined, 'pending'],
])('what ended with %s is a %s', (conclusion, state) => {
  expect(stateOf({ status: 'completed', conclusion })).toBe(state)
})

test.each(['queued', 'in_progress', 'waiting', undefined])('what is %s is pending, whatever it ends with', (status) => {
  expect(stateOf({ status, conclusion: 'success' })).toBe('pending')
})

test.each([
  ['success', 'success'],
  ['pending', 'pending'],
  ['failure', 'failure'],
  ['error', 'failure'],
  [undefined, 'pending'],
])('a commit status that is %s is a %s', (state, expected) => {
  expect(stateOfStatus(state)).toBe(expected)
})

test('whatever stands in the place of text, numbers and objects costs that alone', () => {
  for (const wrong of [null, 7.5, 'x', [], {}, [null]]) {
    const fields = ['id', 'name', 'status', 'conclusion', 'app', 'check_suite', 'output', 'details_url', 'html_url']
    const of = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, wrong]))
    expect(checkRunSchema.safeParse(of(fields)).success).toBe(true)
    expect(checkSuiteSchema.safeParse(of([...fields, 'latest_check_runs_count'])).success).toBe(true)
    expect(commitStatusSchema.safeParse(of(['context', 'state', 'description', 'target_url'])).success).toBe(true)
    const run = { ...of(['check_suite_id', 'check_suite_url', 'workflow_id', 'path', 'event']), id: 7 }
    expect(workflowRunSchema.safeParse(run).success).toBe(true)
  }
  expect(checkRunSchema.safeParse({ name: 'build' }).data).toEqual({ name: 'build', app: '' })
})
