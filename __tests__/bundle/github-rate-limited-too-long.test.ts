import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('a rate limit that ends after the deadline is not waited for', async () => {
  const run = await runWithGitHub({ inputs: { 'timeout-minutes': '1' }, faults: { 'pulls/get': ['long-limit'] } })

  expect(run.conclusion).toBe('success')
  expect(run.github.requests).toEqual(['pulls/get'])
  expect(run.notices).toEqual([expect.stringContaining('GitHub limits the rate of requests.')])
})
