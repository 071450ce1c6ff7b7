import { expect, test } from '@jest/globals'
import { findLastSuccess } from '../../src/github/workflow-runs.ts'
import { askingGitHub } from '../support/github-client.ts'
import { repositoryState, type WorkflowRun } from '../../src/emulator/github/state.ts'
import { commit } from '../support/github-state.ts'

const run = (id: number, headSha: string, fields: Partial<WorkflowRun> = {}): WorkflowRun => ({
  id,
  headSha,
  workflow: 'docs.yml',
  branch: 'main',
  event: 'push',
  status: 'completed',
  conclusion: 'success',
  createdAtMs: 0,
  ...fields,
})
const QUERY = { repository: 'acme/docs', workflow: 'docs.yml', branch: 'main', runId: 9 }

function lastSuccess(runs: WorkflowRun[]): Promise<string | undefined> {
  return askingGitHub({ docs: repositoryState({ workflowRuns: runs }) }, ({ ask }) => findLastSuccess(ask, QUERY))
}

test('finds the newest successful run of this workflow on this branch', async () => {
  const runs = [
    run(8, commit('8'), { conclusion: 'failure' }),
    run(7, commit('7'), { branch: 'next' }),
    run(6, commit('6'), { workflow: 'other.yml' }),
    run(5, commit('5')),
    run(4, commit('4')),
  ]
  expect(await lastSuccess(runs)).toBe(commit('5'))
})

test('leaves out the run that asks, and all that began after it', async () => {
  expect(await lastSuccess([run(10, commit('a')), run(9, commit('9')), run(3, commit('3'))])).toBe(commit('3'))
})

test('finds nothing where no run was successful yet', async () => {
  expect(await lastSuccess([run(8, commit('8'), { conclusion: 'failure' }), run(10, commit('a'))])).toBeUndefined()
})
