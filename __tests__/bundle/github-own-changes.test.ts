import { expect, test } from '@jest/globals'
import { PUSH_EVENT, runWithGitHub } from '../support/github-run.ts'
import { pullState } from '../../src/emulator/github/state.ts'
import { changedRepository, commit } from '../support/github-state.ts'

test('a merge of the agent’s own pull request does not wake it again', async () => {
  const merged = pullState({
    ...{ branch: 'agent/guide', headSha: commit('a'), state: 'closed', labels: ['docs-agent'] },
    merge: { sha: commit('b'), atMs: 0 },
  })
  const run = await runWithGitHub({
    inputs: {},
    eventName: 'push',
    event: PUSH_EVENT,
    repository: changedRepository({ files: [] }, { pulls: { 3: merged } }),
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs['outcome']).toBe('skipped')
  expect(run.requests).toEqual([])
  expect(run.log.at(-1)?.text).toContain('#3')
})
