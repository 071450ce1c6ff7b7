import { expect, test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { pullOf, runWithGitHub } from '../support/github-run.ts'

test('the pull request gets its label and the comment that names its job', async () => {
  const run = await runWithGitHub({ inputs: {} })

  const { headSha } = pullOf(run)
  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_000001',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 4),
      'pr-state': 'open',
      'pr-branch': 'agent/job_000001',
      'pr-head-sha': headSha,
    },
    requests: { posts: ['POST job'], reads: 'GET job/job_000001' },
  })
  expect(pullOf(run).labels).toEqual(['docs-agent'])
  expect(pullOf(run).comments.map(({ body }) => body)).toEqual([
    expect.stringMatching(/^<!-- docs-agent-action: job=job_000001 -->\n/),
  ])
  const branch = 'agent&#47;job&#95;000001'
  expect(run.summary).toContain(`<code>open</code> <code>${branch}</code> <code>${headSha.slice(0, 7)}</code>`)
})
