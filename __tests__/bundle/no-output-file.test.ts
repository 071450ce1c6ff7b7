import { expect, test } from '@jest/globals'
import { expectNoSecret } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

const REMOVE_OUTPUT_FILE = `
  import { rmSync } from 'node:fs'
  rmSync(process.env.GITHUB_OUTPUT)
`

test('a step whose outputs cannot be written is red before it asks anything of the service', async () => {
  const run = await runBundle({ preload: REMOVE_OUTPUT_FILE, inputs: { prompt: 'Fix the guide.' } })

  expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, outputs: {}, requests: [] })
  expect(run.annotations).toMatchObject([{ level: 'error', title: 'The outputs could not be written' }])
  expect(run.annotations[0]?.message).toContain('Missing file at path')
  expectNoSecret(run)
})
