import { expect, test } from '@jest/globals'
import type { CheckSuite } from '../../src/emulator/github/check-state.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { readEmptySuites, readWorkflowNames } from '../../src/github/check-suites.ts'
import { answering, askingGitHub, errorOf } from '../support/github-client.ts'
import { checkRun, commit } from '../support/github-state.ts'

const SHA = commit('c')
const SUITE: CheckSuite = {
  ...{ id: 50, headSha: SHA, app: 'github-actions', createdAtMs: 0 },
  ...{ status: 'queued', conclusion: null },
}
const read = (fields: Partial<RepositoryState>) =>
  askingGitHub({ docs: repositoryState(fields) }, ({ ask }) => readEmptySuites(ask, 'acme/docs', SHA))

const APPROVAL = { status: 'completed', conclusion: 'action_required' } as const

test.each([
  ['that is queued', {}, 'github-actions, which is queued'],
  ['that waits for approval', APPROVAL, 'github-actions, which waits for approval'],
  ['that waits, of another app', { ...APPROVAL, app: 'link-checker' }, 'link-checker, which waits for approval'],
])('a check suite without check runs %s is named', async (_which, fields, name) => {
  expect(await read({ checkSuites: [{ ...SUITE, ...fields }] })).toEqual([name])
})

test.each([
  ['that is queued, of an app that may never use it', { app: 'link-checker' }],
  ['that is over', { status: 'completed', conclusion: 'success' }],
] as const)('a check suite without check runs %s is nothing', async (_which, fields) => {
  expect(await read({ checkSuites: [{ ...SUITE, ...fields }] })).toEqual([])
})

test('a check suite with check runs is told by these', async () => {
  expect(await read({ checkRuns: [checkRun({ name: 'build', headSha: SHA, completedAtMs: Infinity })] })).toEqual([])
})

test('names the files of workflows by their runs, whatever ref they were taken from', async () => {
  const data = { workflow_runs: [{ id: 5, path: '.github/workflows/ci.yml@main' }] }
  const ask = answering({ actions: { listWorkflowRunsForRepo: () => Promise.resolve({ data }) } })
  expect(await readWorkflowNames(ask, 'acme/docs', SHA)).toEqual(new Map([[5, '.github/workflows/ci.yml']]))
})

test('a token that may not know the workflows knows none, and a server that is down is not asked around', async () => {
  const docs = repositoryState()
  const refused = { docs, state: { permissions: {} } }
  expect(await askingGitHub(refused, ({ ask }) => readWorkflowNames(ask, 'acme/docs', SHA))).toEqual(new Map())
  const down = { docs, faults: { 'actions/list-workflow-runs-for-repo': [500, 500, 500, 500] } }
  const error = await askingGitHub(down, ({ ask }) => errorOf(readWorkflowNames(ask, 'acme/docs', SHA)))
  expect(error).toMatchObject({ code: 'service-error' })
})
