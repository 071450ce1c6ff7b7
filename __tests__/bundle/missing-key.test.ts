import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a missing key ends red and says where secrets are withheld', async () => {
  const run = await runBundle({ inputs: { prompt: 'Fix the guide.', 'api-key': '' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The inputs are wrong',
    says: ['`api-key` is empty', 'pull requests from forks and Dependabot get no secrets'],
    outputs: { outcome: 'error' },
    requests: [],
  })
})
