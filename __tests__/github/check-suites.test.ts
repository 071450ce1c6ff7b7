import { expect, test } from '@jest/globals'
import { ACTIONS, type CheckSuite, type WorkflowRun } from '../../src/github/check-answers.ts'
import { joinSuites, replacementsOf, suiteIdOf } from '../../src/github/check-suites.ts'

const suite = (id: number, fields: Partial<CheckSuite> = {}): CheckSuite => ({
  ...{ id, app: ACTIONS, status: 'completed', conclusion: 'success', latest_check_runs_count: 1 },
  ...fields,
})
const run = (id: number, fields: Partial<WorkflowRun> = {}): WorkflowRun => ({
  ...{ id, check_suite_id: id, workflow_id: 5, path: '.github/workflows/ci.yml@main', event: 'pull_request' },
  ...{ status: 'completed', conclusion: 'success', ...fields },
})

test('a suite has the name of its workflow’s file, or of its app', () => {
  const names = joinSuites([suite(1), suite(2), suite(3, { app: 'links' }), suite(4, { app: '' })], [run(1)])
  expect(names.map(({ name }) => name)).toEqual(['ci.yml', 'github-actions', 'links', 'an app'])
})

test('the run of a suite is known by its id or by its address', () => {
  expect(suiteIdOf(run(1, { check_suite_id: 7 }))).toBe(7)
  const byUrl = { ...run(1), check_suite_id: undefined, check_suite_url: 'https://x.example/check-suites/8' }
  expect(suiteIdOf(byUrl)).toBe(8)
  expect(suiteIdOf({ ...byUrl, check_suite_url: undefined })).toBeUndefined()
})

test.each([
  ['in_progress', null, 'success', 'pending'],
  ['completed', 'success', 'failure', 'failure'],
  ['completed', 'failure', 'success', 'failure'],
  ['completed', 'success', 'action_required', 'approval'],
  ['queued', null, 'action_required', 'approval'],
  ['completed', 'success', 'success', 'success'],
] as const)('of a suite that is %s (%s) and a run that ended with %s the worse counts', (status, said, ran, state) => {
  const conclusion = said ?? undefined
  expect(joinSuites([suite(1, { status, conclusion })], [run(1, { conclusion: ran })])).toMatchObject([{ state }])
})

test('a run that only the list of runs knows has a suite all the same', () => {
  const waiting = { status: 'in_progress', conclusion: undefined }
  expect(joinSuites([suite(1)], [run(1), run(2, waiting)])).toMatchObject([{ id: 1 }, { id: 2, state: 'pending' }])
})

const replaced = (older: WorkflowRun, later: WorkflowRun): boolean => {
  const all = joinSuites([suite(1), suite(2)], [older, later])
  return all[0] !== undefined && replacementsOf(all[0], all).length > 0
}

test.each([
  ['of the same workflow and event', {}, true],
  ['of another event', { event: 'push' }, false],
  ['of another workflow', { workflow_id: 6 }, false],
  ['of a workflow that is not known', { workflow_id: undefined, path: undefined }, false],
  ['of an event that is not known', { event: undefined }, false],
  ['that failed', { conclusion: 'failure' }, true],
  ['that has not ended', { status: 'queued', conclusion: undefined }, true],
  ['that was skipped as a whole', { conclusion: 'skipped' }, false],
  ['that began before the older was started again', { run_started_at: '2026-01-01T00:00:00Z' }, false],
] as const)('a later run %s: takes the place of the older: %s', (_what, fields, takesPlace) => {
  const older = run(1, { conclusion: 'failure', run_started_at: '2026-01-01T00:00:01Z' })
  expect(replaced(older, run(2, fields))).toBe(takesPlace)
})

test('an older run takes nobody’s place, and a suite whose run is not known keeps its own', () => {
  expect(replaced(run(2, { check_suite_id: 1 }), run(1, { check_suite_id: 2 }))).toBe(false)
  const all = joinSuites([suite(1), suite(2)], [run(2)])
  expect(all.map((one) => replacementsOf(one, all))).toEqual([[], []])
})
