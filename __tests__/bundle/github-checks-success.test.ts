import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'
import { commit, type CheckRunState } from '../support/github-state.ts'

const HEAD = commit('c')

test('the step waits until check runs and commit statuses are in', async () => {
  const build = (fields: Partial<CheckRunState>): CheckRunState => ({ name: 'build', status: 'queued', ...fields })
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true', 'fail-on': 'failed, checks' },
    repository: { statuses: { [HEAD]: [{ context: 'preview', state: 'success' }] } },
    onRequest: (operation, before, { repositories }) => {
      const checkRuns = repositories['acme/docs']?.checkRuns
      if (operation !== 'checks/list-for-ref' || checkRuns === undefined) return
      if (before === 1) checkRuns[HEAD] = [build({ status: 'in_progress' })]
      if (before === 2) checkRuns[HEAD] = [build({ status: 'completed', conclusion: 'success' })]
    },
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', checks: 'success', 'pr-head-sha': HEAD })
  expect(run.github.requests.filter((name) => name === 'checks/list-for-ref').length).toBeGreaterThanOrEqual(3)
  expect(run.log.at(-1)?.text).toContain('All its checks have passed.')
})
