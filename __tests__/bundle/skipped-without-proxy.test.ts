import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a step without a key is skipped, whatever the proxy and the event', async () => {
  const run = await runBundle({
    eventName: 'pull_request',
    env: () => ({ HTTPS_PROXY: 'socks5://127.0.0.1:1080', GITHUB_EVENT_PATH: '/no/such/event.json' }),
    inputs: { prompt: 'Fix the guide.', 'api-key': '', 'on-missing-key': 'skip' },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '⏭️ Skipped, as there is no API key here',
    says: ['No prompt was sent'],
    outputs: { outcome: 'skipped' },
    warnings: ['although this run may have secrets'],
    requests: [],
  })
})
