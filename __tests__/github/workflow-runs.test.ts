import { expect, test } from '@jest/globals'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { askingGitHub } from '../support/github-client.ts'
import { commit } from '../support/github-state.ts'

/** The run of that number on `main`, which has a commit of its own. */
const run = (id: number, fields: Partial<WorkflowRun> = {}): WorkflowRun => ({
  id,
  headSha: String(id).padStart(40, '0'),
  workflow: 'docs.yml',
  branch: 'main',
  event: 'push',
  status: 'completed',
  conclusion: 'success',
  createdAtMs: 0,
  ...fields,
})

/** The numbers of the successful runs before run 900. */
const find = (workflowRuns: WorkflowRun[], query: { readonly isOther?: boolean } = {}) =>
  askingGitHub({ docs: repositoryState({ workflowRuns }) }, async (github, { asked }) => {
    const branch = { repository: 'acme/docs', workflow: 'docs.yml', branch: 'main', runId: 900 }
    const found = await github.findLastSuccesses({ ...branch, ...query })
    return { found: found.map(Number), pages: asked.length }
  })

test.each<[string, Partial<WorkflowRun>, boolean]>([
  ['that has completed', {}, true],
  ['that is under way', { status: 'in_progress', conclusion: null }, false],
  ['that was started again', { status: 'in_progress', conclusion: null, attempt: 2 }, true],
])('the first attempt of a run %s is over: %j', async (_which, fields, isOver) => {
  const docs = repositoryState({ workflowRuns: [run(7, fields)] })
  expect(await askingGitHub({ docs }, (github) => github.hasCompleted('acme/docs', 7, 1))).toBe(isOver)
})

test.each<[string, Partial<WorkflowRun>, boolean, boolean?]>([
  ['that failed', { conclusion: 'failure' }, false],
  ['on another branch', { branch: 'next' }, false],
  ['of another workflow', { workflow: 'other.yml' }, false],
  ['that asks', { id: 900 }, false],
  ['that began after it', { id: 901 }, false],
  ['of a fork whose branch has this name', { headRepository: 'stranger/docs' }, false],
  ['for a pull request', { event: 'pull_request' }, false],
  ['for a pull request, with secrets', { event: 'pull_request_target' }, false],
  ['for a comment', { event: 'issue_comment' }, false],
  ['of a push by Dependabot, which gets no secrets', { actor: 'dependabot[bot]' }, false],
  ['that another run started, which stands on another commit than it told', { event: 'workflow_run' }, false],
  ['that another run started, of the workflow that starts this one', { event: 'workflow_run' }, true, true],
  ['for a push', {}, true],
  ['for a schedule', { event: 'schedule' }, true],
  ['for a schedule whose workflow Dependabot wrote last', { event: 'schedule', actor: 'dependabot[bot]' }, true],
  ['started by hand', { event: 'workflow_dispatch' }, true],
  ['started by a program', { event: 'repository_dispatch' }, true],
  ['for a merge queue', { event: 'merge_group' }, true],
])('a run %s is a base: %3$s', async (_name, fields, isBase, isOther = false) => {
  expect((await find([run(8, fields), run(5)], { isOther })).found).toEqual(isBase ? [8, 5] : [5])
})

const many = (count: number, fields: Partial<WorkflowRun> = {}) =>
  Array.from({ length: count }, (_, index) => run(index + 2, fields))

test('gives those of one page, newest first, each commit once and not without end', async () => {
  const twice = [8, 7].map((id) => run(id, { headSha: commit('8') }))
  expect((await find([...twice, run(5)])).found).toHaveLength(2)
  expect((await find(many(30))).found).toEqual([31, 30, 29, 28, 27, 26, 25, 24, 23, 22])
  expect(await find([])).toEqual({ found: [], pages: 1 })
})

test('looks for it on more than one page, and not for ever', async () => {
  const ofForks = { headRepository: 'stranger/docs' }
  expect(await find([run(1), ...many(250, ofForks)])).toEqual({ found: [1], pages: 3 })
  expect(await find([run(1), ...many(1_200, ofForks)])).toEqual({ found: [], pages: 10 })
})
