import { expect, test } from '@jest/globals'
import { changedRepository, commit } from '../support/github-state.ts'
import { permissionsOf, playRecipe } from '../support/recipe-run.ts'

test('the agent gets what came since the tag before, and the name and the notes of the release', async () => {
  const tags = { 'v1.1.0': commit('b'), 'v1.0.0': commit('a'), 'v1.1.0-rc.1': commit('a') }
  const { steps, prompts } = await playRecipe('release-notes', {
    repositories: { 'acme/docs': changedRepository({ files: [{ filename: 'src/a.ts' }] }, { tags }) },
    permissions: permissionsOf('release-notes'),
    eventName: 'release',
    event: { action: 'released', release: { tag_name: 'v1.1.0', name: 'Faster', body: 'Twice as fast.' } },
  })

  expect(steps['docs']).toMatchObject({
    conclusion: 'success',
    outputs: { outcome: 'pull-request', 'in-scope': 'true' },
  })
  expect(prompts).toEqual([expect.stringMatching(/Release v1\.1\.0: Faster\n[^]*Twice as fast\.[^]*M src\/a\.ts/)])
  expect(steps['docs']?.output).not.toContain('::notice')
})
