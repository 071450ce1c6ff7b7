import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('a token that may do nothing costs one notice, which says what to grant, and not the result', async () => {
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true', 'allowed-paths': 'docs/**' },
    permissions: {},
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'pr-state': '', checks: '', 'in-scope': '' })
  expect(run.notices).toEqual([expect.stringContaining('Grant `pull-requests: read`')])
  expect(run.summary).toContain('Not done on GitHub')
})
