import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('texts of the service that are full of commands and HTML stay texts', async () => {
  const run = await runBundle({ scenario: 'hostile', inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The link to the pull request cannot be used',
    outputs: {
      outcome: 'error',
      status: 'completed',
      'job-id': 'job_000001',
      changed: '',
      model: expect.stringMatching(/^docs-writer-1 ::error title=injected::/) as unknown as string,
    },
    warnings: ['not safe to link'],
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
  expect(run.outputs['model']).not.toMatch(/\p{Cc}|\p{Cf}|\p{Zl}|##\[/u)
})
