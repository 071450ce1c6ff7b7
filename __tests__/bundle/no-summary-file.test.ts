import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

const REMOVE_SUMMARY_FILE = `
  import { rmSync } from 'node:fs'
  rmSync(process.env.GITHUB_STEP_SUMMARY)
`

test('a summary that cannot be written is worth a warning and not the result', async () => {
  const run = await runBundle({ preload: REMOVE_SUMMARY_FILE, inputs: { prompt: 'Fix the guide.' } })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_000001',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 4),
    },
    warnings: ['The job summary could not be written.'],
    summary: 'none',
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
