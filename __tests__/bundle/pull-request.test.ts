import { test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a job that opens a pull request ends green and hands its address on', async () => {
  const run = await runBundle({ scenario: 'pull-request', inputs: { prompt: 'Document the --dry-run flag.' } })

  expectPullRequest(run, {
    says: ['The agent opened it.'],
  })
})
