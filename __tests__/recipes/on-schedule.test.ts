import { expect, test } from '@jest/globals'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import type { FileChange } from '../../src/emulator/github/repository-state.ts'
import { changedRepository, commit } from '../support/github-state.ts'
import { permissionsOf, playRecipe, type PlayedRecipe } from '../support/recipe-run.ts'

const LAST: WorkflowRun = {
  ...{ id: 41, workflow: 'docs.yml', branch: 'main', headSha: commit('e'), event: 'push', createdAtMs: 0 },
  status: 'completed',
  conclusion: 'success',
}

function week(
  files: readonly FileChange[],
  runs: WorkflowRun[],
  permissions = permissionsOf('on-schedule'),
): Promise<PlayedRecipe> {
  return playRecipe('on-schedule', {
    repositories: { 'acme/docs': changedRepository({ from: 'e', files }, { workflowRuns: runs }) },
    permissions,
    eventName: 'schedule',
  })
}

test('the agent gets what was changed since the last successful run', async () => {
  const failed: WorkflowRun = { ...LAST, id: 40, headSha: commit('f'), conclusion: 'failure' }
  const { steps, prompts } = await week([{ filename: 'src/flags.ts' }], [LAST, failed])

  expect(steps['docs']).toMatchObject({ conclusion: 'success', outputs: { outcome: 'pull-request' } })
  expect(prompts).toEqual([expect.stringContaining('M src/flags.ts')])
  expect(steps['docs']?.output).not.toContain('::notice')
})

test('a week without a change in the named paths costs nothing', async () => {
  const { steps, prompts } = await week([{ filename: 'README.md' }], [LAST])

  expect(steps['docs']?.outputs['outcome']).toBe('skipped')
  expect(prompts).toEqual([])
})

test('the first run ever has nothing to compare with, and asks the agent all the same', async () => {
  const { steps, prompts } = await week([], [])

  expect(steps['docs']?.outputs['outcome']).toBe('pull-request')
  expect(prompts).toHaveLength(1)
})

test('without `actions: read` it goes on, and says so', async () => {
  const { steps, prompts } = await week([], [LAST], { contents: 'read', 'pull-requests': 'write' })

  expect(steps['docs']?.outputs['outcome']).toBe('pull-request')
  expect(prompts).toHaveLength(1)
  expect(steps['docs']?.output).toContain('Grant `actions: read`')
})
