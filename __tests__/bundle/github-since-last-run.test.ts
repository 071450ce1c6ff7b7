import { expect, test } from '@jest/globals'
import type { WorkflowRun } from '../../src/emulator/github/state.ts'
import { runWithGitHub } from '../support/github-run.ts'
import { changedRepository, commit } from '../support/github-state.ts'

test('a schedule sends what changed since the last successful run', async () => {
  const earlier: WorkflowRun = {
    ...{ id: 41, workflow: 'docs.yml', branch: 'main', headSha: commit('e'), event: 'push', createdAtMs: 0 },
    status: 'completed',
    conclusion: 'success',
  }
  const run = await runWithGitHub({
    inputs: { 'change-context': 'files' },
    eventName: 'schedule',
    event: {},
    repository: changedRepository({ from: 'e', files: [{ filename: 'src/flags.ts' }] }, { workflowRuns: [earlier] }),
  })

  expect(run.outputs['outcome']).toBe('pull-request')
  expect(run.prompts[0]).toContain('all since the last successful run, up to bbbbbbb from eeeeeee')
  expect(run.prompts[0]).toContain('M src/flags.ts')
})
