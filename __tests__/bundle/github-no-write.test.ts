import { expect, test } from '@jest/globals'
import { pullOf, runWithGitHub } from '../support/github-run.ts'

test('a token that may only read tells all, marks nothing, and says why', async () => {
  const run = await runWithGitHub({ inputs: {}, permissions: { 'pull-requests': 'read' } })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'pr-state': 'open' })
  expect(pullOf(run)).toMatchObject({ labels: [], comments: [] })
  expect(run.notices).toEqual([expect.stringContaining('Grant `pull-requests: write`')])
})
