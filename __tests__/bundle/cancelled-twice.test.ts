import { expect, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { expectNoSecret } from '../support/bundle-expect.ts'
import { answering } from '../support/bundle-fronts.ts'
import { runBundle } from '../support/bundle-run.ts'

/** Windows has no signals that a program could get from another one. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

testWithSignals('a second signal ends the step at once, and red', async () => {
  const cancel = new AbortController()
  const run = await runBundle({
    // So that a busy machine sends the second signal within that second.
    preload: timesFaster(1 / 10),
    // Never answers, so that the step still gives the prompt's answer its second when it is told to end again.
    front: answering(() => {
      cancel.abort()
    }),
    inputs: { prompt: 'Fix the guide.' },
    cancel: cancel.signal,
    cancelTimes: { sigtermAfterMs: 50, killAfterMs: 60_000 },
  })

  expect(run).toMatchObject({ conclusion: 'cancelled', exitCode: 1, signal: null, summary: '' })
  expect(run.outputs).toEqual({ outcome: 'error' })
  expectNoSecret(run)
})
