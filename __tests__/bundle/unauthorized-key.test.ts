import { test } from '@jest/globals'
import { EXPIRED_KEY } from '../../src/emulator/access.ts'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a key that the service refuses ends red after one request', async () => {
  const run = await runBundle({ inputs: { prompt: 'Fix the guide.', 'api-key': EXPIRED_KEY } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The key was refused',
    says: ['(401)', 'This API key has expired.', 'a current admin API key'],
    outputs: { outcome: 'error' },
    requests: ['POST job'],
  })
})
