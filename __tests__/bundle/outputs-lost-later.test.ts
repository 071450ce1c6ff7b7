import { expect, test } from '@jest/globals'
import { runBundle } from '../support/bundle-run.ts'

/** As on a disk that is full from the moment in which the service takes the prompt. */
const FILL_THE_DISK = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import diagnosticsChannel from 'node:diagnostics_channel'
  const append = fs.appendFileSync
  let isFull = false
  diagnosticsChannel.subscribe('undici:client:sendHeaders', () => (isFull = true))
  fs.appendFileSync = (file, ...rest) => {
    if (isFull && file === process.env.GITHUB_OUTPUT) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' })
    return append(file, ...rest)
  }
  syncBuiltinESMExports()
`

test('a job whose outputs cannot be written any more is waited for, and told in the log and the summary', async () => {
  const run = await runBundle({ preload: FILL_THE_DISK, inputs: { prompt: 'Fix the guide.' } })

  expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, outputs: { outcome: 'error' } })
  expect(run.annotations).toMatchObject([{ level: 'error', title: 'The outputs could not be written' }])
  expect(run.annotations[0]?.message).toContain('ENOSPC')
  expect(run.annotations[0]?.message).toContain('Pull request opened')
  expect(run.log.some(({ text }) => text.includes('The service has taken the prompt: job job_000001 is active.'))).toBe(
    true,
  )
  expect(run.summary).toContain('job&#95;000001')
  expect(run.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
})
