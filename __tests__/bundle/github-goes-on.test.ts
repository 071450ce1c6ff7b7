import { expect, test } from '@jest/globals'
import { pullOf, runWithGitHub } from '../support/github-run.ts'

test('a prompt goes on with the open pull request of the agent, and is counted there', async () => {
  const run = await runWithGitHub({
    inputs: { prompt: 'And the index.', label: 'docs-agent', 'on-open-pr': 'follow-up' },
    gitHubScenarios: ['open-pull-request'],
  })

  expect(run.requests.filter((request) => request.startsWith('POST '))).toEqual(['POST job/job_finished/message'])
  expect(run.prompts[0]).toMatch(/^And the index\.\n\n---\n\nPull request #1 of acme\/docs/)
  expect(run.outputs).toMatchObject({ continued: 'pull-request', 'job-id': 'job_finished', 'pr-number': '1' })
  expect(run.summary).toContain('Going on with pull request #1 (job job_finished, follow-up 1 of 20).')
  expect(pullOf(run, 1).comments.map(({ body }) => body.split('\n')[1])).toEqual([
    '<!-- docs-agent-action: follow-ups=1 -->',
  ])
})
