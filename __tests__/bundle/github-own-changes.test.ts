import { expect, test } from '@jest/globals'
import { PUSH_EVENT, runWithGitHub } from '../support/github-run.ts'
import { commit, pullState } from '../support/github-state.ts'

test('a merge of the agent’s own pull request does not wake it again', async () => {
  const merged = pullState({ state: 'closed', merged: true, labels: ['docs-agent'] })
  const run = await runWithGitHub({
    inputs: {},
    eventName: 'push',
    event: PUSH_EVENT,
    repository: { pulls: { 3: merged }, commits: { [commit('b')]: [3] } },
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs['outcome']).toBe('skipped')
  expect(run.requests).toEqual([])
  expect(run.log.at(-1)?.text).toContain('#3')
})
