import { test } from '@jest/globals'
import { EXPIRED_KEY } from '../../src/emulator/access.ts'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('what the step itself could not do stays red where no outcome is to fail it', async () => {
  const run = await runBundle({
    inputs: { prompt: 'Fix the guide.', 'api-key': EXPIRED_KEY, 'fail-on': 'none' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The key was refused',
    says: ['(401)'],
    outputs: { outcome: 'error' },
    requests: ['POST job'],
  })
})
