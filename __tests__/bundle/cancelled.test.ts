import { expect, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { expectNoSecret, expectStep } from '../support/bundle-expect.ts'
import { replaceService, runBundle } from '../support/bundle-run.ts'

/** Windows has no signals that a program could get from another one. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

const FIX = { prompt: 'Fix the guide.' }

testWithSignals('a run that is cancelled while the prompt is on its way still learns the id of its job', async () => {
  const cancel = new AbortController()
  const front = replaceService((_incoming, outgoing) => {
    cancel.abort()
    setImmediate(() => outgoing.writeHead(201).end('{"id":"job_late","status":"active"}'))
  })
  const run = await runBundle({ intermediary: front, inputs: FIX, cancel: cancel.signal })

  expectStep(run, {
    conclusion: 'cancelled',
    verdict: '🛑 Cancelled',
    messageParts: ['so the job still runs', 'run the same step with `job-id: job_late` and without a prompt'],
    outputs: { outcome: 'cancelled', changed: '', status: 'active', 'job-id': 'job_late' },
    requests: [],
  })
})

testWithSignals('a second signal ends the step at once, and red', async () => {
  const cancel = new AbortController()
  const run = await runBundle({
    // So that a busy machine sends the second signal within that second.
    preload: timesFaster(1 / 10),
    // Never answers, so that the step still gives the prompt's answer its second when it is told to end again.
    intermediary: replaceService(() => {
      cancel.abort()
    }),
    inputs: FIX,
    cancel: cancel.signal,
    cancelTimes: { sigtermAfterMs: 50, killAfterMs: 60_000 },
  })

  expect(run).toMatchObject({ conclusion: 'cancelled', exitCode: 1, signal: null, summary: '' })
  expect(run.outputs).toEqual({ outcome: 'error' })
  expectNoSecret(run)
})

testWithSignals('a signal before the program has begun ends it with nothing asked and nothing written', async () => {
  const asked: string[] = []
  const front = replaceService(({ url = '' }) => {
    asked.push(url)
  })
  const run = await runBundle({ intermediary: front, inputs: FIX, cancel: AbortSignal.abort() })

  expect(run).toMatchObject({ conclusion: 'cancelled', exitCode: null, signal: 'SIGINT', outputs: {}, summary: '' })
  expect(asked).toEqual([])
})
