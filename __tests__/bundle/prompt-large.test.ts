import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

/** Windows takes no variable of more than 32 KiB, and an input is a variable. */
const testLargeInput = process.platform === 'win32' ? test.skip : test

const PROMPT = 'Grüße aus Köln. '.repeat(5_700)

testLargeInput('a prompt of 100 KB goes through an input whole', async () => {
  const run = await runBundle({ inputs: { prompt: PROMPT, wait: 'false' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '🚀 The agent is at work',
    says: ['This step does not wait for the result.'],
    outputs: { outcome: 'submitted', changed: '', status: 'active', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job'],
  })
  expect(Buffer.byteLength(PROMPT)).toBeGreaterThan(100_000)
  expect(run.prompts).toEqual([PROMPT])
})
