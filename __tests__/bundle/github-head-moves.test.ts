import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'
import { commit } from '../support/github-state.ts'

test('a commit that comes while the step waits is the one that is checked and reported', async () => {
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true' },
    repository: {
      statuses: {
        [commit('c')]: [{ context: 'preview', state: 'success' }],
        [commit('d')]: [{ context: 'preview', state: 'failure' }],
      },
    },
    onRequest: (operation, before, { repositories }) => {
      const pull = repositories['acme/docs']?.pulls[4]
      if (operation === 'pulls/get' && before === 2 && pull !== undefined) pull.headSha = commit('d')
    },
  })

  expect(run.outputs).toMatchObject({ outcome: 'pull-request', checks: 'failure', 'pr-head-sha': commit('d') })
  expect(run.conclusion).toBe('success')
})
