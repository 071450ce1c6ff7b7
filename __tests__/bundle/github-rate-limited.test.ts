import { expect, test } from '@jest/globals'
import { pullOf, runWithGitHub } from '../support/github-run.ts'

test('both kinds of rate limits are waited for', async () => {
  const run = await runWithGitHub({
    inputs: {},
    faults: { 'pulls/get': ['primary-limit'], 'issues/add-labels': ['secondary-limit'] },
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs['pr-state']).toBe('open')
  expect(pullOf(run).labels).toEqual(['docs-agent'])
  expect(run.notices).toEqual([])
  const timesAsked = (operation: string) => run.github.requests.filter((name) => name === operation).length
  expect([timesAsked('pulls/get'), timesAsked('issues/add-labels')]).toEqual([2, 2])
})
