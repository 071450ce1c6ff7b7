import { beforeAll, expect, test } from '@jest/globals'
import { docsRepository } from '../support/github-run.ts'
import { commit, pullState, type GitHubState, type PullState, type StatusState } from '../support/github-state.ts'
import { permissionsOf, playRecipe, type PlayedRecipe, type RecipeOptions } from '../support/recipe-run.ts'

/** The merge is a script for bash, which runners have on every system and other machines may not. */
const testWithBash = process.platform === 'win32' ? test.skip : test

interface Situation extends Partial<RecipeOptions> {
  readonly statuses?: StatusState[]
  readonly pull?: Partial<PullState>
  readonly permissions?: GitHubState['permissions']
}

const PASSED: StatusState[] = [{ context: 'ci', state: 'success' }]

function play({ statuses = PASSED, pull, ...options }: Situation): Promise<PlayedRecipe> {
  const repository = docsRepository({ statuses: { [commit('c')]: statuses }, pulls: { 4: pullState(pull) } })
  return playRecipe('before-auto-merge', {
    repositories: { 'acme/docs': repository },
    permissions: permissionsOf('before-auto-merge'),
    eventName: 'schedule',
    ...options,
  })
}

testWithBash('what was checked and keeps to the paths is merged, by the head that was checked', async () => {
  const { steps, ghCalls } = await play({})

  expect(steps['docs']?.conclusion).toBe('success')
  expect(steps['merge']?.conclusion).toBe('success')
  expect(ghCalls).toEqual([`pr merge 4 --repo acme/docs --squash --match-head-commit ${commit('c')}`])
})

const RED: readonly (readonly [string, Situation])[] = [
  ['a check failed', { statuses: [{ context: 'ci', state: 'failure' }] }],
  ['no check is registered', { statuses: [] }],
  [
    'a file is out of scope',
    { pull: { files: [{ filename: 'docs/a.md' }, { filename: '.github/workflows/ci.yml' }] } },
  ],
  ['a page is excepted', { pull: { files: [{ filename: 'docs/legal/terms.md' }] } }],
  ['the checks cannot be read', { permissions: { contents: 'write', 'pull-requests': 'write' } }],
  ['the pull request cannot be read', { permissions: {} }],
]

const LEFT_OPEN: readonly (readonly [string, Situation])[] = [
  ['it is a draft', { pull: { draft: true } }],
  ['the agent changed nothing', { scenario: 'no-changes' }],
]

/** Each waits for time to pass, so they are played beside each other. */
const played = new Map<string, PlayedRecipe>()

beforeAll(async () => {
  if (process.platform === 'win32') return
  const situations = [...RED, ...LEFT_OPEN]
  await Promise.all(situations.map(async ([name, situation]) => played.set(name, await play(situation))))
}, 60_000)

testWithBash.each(RED)('nothing is merged and the run is red where %s', (name) => {
  const { steps, ghCalls } = played.get(name) ?? {}

  expect(steps?.['docs']).toMatchObject({ conclusion: 'failure', outputs: { outcome: 'pull-request' } })
  expect(steps?.['merge']?.conclusion).toBe('skipped')
  expect(ghCalls).toEqual([])
})

testWithBash.each(LEFT_OPEN)('nothing is merged where %s, and that is no error', (name) => {
  const { steps, ghCalls } = played.get(name) ?? {}

  expect(steps?.['docs']?.conclusion).toBe('success')
  expect(steps?.['merge']?.conclusion).toBe('skipped')
  expect(ghCalls).toEqual([])
})

testWithBash('a commit that comes after the checks makes the merge fail', async () => {
  const { steps } = await play({ headAtMerge: commit('d') })

  expect(steps['docs']?.conclusion).toBe('success')
  expect(steps['merge']).toMatchObject({
    conclusion: 'failure',
    output: expect.stringContaining('Head branch was modified'),
  })
})
