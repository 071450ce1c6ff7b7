import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import type { FileChange } from '../../src/emulator/github/repository-state.ts'
import { PUSH } from '../support/fake-github.ts'
import { changedRepository } from '../support/github-state.ts'
import { playRecipe, type PlayedRecipe } from '../support/recipe-run.ts'

const testWithBash = process.platform === 'win32' ? test.skip : test

const CODE: FileChange[] = [{ filename: 'src/flags.ts', patch: '@@ -0,0 +1 @@\n+x' }]

function play(files: readonly FileChange[], hidden: Readonly<Record<string, undefined>> = {}): Promise<PlayedRecipe> {
  return playRecipe('two-repositories', {
    repositories: { 'acme/code': changedRepository({ files }), ...hidden },
    repository: 'acme/code',
    eventName: 'push',
    event: PUSH,
    actions: {
      'actions/create-github-app-token@1b10c78c7865c340bc4f6099eb2f838309f1e8c3': (inputs) => {
        expect(inputs).toMatchObject({ 'client-id': '1', 'private-key': 'private', owner: 'acme' })
        return { token: GITHUB_TOKEN }
      },
    },
  })
}

testWithBash('a change of the code leads to a pull request in the docs repository, checked and marked', async () => {
  const { steps, prompts, github } = await play(CODE)

  expect(prompts).toEqual([expect.stringContaining('What changed in acme/code')])
  expect(steps['docs']).toMatchObject({
    conclusion: 'success',
    outputs: { 'pr-repository': 'acme/docs', 'pr-state': 'open', checks: 'success' },
  })
  expect(steps['tell']?.output).toMatch(/^pull-request http.*\/acme\/docs\/pull\/4 success\n$/)
  expect(github.state.repositories['acme/docs']?.pulls[4]?.labels).toEqual(['docs-agent'])
})

testWithBash('a change of tests alone asks nothing', async () => {
  const { steps, prompts } = await play([{ filename: 'src/flags.test.ts' }])

  expect(steps['docs']?.outputs['outcome']).toBe('skipped')
  expect(prompts).toEqual([])
})

testWithBash('an app that is not installed in the docs repository costs the checks, and says so', async () => {
  const { steps } = await play(CODE, { 'acme/docs': undefined })

  expect(steps['docs']).toMatchObject({ conclusion: 'success', outputs: { outcome: 'pull-request', 'pr-state': '' } })
  expect(steps['docs']?.output).toContain('can see `acme/docs`')
})

testWithBash('where the app is not installed in the code repository nothing is sent, and the run is red', async () => {
  const { steps, prompts } = await play(CODE, { 'acme/code': undefined })

  expect(prompts).toEqual([])
  expect(steps['docs']?.conclusion).toBe('failure')
  expect(steps['docs']?.output).toContain('can see `acme/code`')
})
