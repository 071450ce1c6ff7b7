import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('the API of a GitHub Enterprise Server is below a path of its own', async () => {
  const run = await runWithGitHub({ inputs: {}, env: ({ apiUrl }) => ({ GITHUB_API_URL: `${apiUrl}/api/v3` }) })

  expect(run.conclusion).toBe('success')
  expect(run.outputs['pr-state']).toBe('open')
  expect(run.notices).toEqual([])
})
