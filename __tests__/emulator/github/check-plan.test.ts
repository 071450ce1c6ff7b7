import { expect, test } from '@jest/globals'
import { type CheckPlan, startChecks } from '../../../src/emulator/github/check-plan.ts'
import { type RepositoryState, repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { commit, driveGitHub } from './drive-github.ts'

function start(plans: readonly CheckPlan[]): RepositoryState {
  const { state } = driveGitHub().service.github
  const repository = repositoryState()
  startChecks(state, repository, { branch: 'guide', headSha: commit('c'), event: 'pull_request' }, plans, 1_000)
  return repository
}

const plan = { name: 'x', afterMs: 2_000, takesMs: 5_000 } as const

test('the jobs of a workflow share a run and a suite, and an app has its own', () => {
  const { checkRuns, workflowRuns } = start([
    { ...plan, kind: 'job', result: { conclusion: 'success' } },
    { ...plan, kind: 'job', result: { conclusion: 'failure', log: 'No' } },
    { ...plan, kind: 'app', result: { conclusion: 'success', title: 'Fine' } },
  ])
  expect(checkRuns[0]).toMatchObject({ createdAtMs: 3_000, startedAtMs: 4_000, completedAtMs: 9_000 })
  expect(workflowRuns).toMatchObject([{ workflow: 'ci.yml', branch: 'guide', event: 'pull_request' }])
  expect(checkRuns.map(({ runId }) => runId)).toEqual([workflowRuns[0]?.id, workflowRuns[0]?.id, undefined])
  expect(new Set(checkRuns.map(({ suiteId }) => suiteId)).size).toBe(2)
  expect(new Set(checkRuns.map(({ id }) => id)).size).toBe(3)
  expect(checkRuns[1]).toMatchObject({ log: 'No' })
})

test('a status is pending until it is known', () => {
  expect(start([{ ...plan, kind: 'status', conclusion: 'failure' }]).statuses).toMatchObject([
    { context: 'x', state: 'pending', createdAtMs: 3_000 },
    { context: 'x', state: 'failure', createdAtMs: 8_000 },
  ])
})

test('what waits for approval has a suite and a run, and no check run', () => {
  const { checkRuns, checkSuites, workflowRuns } = start([{ kind: 'unstarted', conclusion: 'action_required' }])
  expect(checkRuns).toEqual([])
  expect([checkSuites[0]?.conclusion, workflowRuns[0]?.conclusion]).toEqual(['action_required', 'action_required'])
})
