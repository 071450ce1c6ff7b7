import { expect, test } from '@jest/globals'
import { pullState } from '../../src/emulator/github/pull-state.ts'
import type { FileChange, RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { PUSH } from '../support/fake-github.ts'
import { changedRepository, commit } from '../support/github-state.ts'
import { permissionsOf, playRecipe, type PlayedRecipe } from '../support/recipe-run.ts'

function push(files: readonly FileChange[], fields: Partial<RepositoryState> = {}): Promise<PlayedRecipe> {
  return playRecipe('on-push', {
    repositories: { 'acme/docs': changedRepository({ files }, fields) },
    permissions: permissionsOf('on-push'),
    eventName: 'push',
    event: PUSH,
  })
}

test('a push to the docs is given to the agent, whose pull request is marked', async () => {
  const { steps, prompts, github } = await push([{ filename: 'docs/guide.md', patch: '@@ -1 +1 @@\n-a\n+b' }])

  expect(steps['docs']).toMatchObject({ conclusion: 'success', outputs: { outcome: 'pull-request' } })
  expect(prompts).toEqual([expect.stringContaining('Change no other pages.\n')])
  expect(prompts[0]).toContain('--- docs/guide.md')
  expect(github.state.repositories['acme/docs']?.pulls[4]?.labels).toEqual(['docs-agent'])
  expect(steps['docs']?.output).not.toContain('::notice')
})

test('a push that changes only generated pages, or none at all, asks nothing', async () => {
  const { steps, prompts } = await push([{ filename: 'docs/generated/api.md' }, { filename: 'src/a.ts' }])

  expect(steps['docs']?.outputs['outcome']).toBe('skipped')
  expect(prompts).toEqual([])
})

test('the merge of the agent’s pull request asks nothing', async () => {
  const merged = pullState({
    ...{ branch: 'agent/guide', headSha: commit('a'), state: 'closed', labels: ['docs-agent'] },
    merge: { sha: commit('b'), atMs: 0 },
  })
  const { steps, prompts } = await push([{ filename: 'docs/guide.md' }], {
    pulls: { 3: merged },
  })

  expect(steps['docs']?.outputs['outcome']).toBe('skipped')
  expect(prompts).toEqual([])
})
