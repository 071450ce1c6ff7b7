import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'

test('a file that was moved in from outside of the allowed paths makes the step red', async () => {
  const files = [{ filename: 'docs/key.md', status: 'renamed', previous_filename: 'src/key.ts' } as const]
  const run = await runWithGitHub({
    inputs: { 'allowed-paths': 'docs/**\n*.md', 'fail-on': 'out-of-scope' },
    gitHubScenario: { files },
  })

  expect(run.conclusion).toBe('failure')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'in-scope': 'false' })
  expect(run.summary).toContain('outside: <code>src&#47;key&#46;ts</code>')
})
