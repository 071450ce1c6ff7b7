import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a missing key on a push is skipped with a warning, as it is likely to be a mistake', async () => {
  const run = await runBundle({
    eventName: 'push',
    event: { repository: { full_name: 'acme/docs' } },
    inputs: { prompt: 'Fix the guide.', 'api-key': '', 'on-missing-key': 'skip' },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '⏭️ Skipped: there is no API key here',
    says: ['Nothing was asked of the service', 'check the name of the secret'],
    outputs: { outcome: 'skipped' },
    warnings: ['Check the name of the secret'],
    requests: [],
  })
})
