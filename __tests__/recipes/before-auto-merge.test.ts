import { beforeAll, expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import type { PullState } from '../../src/emulator/github/pull-state.ts'
import { pushCommit } from '../../src/emulator/github/repository-events.ts'
import { permissionsOf, playRecipe, type PlayedRecipe, type RecipeOptions } from '../support/recipe-run.ts'

/** The merge is a script for bash, which runners have on every system and other machines may not. */
const testWithBash = process.platform === 'win32' ? test.skip : test

type Situation = Partial<RecipeOptions>

function play(options: Situation = {}): Promise<PlayedRecipe> {
  const permissions = permissionsOf('before-auto-merge')
  return playRecipe('before-auto-merge', { permissions, eventName: 'schedule', ...options })
}

function pullOf({ github }: PlayedRecipe): PullState | undefined {
  return github.state.repositories['acme/docs']?.pulls[4]
}

testWithBash('what was checked and keeps to the paths is merged, by the head that was checked', async () => {
  const merged = await play()
  const { steps, ghCalls } = merged
  const head = pullOf(merged)?.headSha ?? ''

  expect(steps['docs']?.conclusion).toBe('success')
  expect(steps['merge']?.conclusion).toBe('success')
  expect(ghCalls).toEqual([`pr merge 4 --repo acme/docs --squash --match-head-commit ${head}`])
  expect(pullOf(merged)?.merge).toBeDefined()
})

const RED: readonly (readonly [string, Situation])[] = [
  ['a check failed', { gitHubScenarios: ['checks-fail'] }],
  ['no check is registered', { gitHubScenarios: ['checks-none'] }],
  ['a file is out of scope', { gitHubScenarios: ['out-of-scope'] }],
  ['a page is excepted', { gitHubScenario: { files: [{ filename: 'docs/legal/terms.md' }] } }],
  ['the checks cannot be read', { permissions: { contents: 'write', 'pull-requests': 'write' } }],
]

const LEFT_OPEN: readonly (readonly [string, Situation])[] = [
  ['it is a draft', { gitHubScenarios: ['draft'] }],
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

testWithBash(
  'where GitHub does not tell whether a pull request is open, nothing is sent, and the run is red',
  async () => {
    const { steps, prompts } = await play({ permissions: {} })

    expect(steps['docs']).toMatchObject({ conclusion: 'failure', outputs: { outcome: 'error' } })
    expect(steps['merge']?.conclusion).toBe('skipped')
    expect(prompts).toEqual([])
  },
)

testWithBash('a commit that comes after the checks makes the merge fail', async () => {
  const played = await play({
    beforeAnswer: (operation, _before, { state }) => {
      const { 'acme/docs': docs } = state.repositories
      if (operation !== 'pulls/merge' || docs === undefined) return
      pushCommit(docs, 'agent/job_000001', { message: 'Late', author: 'mona', files: [] }, DEFAULT_START_MS)
    },
  })

  expect(played.steps['docs']?.conclusion).toBe('success')
  expect(played.steps['merge']).toMatchObject({
    conclusion: 'failure',
    output: expect.stringContaining('Head branch was modified'),
  })
  expect(pullOf(played)?.merge).toBeUndefined()
})
