import { expect, test } from '@jest/globals'
import { pullOf, runWithGitHub } from '../support/github-run.ts'

test('a step that looks at the same job again adds nothing to its pull request', async () => {
  const run = await runWithGitHub({
    inputs: { prompt: '', 'job-id': 'job_finished' },
    gitHubScenarios: ['open-pull-request'],
  })

  expect(run.conclusion).toBe('success')
  expect(run.github.requests).toEqual(['pulls/get', 'issues/list-comments'])
  expect(pullOf(run, 1)).toMatchObject({ labels: ['docs-agent'], comments: { length: 1 } })
})
