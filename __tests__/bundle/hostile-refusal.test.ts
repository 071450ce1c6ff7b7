import { expect, test } from '@jest/globals'
import { READ_ONLY_KEY } from '../../src/emulator/access.ts'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('an error text of the service that is full of commands and HTML stays a text', async () => {
  const run = await runBundle({
    scenario: 'hostile',
    inputs: { prompt: 'Fix the guide.', 'api-key': READ_ONLY_KEY },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The key has too few rights',
    says: ['needs write access'],
    outputs: { outcome: 'error' },
    requests: ['POST job'],
  })
  expect(run.annotations[0]?.message).toContain('This API key may only read. ::error title=injected::')
})
