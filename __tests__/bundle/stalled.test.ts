import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

/** Shorter than the time that a read may take where there is no deadline: half a minute. */
const LIMIT_MS = 20_000

test(
  'a read that is never answered does not hold the step past its deadline',
  async () => {
    const run = await runBundle({
      scenario: 'stalled',
      inputs: { 'job-id': 'job_running', 'timeout-minutes': '0.02' },
    })

    expectStep(run, {
      conclusion: 'failure',
      verdict: '⏰ The agent did not finish in time',
      says: ['The last look at it failed: The service did not answer in time.', '`job-id: job_running`'],
      outputs: { outcome: 'timed-out', status: 'active', 'job-id': 'job_running', model: 'docs-writer-1' },
      requests: ['GET job/job_running', 'GET job/job_running'],
    })
  },
  LIMIT_MS,
)
