import { expect, test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { pullOf, runWithGitHub } from '../support/github-run.ts'

test('the pull request gets its label and the comment that names its job', async () => {
  const run = await runWithGitHub({ inputs: {} })

  const { headSha } = pullOf(run)
  expectPullRequest(run, {
    verdict: '✅ The pull request is ready',
    outputs: {
      'pr-state': 'open',
      'pr-branch': 'agent/job_000001',
      'pr-head-sha': headSha,
      'pr-mergeable': 'true',
    },
    requests: { posts: ['POST job'], reads: 'GET job/job_000001' },
  })
  expect(pullOf(run).labels).toEqual(['docs-agent'])
  expect(pullOf(run).comments.map(({ body }) => body)).toEqual([
    expect.stringMatching(/^<!-- docs-agent-action: job=job_000001 -->\n/),
  ])
  const branch = 'agent&#47;job&#95;000001'
  expect(run.summary).toContain(`open, <code>${branch}</code> at <code>${headSha.slice(0, 7)}</code>`)
})
