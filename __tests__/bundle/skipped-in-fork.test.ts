import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a pull request from a fork, which gets no key, is skipped with a notice where that is wanted', async () => {
  const run = await runBundle({
    eventName: 'pull_request',
    event: {
      pull_request: { head: { repo: { full_name: 'stranger/docs' } } },
      repository: { full_name: 'acme/docs' },
    },
    inputs: { prompt: 'Fix the guide.', 'api-key': '', 'on-missing-key': 'skip' },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '⏭️ Skipped: there is no API key here',
    says: ['Nothing was asked of the service'],
    outputs: { outcome: 'skipped' },
    notices: ['This run gets no secrets'],
    requests: [],
  })
})
