import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('a pull request that keeps to the allowed paths is in scope', async () => {
  const run = await runWithGitHub({ inputs: { 'allowed-paths': 'docs/**', 'fail-on': 'out-of-scope' } })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'in-scope': 'true', checks: '' })
})
