import { expect, test } from '@jest/globals'
import { connectWorkflowRuns } from '../../src/github/workflow-runs.ts'
import { askingGitHub } from '../support/github-client.ts'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
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

async function lastSuccess(runs: WorkflowRun[], query = {}): Promise<string | undefined> {
  const docs = repositoryState({ workflowRuns: runs })
  return (
    await askingGitHub({ docs }, ({ ask }) => connectWorkflowRuns(ask).findLastSuccesses({ ...QUERY, ...query }))
  )[0]
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

test.each([
  ['of a fork whose branch has this name', { headRepository: 'stranger/docs' }],
  ['for a pull request', { event: 'pull_request' }],
  ['for a pull request, with secrets', { event: 'pull_request_target' }],
  ['for a comment', { event: 'issue_comment' }],
  ['of a push by Dependabot, which gets no secrets', { actor: 'dependabot[bot]' }],
  ['that another run started, which stands on another commit than it told', { event: 'workflow_run' }],
])('a run %s is no base', async (_name, fields) => {
  expect(await lastSuccess([run(8, commit('8'), fields), run(5, commit('5'))])).toBe(commit('5'))
})

test.each(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch'])('a run for %s is a base', async (event) => {
  expect(await lastSuccess([run(8, commit('8'), { event }), run(5, commit('5'))])).toBe(commit('8'))
})

test('a schedule has its secrets, even if Dependabot wrote the workflow last', async () => {
  const scheduled = run(8, commit('8'), { event: 'schedule', actor: 'dependabot[bot]' })
  expect(await lastSuccess([scheduled, run(5, commit('5'), { actor: 'ann' })])).toBe(commit('8'))
})

test('what a run of the workflow that starts this one stands on was told, whatever started it', async () => {
  const runs = [run(8, commit('8'), { event: 'workflow_run' }), run(5, commit('5'))]
  expect(await lastSuccess(runs, { isOther: true })).toBe(commit('8'))
})

test('looks for it on more than one page, and not for ever', async () => {
  const ofForks = (count: number) =>
    Array.from({ length: count }, (_, index) => run(index + 2, commit('f'), { headRepository: 'stranger/docs' }))
  const find = (count: number) => {
    const docs = repositoryState({ workflowRuns: [run(1, commit('1')), ...ofForks(count)] })
    return askingGitHub({ docs }, async ({ ask, github }) => {
      const [found] = await connectWorkflowRuns(ask).findLastSuccesses({ ...QUERY, runId: 5_000 })
      return { found, asked: github.requests.length }
    })
  }
  expect(await find(250)).toEqual({ found: commit('1'), asked: 3 })
  expect(await find(1_200)).toEqual({ found: undefined, asked: 10 })
})

test('finds nothing where no run was successful yet', async () => {
  expect(await lastSuccess([run(8, commit('8'), { conclusion: 'failure' }), run(10, commit('a'))])).toBeUndefined()
})

test('gives those before it, too, each commit once and not without end', async () => {
  const runs = [
    run(8, commit('8')),
    run(7, commit('8')),
    run(6, commit('6'), { conclusion: 'failure' }),
    run(5, commit('5')),
  ]
  const many = Array.from({ length: 30 }, (_, index) => run(index + 2, String(index).padStart(40, '0')))
  const find = (workflowRuns: WorkflowRun[]) =>
    askingGitHub({ docs: repositoryState({ workflowRuns }) }, ({ ask }) =>
      connectWorkflowRuns(ask).findLastSuccesses({ ...QUERY, runId: 5_000 }),
    )
  expect(await find(runs)).toEqual([commit('8'), commit('5')])
  expect(await find(many)).toHaveLength(10)
})
