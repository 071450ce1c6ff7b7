import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('a pull request at another code host is told, and its host is not asked', async () => {
  const run = await runWithGitHub({ inputs: {}, env: () => ({ GITHUB_SERVER_URL: 'https://github.example.com' }) })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'pr-number': '4', 'pr-state': '' })
  expect(run.github.requests).toEqual([])
  expect(run.notices).toEqual([expect.stringContaining("this run's GitHub is github.example.com")])
})
