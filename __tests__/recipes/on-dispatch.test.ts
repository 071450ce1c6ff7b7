import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { changedRepository, commit } from '../support/github-state.ts'
import { playRecipe, type PlayedRecipe } from '../support/recipe-run.ts'

const CODE = changedRepository({ files: [{ filename: 'src/a.ts' }] }, { tags: { v1: commit('a'), v2: commit('b') } })

function dispatch(range?: string): Promise<PlayedRecipe> {
  return playRecipe('on-dispatch', {
    repositories: { 'acme/code': CODE },
    eventName: 'repository_dispatch',
    event: { action: 'code-changed', client_payload: { range } },
    actions: {
      'actions/create-github-app-token@1b10c78c7865c340bc4f6099eb2f838309f1e8c3': () => ({ token: GITHUB_TOKEN }),
    },
  })
}

test('the agent gets the change of the repository that sent the event', async () => {
  const { steps, prompts } = await dispatch('acme/code@v1...v2')
  expect(prompts).toEqual([expect.stringContaining('What changed in acme/code')])
  expect(steps['docs']).toMatchObject({ conclusion: 'success', outputs: { 'pr-repository': 'acme/docs' } })
})

test.each(['acme/code@main', undefined])(
  'the range %s asks nothing of anybody, and says what one looks like',
  async (range) => {
    const { steps, prompts, github } = await dispatch(range)
    expect(steps['docs']).toMatchObject({ conclusion: 'failure', outputs: { outcome: 'error' } })
    expect(steps['docs']?.output).toContain('`owner/name@BASE...HEAD`')
    expect([prompts, github.requests]).toEqual([[], []])
  },
)
