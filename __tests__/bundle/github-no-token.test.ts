import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('without a token what was asked for is missed, with one notice, and nothing is asked', async () => {
  const run = await runWithGitHub({ inputs: { 'github-token': '', 'wait-for-checks': 'true' } })

  expect(run.conclusion).toBe('failure')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', checks: '' })
  expect(run.github.requests).toEqual([])
  expect(run.notices).toEqual([expect.stringContaining('there is no `github-token`')])
})
