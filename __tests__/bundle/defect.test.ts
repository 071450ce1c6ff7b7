import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

/** As soon as the job is an output, something fails where nobody catches it. */
const FAIL_LATER = `
  import fs from 'node:fs'
  const append = fs.appendFileSync
  fs.appendFileSync = (file, text, ...rest) => {
    append(file, text, ...rest)
    if (String(text).includes('submitted')) setImmediate(() => { throw new TypeError('nobody foresaw this') })
  }
`

test('a defect while the job is at work ends the step red, with all that is known of the job', async () => {
  const run = await runBundle({
    preload: FAIL_LATER,
    inputs: { prompt: 'Fix the guide.', 'poll-interval-seconds': '300' },
  })
  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ Internal error',
    says: ['A defect in the action itself stopped the step.', 'The job itself goes on.', 'Report it'],
    outputs: { outcome: 'error', status: 'active', changed: '', 'job-id': 'job_000001', model: 'docs-writer-1' },
    requests: ['POST job'],
  })
  expect(run.rawOutput).toContain('TypeError: nobody foresaw this')
})
