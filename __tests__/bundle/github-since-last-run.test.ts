import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'
import { commit } from '../support/github-state.ts'

test('a schedule sends what changed since the last successful run', async () => {
  const runs = [{ id: 41, workflow: 'docs.yml', branch: 'main', headSha: commit('e'), conclusion: 'success' } as const]
  const change = {
    relation: 'ahead',
    commits: [{ sha: commit('b'), message: 'Add a flag' }],
    files: [{ filename: 'src/flags.ts' }],
  } as const
  const run = await runWithGitHub({
    inputs: { 'change-context': 'files' },
    eventName: 'schedule',
    event: {},
    repository: { runs, comparisons: { [`${commit('e')}...${commit('b')}`]: change } },
  })

  expect(run.outputs['outcome']).toBe('pull-request')
  expect(run.prompts[0]).toContain('all since the last successful run, up to bbbbbbb from eeeeeee')
  expect(run.prompts[0]).toContain('M src/flags.ts')
})
