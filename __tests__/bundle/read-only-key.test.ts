import { test } from '@jest/globals'
import { READ_ONLY_KEY } from '../../src/emulator/access.ts'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a key that may only read ends red and names the scope that is missing', async () => {
  const run = await runBundle({ inputs: { prompt: 'Fix the guide.', 'api-key': READ_ONLY_KEY } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The key has too few rights',
    says: ['(403)', 'This API key may only read.', 'needs write access'],
    outputs: { outcome: 'error' },
    requests: ['POST job'],
  })
})
