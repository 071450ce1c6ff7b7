import { expect, test } from '@jest/globals'
import { expectNoSecret } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

/** As a library would do it that keeps no hold on the event loop. */
const HOLD_NO_TIMER = `
  const start = globalThis.setTimeout
  globalThis.setTimeout = (...args) => start(...args).unref()
`

test('a process that has nothing more to do before the end was seen is red, with its job told', async () => {
  const run = await runBundle({
    preload: HOLD_NO_TIMER,
    // Longer than what else keeps the process: it is gone before it would ask again.
    inputs: { prompt: 'Fix the guide.', 'poll-interval-seconds': '300' },
  })

  expect(run).toMatchObject({ conclusion: 'failure', signal: null, requests: ['POST job'] })
  expect(run.exitCode).toBeGreaterThan(0)
  expect(run.outputs).toEqual({ outcome: 'submitted', status: 'active', 'job-id': 'job_000001' })
  expectNoSecret(run)
})
