import { test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

const REMOVE_SUMMARY_FILE = `
  import { rmSync } from 'node:fs'
  rmSync(process.env.GITHUB_STEP_SUMMARY)
`

test('a summary that cannot be written is worth a warning and not the result', async () => {
  const run = await runBundle({ preload: REMOVE_SUMMARY_FILE, inputs: { prompt: 'Fix the guide.' } })

  expectPullRequest(run, {
    warnings: ['The job summary could not be written.'],
    summary: 'none',
  })
})
