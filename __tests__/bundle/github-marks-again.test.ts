import { expect, test } from '@jest/globals'
import { pullOf, runWithGitHub } from '../support/github-run.ts'
import { pullState } from '../support/github-state.ts'

test('a step that looks at the same job again adds nothing to its pull request', async () => {
  const marker = '<!-- docs-agent-action: job=job_000001 -->'
  const marked = pullState({
    labels: ['docs-agent'],
    comments: [{ body: marker, userType: 'Bot', association: 'NONE' }],
  })
  const run = await runWithGitHub({ inputs: {}, repository: { pulls: { 4: marked } } })

  expect(run.conclusion).toBe('success')
  expect(run.github.requests).toEqual(['pulls/get', 'issues/list-comments'])
  expect(pullOf(run)).toMatchObject({ labels: ['docs-agent'], comments: [{ body: marker }] })
})
